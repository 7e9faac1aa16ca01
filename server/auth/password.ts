import { hash, verify } from '@node-rs/argon2';

/** Its enum is erased at build time under isolated modules, so the number stands here. */
const ARGON2ID = 2;

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane; about 30 ms on one core. */
const OPTIONS = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** A hash of random bytes under the same parameters: verified when there is no such user, so both answers cost the same. */
const NOBODY =
  '$argon2id$v=19$m=19456,t=2,p=1$PflqjRu7TWDZDPMH+Kv6sw$ojIEUQtj4g64x58jCppJNrOgldK3HR2OXjPhIHqHgJA';

/** Unicode has several spellings of one character; keyboards differ in which they send. */
const normalise = (password: string) => password.normalize('NFKC');

export function hashPassword(password: string): Promise<string> {
  return hash(normalise(password), OPTIONS);
}

/** Takes the same time with and without a hash; without one the answer is always false. */
export async function verifyPassword(stored: string | undefined, password: string): Promise<boolean> {
  const right = await verify(stored ?? NOBODY, normalise(password));
  return right && stored !== undefined;
}
