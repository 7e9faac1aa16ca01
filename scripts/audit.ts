import { parseArgs } from 'node:util';
import { auditLedger } from '#server/billing/audit.ts';
import { openDb } from '#server/db/client.ts';
import { databaseFault } from '#server/lib/database-fault.ts';
import { describeError } from '#server/lib/describe-error.ts';
import { startEmbeddedPostgres } from './lib/embedded-postgres.ts';
import { loadEnvFile } from './lib/load-env-file.ts';

const USAGE = `Recomputes every balance, bucket, hold, budget, refund, debt, order, code and reward from the ledger and prints what
does not agree, one per line.

  npm run audit

Exit code 0: the books are right; 1: they are not, or they could not be read.
Without DATABASE_URL the embedded development database is used.`;

/** A large ledger takes its time; nothing waits for this statement. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000;

/** @returns whether the books are right */
async function audit(): Promise<boolean> {
  const url = process.env.DATABASE_URL?.trim();
  if (!url) console.log('DATABASE_URL is not set: looking at the embedded development database.');
  const embedded = url ? undefined : await startEmbeddedPostgres({ name: 'dev' });
  const { db, close } = openDb({
    url: url ?? embedded?.url ?? '',
    max: 1,
    pooled: ['1', 'true'].includes(process.env.DATABASE_POOLED ?? ''),
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    applicationName: 'sidelane-audit',
  });
  try {
    const mismatches = await auditLedger(db);
    for (const { check, id, detail } of mismatches) console.log(`${check}: ${id}: ${detail}`);
    if (mismatches.length === 0) console.log('The books are right.');
    return mismatches.length === 0;
  } finally {
    await close();
    await embedded?.stop();
  }
}

function explain(error: unknown): string {
  const fault = databaseFault(error);
  if (fault?.message.includes('not migrated')) return 'The database is not migrated. Run: npm run db:migrate';
  if (fault) return 'The database does not answer. Start it, or check DATABASE_URL.';
  return `The books could not be read: ${describeError(error).message}`;
}

try {
  if (parseArgs({ options: { help: { type: 'boolean', short: 'h' } } }).values.help) console.log(USAGE);
  else {
    loadEnvFile();
    if (!(await audit())) process.exitCode = 1;
  }
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
