import type { Db } from '#server/db/client.ts';
import type { Clock } from '#server/lib/clock.ts';
import type { DueSignal } from '#server/lib/due-signal.ts';
import type { NewId } from '#server/lib/ids.ts';
import type { Logger } from '#server/lib/logger.ts';
import type { Operations } from '#server/operations/live-operations.ts';
import type { PaymentProvider } from '#server/orders/payment/payment-provider.ts';
import type { ProviderRuntime } from '#server/providers/provider.ts';
import type { AssetStore, StoreOutput } from '#server/storage/asset-store.ts';
import type { PreviewInput } from '#server/storage/make-preview.ts';

/**
 * Policies and numbers of the web process, already parsed; durations carry their unit. Policies change while it runs:
 * read them when they are needed, and keep no copy.
 */
export type Config = {
  leaseSeconds: number;
  drainSeconds: number;
  slots: { poll: number; create: number; transfer: number; compose: number };
  /** Tasks of one user that may be dispatching, running or archiving at once. */
  userInFlight: number;
  pollFirstMs: number;
  pollCapMs: number;
  retryBaseMs: number;
  retryCapMs: number;
  uncertainMs: number;
  lateWatchMs: number;
  giveUpMs: number;
  refundTries: number;
  maxOutputBytes: number;
  maxUploadBytes: number;
  signUpCredits: number;
  signUpOpen: boolean;
  publicOrigin: string | undefined;
  secureCookies: boolean;
  orderExpiryMs: number;
  invites: {
    /** Both 0: no rewards. */
    inviterCredits: number;
    inviteeCredits: number;
    coolingOffMs: number;
    /** Rewards of one inviter per calendar month (UTC). */
    monthlyCap: number;
  };
  composites: {
    /** Of one user that may be at work at once; further ones wait. */
    agentsPerUser: number;
    dramasPerUser: number;
    /** Children of one composite under way at once, by kind. */
    childrenAtOnce: { image: number; video: number; audio: number; text: number };
  };
  retention: { eventDays: number; requestKeyDays: number; workerDays: number; uploadHours: number };
};

/** Opens and seals channel keys (AES-256-GCM with key versions). */
export type KeyRing = {
  seal(plain: string, context: string): { sealedWith: number; nonce: string; ciphertext: string };
  /** @throws Error without any secret in it when the version is unknown or the text was changed */
  open(sealed: { sealedWith: number; nonce: string; ciphertext: string }, context: string): string;
  /** Signs a text with a key derived from the newest version. */
  sign(text: string): string;
  /** Whether any version signed this text; in constant time. */
  verify(text: string, signature: string): boolean;
};

/** What use cases are given. Built once, in `container.ts`. */
export type Deps = {
  db: Db;
  /** Its own connection outside the pool, so that a lease is renewed though every pool connection is busy. */
  renewalDb: Db;
  clock: Clock;
  logger: Logger;
  /** Uniform in [0, 1); decides jitter. */
  random: () => number;
  newId: NewId;
  providers: ProviderRuntime;
  storage: AssetStore;
  /** Streams an artefact to storage and proves what it is; bound to the media tools found at start. */
  storeOutput: StoreOutput;
  /** Makes the small preview of a stored file. */
  makePreview: (store: AssetStore, input: PreviewInput) => Promise<{ storageKey: string } | undefined>;
  keyRing: KeyRing;
  due: DueSignal;
  /** Undefined: nothing can be bought. */
  payments: PaymentProvider | undefined;
  config: Config;
  /** Policies, pauses and announcements that administrators set; keeps `config` up to date. */
  operations: Operations;
};
