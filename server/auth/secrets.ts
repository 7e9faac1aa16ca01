import { createHash, randomBytes } from 'node:crypto';

/** A secret of 32 random bytes (43 characters, base64url). */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** What the database keeps of a secret: it has 256 bits of its own, so a plain digest is enough. */
export const digest = (secret: string): string => createHash('sha256').update(secret, 'utf8').digest('hex');
