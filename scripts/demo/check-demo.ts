import { createHash } from 'node:crypto';
import { connectControl } from '#scripts/sandbox/control-client.ts';
import { auditLedger } from '#server/billing/audit.ts';
import type { Db } from '#server/db/client.ts';
import { createClient } from '#server/trpc/client.ts';
import type { LocalStack } from '../lib/local-stack.ts';
import type { Purchase } from './buy-pack.ts';
import { type CompositeReport, checkComposites } from './check-composites.ts';
import type { CompositeIds } from './order-composites.ts';
import {
  readChildren,
  readDispatchIds,
  readEnds,
  readOutputs,
  readPaidOrders,
  readProgress,
} from './queries.ts';

export type DemoReport = {
  submitted: number;
  succeeded: number;
  failed: number;
  refunded: number;
  maxCreatesPerTask: number;
  ledgerBalanced: boolean;
  filesVerified: number;
  /** Wire formats in which upstream took the tasks. */
  protocols: string[];
  /** Tasks whose end upstream reported by a signed webhook. */
  webhooksVerified: number;
  /** Orders that the payment vendor reported as paid, each three times, and that were credited once. */
  ordersPaid: number;
} & CompositeReport;

const START_CREDITS = 1_000;

/**
 * Checks what the demo claims from the outside: creates and wire formats as upstream saw them, files as the web process
 * serves them, money as the ledger has it, and that nothing but the daemon's knocks and upstream's webhooks ended the tasks.
 *
 * @throws Error when a task was ended by anybody else
 */
export async function checkDemo(input: {
  db: Db;
  stack: LocalStack;
  taskIds: readonly string[];
  composites: CompositeIds;
  workerId: string;
  purchase: Purchase;
}): Promise<DemoReport> {
  const { db, stack, taskIds, workerId, purchase } = input;
  const composites = Object.values(input.composites);
  const children = await readChildren(db, composites);
  const sent = [...taskIds, ...children.map(({ id }) => id)];
  const all = [...sent, ...composites];
  const ends = await readEnds(db, all);
  const strangers = ends.filter(
    ({ finisher, reported }) => finisher !== workerId && !(finisher === null && reported),
  );
  if (ends.length !== all.length || strangers.length > 0) {
    throw new Error(
      `Not every task was ended by the daemon ${workerId} or a webhook: ${JSON.stringify(ends)}`,
    );
  }
  const rows = await readProgress(db, taskIds);
  const ownRows = [...rows, ...(await readProgress(db, composites))];
  const client = createClient({ url: stack.webUrl, token: stack.login.apiToken });
  const balance = await client.billing.balance.query();
  const spent =
    ownRows.reduce((sum, row) => sum + row.charged, 0) +
    children.reduce((sum, child) => sum + child.chargedToBalance, 0);
  const seen = await readUpstream({ db, stack, taskIds: sent });
  const filesOfComposites = await verifyFiles({
    db,
    stack,
    taskIds: all.filter((id) => !taskIds.includes(id)),
  });
  if (!filesOfComposites.complete)
    throw new Error('A file of the agent or of the drama is not what was stored.');
  const expected = START_CREDITS + purchase.credits - spent;
  const books = (await auditLedger(db)).length === 0 && balance.balanceCredits === expected;
  return {
    submitted: rows.length,
    succeeded: rows.filter((row) => row.status === 'succeeded').length,
    failed: rows.filter((row) => row.status === 'failed').length,
    refunded: rows.filter((row) => row.money === 'refunded').length,
    maxCreatesPerTask: seen.maxCreatesPerTask,
    ledgerBalanced: books && balance.heldCredits === 0,
    filesVerified: (await verifyFiles(input)).verified,
    protocols: seen.protocols,
    webhooksVerified: ends.filter(({ verified }) => verified).length,
    ordersPaid: await countPaid(input),
    ...(await checkComposites(stack, input.composites)),
  };
}

/** By the vendor's books and by ours: one payment, three reports of it that we took, one credit. */
async function countPaid({ db, stack, purchase }: { db: Db; stack: LocalStack; purchase: Purchase }) {
  const { orderId } = purchase;
  const { payments, deliveries } = await connectControl(stack.sandboxUrl).payments({ orderId });
  const taken = deliveries.filter(({ delivered }) => delivered);
  if (payments.length !== 1 || taken.length !== 3) return 0;
  return (await readPaidOrders(db, [orderId])).length;
}

/** The most creates that upstream received for one task, and the formats in which they came. */
async function readUpstream({
  db,
  stack,
  taskIds,
}: {
  db: Db;
  stack: LocalStack;
  taskIds: readonly string[];
}): Promise<Pick<DemoReport, 'maxCreatesPerTask' | 'protocols'>> {
  const control = connectControl(stack.sandboxUrl);
  const protocols = new Set<string>();
  let maxCreatesPerTask = 0;
  for (const taskId of taskIds) {
    let received = 0;
    for (const clientRef of await readDispatchIds(db, taskId)) {
      received += (await control.createsOf(clientRef)).received;
      for (const job of await control.jobs({ clientRef })) protocols.add(job.format);
    }
    maxCreatesPerTask = Math.max(maxCreatesPerTask, received);
  }
  return { maxCreatesPerTask, protocols: [...protocols].sort() };
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
}): Promise<{ verified: number; complete: boolean }> {
  let verified = 0;
  const outputs = await readOutputs(db, taskIds);
  for (const output of outputs) {
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
  return { verified, complete: outputs.length > 0 && verified === outputs.length };
}
