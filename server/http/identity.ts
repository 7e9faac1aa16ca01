import type { Request, Response } from 'express';
import { authenticateApiToken, TOKEN_PREFIX } from '#server/auth/api-tokens.ts';
import { authenticateSession } from '#server/auth/sessions.ts';
import type { Deps } from '#server/deps.ts';
import { PROTOCOL_HEADER, WORKER_ID_HEADER } from '#server/maintenance/schemas.ts';
import type { ServiceTokens } from '#server/maintenance/service-token.ts';
import type { Identity } from '#server/trpc/context.ts';

/** `afresh`: looks again, whatever was found when the request came. */
export type ResolveIdentity = (req: Request, options?: { afresh: boolean }) => Promise<Identity>;

const WORKER_ID = /^[\w.:@/-]{1,120}$/;

/**
 * Who sends a request. An Authorization header alone decides when there is one; else the session cookie does. Asked
 * once per request, however many parts want to know.
 */
export function createIdentityResolver(options: {
  deps: Pick<Deps, 'db' | 'config' | 'logger'>;
  serviceTokens: ServiceTokens;
}): ResolveIdentity {
  const { deps, serviceTokens } = options;
  const known = new WeakMap<Request, Promise<Identity>>();

  async function resolve(req: Request): Promise<Identity> {
    const authorization = req.headers.authorization;
    if (authorization !== undefined) {
      const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';
      if (serviceTokens.enabled && serviceTokens.verify(bearer)) return serviceIdentity(req);
      if (bearer.startsWith(TOKEN_PREFIX) || !serviceTokens.enabled)
        return authenticateApiToken(deps, bearer);
      return { type: 'anonymous', reason: 'The API token is not valid or was revoked.' };
    }
    const cookie = req.headers.cookie;
    if (!cookie) return { type: 'anonymous' };
    const { identity, setCookie } = await authenticateSession(deps, cookie);
    if (setCookie) appendCookie(req.res, setCookie);
    return identity;
  }

  return (req, options) => {
    const before = known.get(req);
    if (before && !options?.afresh) return before;
    const answer = resolve(req);
    known.set(req, answer);
    return answer;
  };
}

/** Adds a Set-Cookie header unless the answer is already on its way (a stream). */
export function appendCookie(res: Response | undefined, header: string): void {
  if (res && !res.headersSent) res.append('Set-Cookie', header);
}

function serviceIdentity(req: Request): Identity {
  const workerId = req.get(WORKER_ID_HEADER) ?? '';
  const protocol = Number(req.get(PROTOCOL_HEADER));
  return {
    type: 'service',
    workerId: WORKER_ID.test(workerId) ? workerId : 'unnamed',
    protocol: Number.isSafeInteger(protocol) ? protocol : 0,
  };
}
