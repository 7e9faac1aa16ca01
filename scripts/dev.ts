import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from './lib/embedded-postgres.ts';
import { loadEnvFile } from './lib/load-env-file.ts';
import { startLocalStack } from './lib/local-stack.ts';

/**
 * `npm run dev`: PostgreSQL, sandbox upstream, web process and daemon, restarted when a file of theirs changes; pages
 * reload by themselves. Data stay in `.data/` until that folder is removed.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DATA = path.join(ROOT, '.data');
const EMAIL = 'demo@example.com';
const FIRST_PORT = 3000;
const PORTS_TRIED = 100;
const NAME_WIDTH = 7;

/** Undoes what was started, last first. */
const undo: (() => Promise<unknown>)[] = [];
let stopping: Promise<void> | undefined;

function stopAll(): Promise<void> {
  stopping ??= (async () => {
    for (const step of undo.reverse()) await step().catch((error: unknown) => console.error(explain(error)));
  })();
  return stopping;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // Ctrl-C arrives twice: from the terminal, and again through npm.
    if (stopping) return;
    console.log('\nStopping …');
    void stopAll().then(() => process.exit(0));
  });
}

try {
  await run();
} catch (error) {
  if (!stopping) console.error(`Development could not be started: ${explain(error)}`);
  await stopAll();
  process.exit(1);
}

async function run(): Promise<void> {
  process.chdir(ROOT);
  loadEnvFile();
  const databaseUrl = process.env.DATABASE_URL?.trim() || (await startPostgres());
  const stack = await startLocalStack({
    databaseUrl,
    storageDir: path.join(DATA, 'files'),
    logDir: path.join(DATA, 'dev', 'logs'),
    mode: 'watch',
    email: EMAIL,
    password: readPassword(),
    webPort: await choosePort(),
    // Played payments, unless .env names somebody else.
    webEnv: process.env.PAYMENT_PROVIDER?.trim() ? { PAYMENT_PROVIDER: process.env.PAYMENT_PROVIDER } : {},
    onLine: (name, line) => console.log(`${name.padEnd(NAME_WIDTH)} │ ${line}`),
  });
  undo.push(() => stack.stop());
  await stack.startDaemon();
  console.log(
    [
      '',
      `Workbench: ${stack.webUrl}`,
      `Login:     ${stack.login.email}  ${stack.login.password}   (an administrator: see also ${stack.webUrl}/admin)`,
      `Sandbox:   ${stack.sandboxUrl}   (played payments: ${stack.sandboxUrl}/pay)`,
      'Running until Ctrl-C.',
      '',
    ].join('\n'),
  );
}

async function startPostgres(): Promise<string> {
  const server = await startEmbeddedPostgres({ name: 'dev', dataRoot: DATA });
  undo.push(() => server.stop());
  return server.url;
}

/** The password of the login, made once, so that a browser may remember it. */
function readPassword(): string {
  const file = path.join(DATA, 'dev-login.json');
  try {
    const known = (JSON.parse(readFileSync(file, 'utf8')) as { password?: unknown }).password;
    if (typeof known === 'string' && known !== '') return known;
  } catch {
    // Missing or damaged: the seed sets the password anew either way.
  }
  const password = randomBytes(9).toString('base64url');
  mkdirSync(DATA, { recursive: true });
  writeFileSync(file, `${JSON.stringify({ email: EMAIL, password }, null, 2)}\n`, { mode: 0o600 });
  return password;
}

/** PORT if it is set; else 3000 or the next free one. */
async function choosePort(): Promise<number> {
  const wanted = Number(process.env.PORT || 0);
  if (wanted > 0) {
    if (await isFree(wanted)) return wanted;
    throw new Error(`port ${wanted} is in use: end what listens there, or set another PORT.`);
  }
  for (let port = FIRST_PORT; port < FIRST_PORT + PORTS_TRIED; port += 1) {
    if (await isFree(port)) return port;
  }
  throw new Error(`the ports from ${FIRST_PORT} on are in use: set PORT to a free one.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** Our own errors say what to do; a process that ended early brings its last lines. */
function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
