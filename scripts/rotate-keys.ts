import { parseArgs } from 'node:util';
import { openDb } from '#server/db/client.ts';
import { databaseFault } from '#server/lib/database-fault.ts';
import { describeError } from '#server/lib/describe-error.ts';
import { type Rotation, rotateKeys } from '#server/providers/channels/rotate-keys.ts';
import { createKeyRing } from '#server/providers/channels/secrets.ts';
import { startEmbeddedPostgres } from './lib/embedded-postgres.ts';
import { loadEnvFile } from './lib/load-env-file.ts';

const USAGE = `Seals all channel keys, webhook secrets and secrets of people's endpoints anew under the newest version of ENCRYPTION_KEY.

  ENCRYPTION_KEY=2:<new>,1:<old> npm run rotate-keys

Restart the web processes with both versions first; they may run meanwhile. It may be run again at any time.
Exit code 0: everything is sealed under the newest version; 1: something is not, or nothing was done.
Without DATABASE_URL the embedded development database is used.`;

async function rotate(keyRing: ReturnType<typeof createKeyRing>): Promise<Rotation> {
  const url = process.env.DATABASE_URL?.trim();
  const embedded = url ? undefined : await startEmbeddedPostgres({ name: 'dev' });
  const { db, close } = openDb({
    url: url ?? embedded?.url ?? '',
    max: 2,
    pooled: ['1', 'true'].includes(process.env.DATABASE_POOLED ?? ''),
    applicationName: 'sidelane-rotate-keys',
  });
  try {
    return await rotateKeys({ db, keyRing });
  } finally {
    await close();
    await embedded?.stop();
  }
}

/** The counts, then one line for each text that could not be opened. No line holds a secret. */
function print({ version, resealed, now, unopened }: Rotation): void {
  const { keys, secrets, endpoints } = now;
  console.log(
    `Channel keys: ${resealed.keys} sealed anew; ${keys.current} under version ${version}, ${keys.left} under others.`,
  );
  console.log(
    `Webhook secrets: ${resealed.secrets} sealed anew; ${secrets.current} under version ${version}, ${secrets.left} under others.`,
  );
  console.log(
    `Endpoint secrets: ${resealed.endpoints} sealed anew; ${endpoints.current} under version ${version}, ${endpoints.left} under others.`,
  );
  for (const each of unopened) {
    if ('endpointId' in each) {
      console.error(`The secret of endpoint ${each.endpointId} stays as it is: ${each.message}`);
      continue;
    }
    const { channelId, channelName, keyId, message } = each;
    const what = keyId ? `Key ${keyId}` : 'The webhook secret';
    console.error(`${what} of channel "${channelName}" (${channelId}) stays as it is: ${message}`);
  }
  if (keys.left + secrets.left + endpoints.left > 0) {
    console.error(
      'Not everything is under the newest version. Keep the older ones in ENCRYPTION_KEY, and see',
    );
    console.error(
      'that every web process runs with the newest; replace what cannot be opened; then run this again.',
    );
  }
}

function explain(error: unknown): string {
  const fault = databaseFault(error);
  if (fault?.message.includes('not migrated')) return 'The database is not migrated. Run: npm run db:migrate';
  if (fault) return 'The database does not answer. Start it, or check DATABASE_URL.';
  return `Nothing more was done: ${describeError(error).message}`;
}

try {
  if (parseArgs({ options: { help: { type: 'boolean', short: 'h' } } }).values.help) console.log(USAGE);
  else {
    loadEnvFile();
    const encryptionKey = process.env.ENCRYPTION_KEY?.trim();
    if (!encryptionKey)
      throw new Error('Set ENCRYPTION_KEY as the web process has it, the new version first.');
    const rotation = await rotate(createKeyRing(encryptionKey));
    print(rotation);
    const { keys, secrets, endpoints } = rotation.now;
    if (keys.left + secrets.left + endpoints.left > 0) process.exitCode = 1;
  }
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
