import { randomBytes, randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export type LocalSecrets = { MAINTENANCE_TOKEN: string; ENCRYPTION_KEY: string };

/**
 * Secrets for demo and development, made once into `<dataRoot>/secrets.json` (0600) and the same ever after; processes
 * that start at once agree. Production never calls this: there a missing secret stops the start.
 *
 * @throws Error when the file is damaged: a new key would make the stored channel keys unreadable
 */
export function readLocalSecrets(dataRoot = '.data'): LocalSecrets {
  const file = path.resolve(dataRoot, 'secrets.json');
  const known = readSecrets(file);
  if (known) return known;
  mkdirSync(path.dirname(file), { recursive: true });
  const fresh = `${file}.${randomUUID()}`;
  const secrets: LocalSecrets = {
    MAINTENANCE_TOKEN: randomBytes(32).toString('hex'),
    ENCRYPTION_KEY: randomBytes(32).toString('hex'),
  };
  writeFileSync(fresh, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  try {
    // A link fails when the name exists, so the first of several processes wins and no file is ever half-written.
    linkSync(fresh, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(fresh, { force: true });
  }
  return readSecrets(file) ?? secrets;
}

function readSecrets(file: string): LocalSecrets | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { MAINTENANCE_TOKEN, ENCRYPTION_KEY } = JSON.parse(text) as Partial<LocalSecrets>;
    if (typeof MAINTENANCE_TOKEN === 'string' && typeof ENCRYPTION_KEY === 'string')
      return { MAINTENANCE_TOKEN, ENCRYPTION_KEY };
  } catch {
    // Reported below, without the content.
  }
  throw new Error(
    `${file} is damaged: restore it, or remove it together with the database that it belongs to.`,
  );
}
