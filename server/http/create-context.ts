import type { Request, Response } from 'express';
import type { Deps } from '#server/deps.ts';
import type { Executor } from '#server/generation/executor.ts';
import type { RateLimits } from '#server/lib/rate-limit.ts';
import type { DueWatcher } from '#server/maintenance/due-watcher.ts';
import type { Context, Identity } from '#server/trpc/context.ts';
import { limitKeyOfAddress } from './client-address.ts';
import { appendCookie, type ResolveIdentity } from './identity.ts';

export type CreateContext = (req: Request, res: Response) => Promise<Context>;

/** One context per request, the same for API calls and for pages. */
export function createContextFactory(parts: {
  deps: Deps;
  executor: Executor;
  dueWatcher: DueWatcher;
  limits: RateLimits;
  resolveIdentity: ResolveIdentity;
}): CreateContext {
  const { deps, executor, dueWatcher, limits, resolveIdentity } = parts;
  return async (req, res) => {
    const identity = await resolveIdentity(req);
    return {
      deps,
      executor,
      dueWatcher,
      limits,
      identity,
      requestId: String(res.locals.requestId),
      clientAddress: limitKeyOfAddress(req.ip),
      userAgent: req.get('user-agent'),
      setCookie: (header) => appendCookie(res, header),
      isStillOpen: async () => isSame(identity, await resolveIdentity(req, { afresh: true })),
      signal: goneSignal(res),
    };
  };
}

/** The same person by the same kind of credentials: a request has one of each, and they cannot change under way. */
function isSame(before: Identity, now: Identity): boolean {
  return before.type === now.type && userIdOf(before) === userIdOf(now);
}

const userIdOf = (identity: Identity) => ('user' in identity ? identity.user.id : undefined);

/** Aborts when the connection closes before the answer is complete. */
function goneSignal(res: Response): AbortSignal {
  const controller = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) controller.abort();
  });
  return controller.signal;
}
