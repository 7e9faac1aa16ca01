import { createHash, timingSafeEqual } from 'node:crypto';

/** Shorter service tokens are refused on both sides. */
export const MIN_TOKEN_CHARACTERS = 32;

export type ServiceTokens = {
  /** False without a usable current token: the maintenance router stays closed. */
  readonly enabled: boolean;
  /** True when `token` is the current or, during a rotation, the previous one. Takes the same time for any input. */
  verify(token: string): boolean;
};

/**
 * The service token of the daemon, and the previous one while it is being rotated. A token with fewer than 32
 * characters does not count: with a short current one, nothing is accepted, not even the previous token.
 */
export function createServiceTokens(current?: string, previous?: string): ServiceTokens {
  const enabled = isLongEnough(current);
  const accepted = enabled ? [current, previous].filter(isLongEnough).map(digest) : [];
  return {
    enabled,
    verify(token) {
      // Digests have one length, so the comparison tells nothing about the token's own; no early exit.
      const candidate = digest(token);
      let matches = false;
      for (const known of accepted) if (timingSafeEqual(known, candidate)) matches = true;
      return matches;
    },
  };
}

function isLongEnough(token: string | undefined): token is string {
  return token !== undefined && token.length >= MIN_TOKEN_CHARACTERS;
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}
