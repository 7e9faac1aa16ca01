/** Names of the limits; their numbers are in `http/rate-limits.ts`. */
export type LimitName =
  | 'sign-in-pair'
  | 'sign-in-address'
  | 'sign-up'
  | 'submit'
  | 'redeem'
  | 'upload'
  | 'share'
  | 'webhook'
  | 'resend'
  | 'api';

/** Counters shared by all replicas. */
export type RateLimits = {
  /**
   * Takes one from the caller's allowance.
   *
   * @throws AppError `too_many_requests` with the seconds to wait; `unavailable` when a limit that must not fail open
   *   can't reach its store
   */
  consume(name: LimitName, key: string): Promise<void>;
  /** Gives the whole allowance back, e.g. after a right password. Never throws. */
  reset(name: LimitName, key: string): Promise<void>;
  /** Stops the clean-up timer. */
  close(): void;
};
