import { createHash } from 'node:crypto';
import { connectControl } from '#scripts/sandbox/control-client.ts';
import { auditLedger } from '#server/billing/audit.ts';
import type { Db } from '#server/db/client.ts';
import { createClient } from '#server/trpc/client.ts';
import type { LocalStack } from '../lib/local-stack.ts';
import { readDispatchIds, readFinishers, readOutputs, readProgress } from './queries.ts';

export type DemoReport = {
  submitted: number;
  succeeded: number;
  failed: number;
  refunded: number;
  maxCreatesPerTask: number;
  ledgerBalanced: boolean;
  filesVerified: number;
};

/**
 * Checks what the demo claims from the outside: creates as upstream counted them, files as the web process serves
 * them, money as the ledger has it, and that the daemon's knocks ended every task.
 *
 * @throws Error when a task was ended by anybody but the daemon
 */
export async function checkDemo(input: {
  db: Db;
  stack: LocalStack;
  taskIds: readonly string[];
  workerId: string;
}): Promise<DemoReport> {
  const { db, stack, taskIds, workerId } = input;
  const finishers = await readFinishers(db, taskIds);
  if (finishers.length !== taskIds.length || finishers.some((finisher) => finisher !== workerId)) {
    throw new Error(`Not every task was finished by the daemon ${workerId}: ${finishers.join(', ')}`);
  }
  const rows = await readProgress(db, taskIds);
  const client = createClient({ url: stack.webUrl, token: stack.login.apiToken });
  const balance = await client.billing.balance.query();
  const spent = rows.reduce((sum, row) => sum + row.charged, 0);
  const books = (await auditLedger(db)).length === 0 && balance.balanceCredits === 1_000 - spent;
  return {
    submitted: rows.length,
    succeeded: rows.filter((row) => row.status === 'succeeded').length,
    failed: rows.filter((row) => row.status === 'failed').length,
    refunded: rows.filter((row) => row.money === 'refunded').length,
    maxCreatesPerTask: await countCreates(input),
    ledgerBalanced: books && balance.heldCredits === 0,
    filesVerified: await verifyFiles(input),
  };
}

async function countCreates({
  db,
  stack,
  taskIds,
}: {
  db: Db;
  stack: LocalStack;
  taskIds: readonly string[];
}): Promise<number> {
  const control = connectControl(stack.sandboxUrl);
  let most = 0;
  for (const taskId of taskIds) {
    const counts = await Promise.all((await readDispatchIds(db, taskId)).map((id) => control.createsOf(id)));
    most = Math.max(
      most,
      counts.reduce((sum, count) => sum + count.received, 0),
    );
  }
  return most;
}

/** Downloads every output over HTTP and compares bytes, checksum and type with what was recorded. */
async function verifyFiles({
  db,
  stack,
  taskIds,
}: {
  db: Db;
  stack: LocalStack;
  taskIds: readonly string[];
}): Promise<number> {
  let verified = 0;
  for (const output of await readOutputs(db, taskIds)) {
    const response = await fetch(`${stack.webUrl}/files/outputs/${output.id}`, {
      headers: { authorization: `Bearer ${stack.login.apiToken}` },
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const same =
      response.status === 200 &&
      bytes.length === output.bytes &&
      bytes.length > 0 &&
      createHash('sha256').update(bytes).digest('hex') === output.sha256 &&
      (response.headers.get('content-type') ?? '').startsWith(output.mime);
    if (same) verified += 1;
  }
  return verified;
}
