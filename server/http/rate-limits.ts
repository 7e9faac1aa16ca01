import { createHash } from 'node:crypto';
import { RateLimiterDrizzle, RateLimiterRes } from 'rate-limiter-flexible';
import type { Db } from '#server/db/client.ts';
import { rateLimits as table } from '#server/db/schema/users.ts';
import { AppError } from '#server/lib/app-error.ts';
import { describeError } from '#server/lib/describe-error.ts';
import type { Logger } from '#server/lib/logger.ts';
import type { LimitName, RateLimits } from '#server/lib/rate-limit.ts';
import { deleteExpiredRateLimits } from './queries.ts';

export type Limit = {
  points: number;
  /** Length of the window, which starts with the first call. */
  seconds: number;
  /** What a caller is told that ran into it; the wait is added. */
  message: string;
  /** When the counters can't be reached: refuse (guessing a password must not get easier) or let through. */
  withoutStore: 'refuse' | 'allow';
};

/** Every limit of the product. The key that each is counted by is in the comment. */
export const LIMITS: Record<LimitName, Limit> = {
  /** client address + e-mail; given back by a right password */
  'sign-in-pair': {
    points: 10,
    seconds: 900,
    message: 'Too many tries for this account.',
    withoutStore: 'refuse',
  },
  /** client address; wide, because a whole office may share one */
  'sign-in-address': {
    points: 100,
    seconds: 900,
    message: 'Too many sign-ins from your address.',
    withoutStore: 'refuse',
  },
  /** client address */
  'sign-up': {
    points: 20,
    seconds: 3_600,
    message: 'Too many new accounts from your address.',
    withoutStore: 'allow',
  },
  /** user */
  submit: { points: 120, seconds: 60, message: 'You submit too fast.', withoutStore: 'allow' },
  /** user; given back by a code that gives something */
  redeem: { points: 10, seconds: 3_600, message: 'Too many tries of codes.', withoutStore: 'allow' },
  /** user */
  upload: { points: 60, seconds: 60, message: 'You upload too fast.', withoutStore: 'allow' },
  /** client address; a player asks for many pieces of one file */
  share: {
    points: 1_200,
    seconds: 60,
    message: 'Too many requests for shared files.',
    withoutStore: 'allow',
  },
  /** client address */
  webhook: { points: 1_200, seconds: 60, message: 'Too many deliveries.', withoutStore: 'allow' },
  /** user; each is a request to an address that the user chose */
  resend: { points: 60, seconds: 600, message: 'You send again too often.', withoutStore: 'allow' },
  /** API token */
  api: { points: 1_200, seconds: 60, message: 'This API token calls too often.', withoutStore: 'allow' },
};

/** Expired counters are useless but harmless; they are removed now and then. */
const SWEEP_MS = 300_000;

/** The named limits, counted in the database so that all replicas share them. */
export function createRateLimits(
  deps: { db: Db; logger: Logger },
  limits: Record<LimitName, Limit> = LIMITS,
): RateLimits {
  const names = Object.keys(limits) as LimitName[];
  const limiters = Object.fromEntries(
    names.map((name) => [
      name,
      new RateLimiterDrizzle({
        storeClient: deps.db,
        schema: table,
        keyPrefix: name,
        points: limits[name].points,
        duration: limits[name].seconds,
        // Its own sweep reports to the console; ours below goes to the log.
        clearExpiredByTimeout: false,
      }),
    ]),
  ) as Record<LimitName, RateLimiterDrizzle>;

  const sweep = setInterval(() => {
    deleteExpiredRateLimits(deps.db).catch((error: unknown) =>
      deps.logger.warn({ error: describeError(error) }, 'Expired rate limits were not removed'),
    );
  }, SWEEP_MS);
  sweep.unref();

  return {
    async consume(name, key) {
      try {
        await limiters[name].consume(hideKey(key));
      } catch (error) {
        if (error instanceof RateLimiterRes) throw tooMany(limits[name], error.msBeforeNext);
        deps.logger.warn({ limit: name, error: describeError(error) }, 'A rate limit could not be counted');
        if (limits[name].withoutStore === 'refuse') {
          throw new AppError(
            'unavailable',
            'Sign-in is not possible while the database does not answer. Try again soon.',
            {
              retryAfterSeconds: 10,
              cause: error,
            },
          );
        }
      }
    },
    async reset(name, key) {
      await limiters[name].delete(hideKey(key)).catch(() => undefined);
    },
    close: () => clearInterval(sweep),
  };
}

/** Addresses and e-mails are personal data: the table gets digests. */
const hideKey = (key: string) => createHash('sha256').update(key).digest('base64url').slice(0, 32);

function tooMany(limit: Limit, msBeforeNext: number): AppError {
  const seconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  const wait =
    seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} second${seconds === 1 ? '' : 's'}`;
  return new AppError('too_many_requests', `${limit.message} Try again in ${wait}.`, {
    retryAfterSeconds: seconds,
  });
}
