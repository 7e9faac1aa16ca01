import type { Deps } from '#server/deps.ts';
import type { Executor } from '#server/generation/executor.ts';
import type { RateLimits } from '#server/lib/rate-limit.ts';
import type { DueWatcher } from '#server/maintenance/due-watcher.ts';

export type Scope = 'read' | 'submit' | 'cancel';

export type SignedInUser = {
  id: string;
  email: string;
  displayName: string;
  role: 'user' | 'admin';
  /** Of pages; null: what the browser asks for. */
  language?: 'en' | 'zh-CN' | null;
  /** IANA name for moments on pages; null: the browser's. */
  timeZone?: string | null;
};

/** Who calls. A service is the daemon: it may call maintenance procedures and nothing else. */
export type Identity =
  /** `reason`: what was wrong with the credentials that came with the call, when some did. */
  | { type: 'anonymous'; reason?: string }
  | { type: 'session'; user: SignedInUser; sessionId: string }
  | { type: 'api-token'; user: SignedInUser; tokenId: string; scopes: readonly Scope[] }
  | { type: 'service'; workerId: string; protocol: number };

/** The part that knows HTTP is optional, so that tests and loaders need no request. */
export type Context = {
  deps: Deps;
  executor: Executor;
  dueWatcher: DueWatcher;
  identity: Identity;
  requestId: string;
  /** Always there over HTTP; tests that call procedures directly may leave it out, and are not limited. */
  limits?: RateLimits;
  /** Address of the caller, for rate limits. */
  clientAddress: string;
  userAgent: string | undefined;
  /** Sets a cookie on the HTTP answer that this call belongs to. */
  setCookie(header: string): void;
  /** Whether the credentials of this call would still be taken; for answers that go on. Always there over HTTP. */
  isStillOpen?(): Promise<boolean>;
  /** Aborted when the caller goes away. Never reaches a step of a task. */
  signal: AbortSignal | undefined;
};
