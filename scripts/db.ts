import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { migrateDatabase } from '#server/db/migrate.ts';
import { startEmbeddedPostgres } from './lib/embedded-postgres.ts';
import { loadEnvFile } from './lib/load-env-file.ts';

/**
 * `npm run db:generate | db:migrate | db:check | db:studio`. Further arguments go to drizzle-kit
 * (`npm run db:generate -- --custom --name guards`). Without DATABASE_URL, migrate and studio use the embedded server of
 * `npm run dev`.
 */

const SCHEMA = './server/db/schema/index.ts';

/** Runs drizzle-kit with our terminal; its exit code. Signals are left to it: they reach the whole group. */
async function runDrizzleKit(args: string[], env: NodeJS.ProcessEnv = process.env): Promise<number> {
  const kit = path.join(path.dirname(createRequire(import.meta.url).resolve('drizzle-kit')), 'bin.cjs');
  const child = spawn(process.execPath, [kit, ...args], { stdio: 'inherit', env });
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  const ignore = () => {};
  process.on('SIGTERM', forward);
  process.on('SIGINT', ignore);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) =>
        resolve(code ?? 128 + (signal ? os.constants.signals[signal] : 1)),
      );
    });
  } finally {
    process.off('SIGTERM', forward);
    process.off('SIGINT', ignore);
  }
}

/** The address for schema work, of the embedded server when none is set. */
async function openDatabase(): Promise<{ url: string; stop(): Promise<void> }> {
  const { DATABASE_DIRECT_URL: direct, DATABASE_URL: url, DATABASE_POOLED: pooled } = process.env;
  if (direct) return { url: direct, stop: async () => {} };
  if (url && (pooled === '1' || pooled === 'true')) {
    throw new Error(
      'DATABASE_URL leads to a pooler, and migrations need a session: set DATABASE_DIRECT_URL.',
    );
  }
  if (url) return { url, stop: async () => {} };
  return startEmbeddedPostgres({ name: 'dev' });
}

async function migrate(): Promise<number> {
  const database = await openDatabase();
  try {
    const applied = await migrateDatabase({
      url: database.url,
      onWait: () => console.log('Waiting: another process is migrating this database.'),
    });
    console.log(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database is up to date.');
    return 0;
  } finally {
    await database.stop();
  }
}

async function studio(args: string[]): Promise<number> {
  const database = await openDatabase();
  try {
    return await runDrizzleKit(['studio', ...args], { ...process.env, DATABASE_URL: database.url });
  } finally {
    await database.stop();
  }
}

/** drizzle-kit's own check, then proof that the schema has no change without a migration. */
async function check(args: string[]): Promise<number> {
  const code = await runDrizzleKit(['check', ...args]);
  if (code !== 0) return code;
  const copy = mkdtempSync(path.join(os.tmpdir(), 'sidelane-drizzle-'));
  try {
    cpSync('drizzle', copy, { recursive: true });
    const count = readdirSync(copy).length;
    const out = path.relative(process.cwd(), copy);
    const generated = await runDrizzleKit([
      'generate',
      '--dialect=postgresql',
      `--schema=${SCHEMA}`,
      `--out=${out}`,
    ]);
    if (generated !== 0) return generated;
    if (readdirSync(copy).length === count) return 0;
    console.error(
      'The schema has changes without a migration: run npm run db:generate -- --name <what-changes>.',
    );
    return 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const [command, ...args] = process.argv.slice(2);
loadEnvFile();
try {
  switch (command) {
    case 'generate':
      process.exitCode = await runDrizzleKit(['generate', ...args]);
      break;
    case 'migrate':
      process.exitCode = await migrate();
      break;
    case 'check':
      process.exitCode = await check(args);
      break;
    case 'studio':
      process.exitCode = await studio(args);
      break;
    default:
      console.error('Use: npm run db:generate, db:migrate, db:check or db:studio.');
      process.exitCode = 2;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
