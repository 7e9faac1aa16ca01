import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditLedger } from '#server/billing/audit.ts';
import { createRig, type Rig } from '#server/testing/rig.ts';
import { type Known, moneyCommands } from './money-commands.ts';
import { findFaults } from './money-invariants.ts';
import { createWorld, type Stage, setStage, type World } from './money-world.ts';

/**
 * Random histories of everything that moves money, alone and at once, on a real database. `npm run test:model` runs the
 * long one; MODEL_RUNS and MODEL_SEED choose another.
 */

const RUNS = Number(process.env.MODEL_RUNS ?? 20);
/** From so many on each kind of movement has to be among them. */
const ENOUGH_RUNS = 100;
const SEED = Number(process.env.MODEL_SEED ?? 20_261_129);
const COMMANDS = 60;

const MUST_HAPPEN = [
  ...[
    'grant',
    'redeem',
    'purchase',
    'hold',
    'return',
    'refund',
    'expire',
    'clawback',
    'debt_payment',
    'reinstate',
  ],
  ...['debt', 'restored bucket', 'refund by admin', 'refund by automatic', 'refund by provider'],
  ...[
    'draw charged in full',
    'draw charged in part',
    'draw given back',
    'child refused',
    'child paid by balance',
  ],
  ...[
    'budget captured in part',
    'budget captured in full',
    'budget refunded',
    'budget of a drama',
    'early end',
  ],
];

/** How often each kind of movement happened in all histories. */
async function countMovements(): Promise<Record<string, number>> {
  const rows = await rig.t.sql<{ what: string; count: number }[]>`
    select kind as what, count(*)::int as count from credit_ledger group by 1
    union all select 'debt', count(*)::int from credit_debts having count(*) > 0
    union all select 'restored bucket', count(*)::int from credit_buckets where restored_from is not null having count(*) > 0
    union all select 'refund by ' || origin, count(*)::int from payment_refunds where status = 'settled' group by origin
    union all select 'account closed', count(*)::int from users where deleted_at is not null having count(*) > 0
    union all select case when status = 'refunded' then 'draw given back' when returned_credits > 0
        then 'draw charged in part' else 'draw charged in full' end, count(*)::int
      from credit_holds where source = 'parent' group by 1
    union all select case when status = 'refunded' then 'budget refunded' when returned_credits > 0
        then 'budget captured in part' else 'budget captured in full' end, count(*)::int
      from credit_holds where budget_free_credits is not null and amount_credits > 0 group by 1
    union all select 'budget of a drama', count(*)::int from credit_holds h join generation_tasks t on t.id = h.task_id
      where t.kind = 'drama' having count(*) > 0
    union all select 'child paid by balance', count(*)::int
      from credit_holds h join generation_tasks t on t.id = h.task_id
      where h.source = 'balance' and t.parent_id is not null having count(*) > 0`;
  const { refusedChildren, earlyEnds } = stage.counts;
  return {
    ...Object.fromEntries(rows.map((row) => [row.what, row.count])),
    ...(refusedChildren > 0 ? { 'child refused': refusedChildren } : {}),
    ...(earlyEnds > 0 ? { 'early end': earlyEnds } : {}),
  };
}

let rig: Rig;
let stage: Stage;
beforeAll(async () => {
  rig = await createRig();
  stage = await setStage(rig);
});
afterAll(() => rig.close());

async function check(world: World): Promise<void> {
  expect(await findFaults(rig.t, world.users)).toEqual([]);
}

/** Everything that was begun ends: tasks, refunds, reports on their way. */
async function comeToRest(world: World): Promise<void> {
  for (const [index] of world.tasks.entries()) await world.deliver(index, 2);
  for (const [index] of world.composites.entries())
    await world.endComposite(index, index % 2 === 0 ? 'succeeded' : 'failed');
  for (let round = 0; round < 12; round += 1) {
    await world.refundLane();
    await world.tell();
    await world.sweep();
    await world.inviteLane();
    if ((await listOpen(world)).length === 0) break;
  }
  await check(world);
}

/** What has not ended. A disputed payment's refund waits for the end of the dispute, others at most for people. */
async function listOpen(world: World): Promise<{ what: string; id: string }[]> {
  return rig.t.sql<{ what: string; id: string }[]>`
    select 'hold' as what, task_id as id from credit_holds where status in ('held', 'refunding') and user_id = any(${world.users})
    union all select 'task', id from generation_tasks where finished_at is null and user_id = any(${world.users})
    union all select 'refund', id from credit_refunds where status <> 'settled' and user_id = any(${world.users})
    union all select 'payment refund', id from payment_refunds where status = 'pending' and user_id = any(${world.users})
      and not exists (select 1 from orders o where o.id = order_id and o.dispute = 'open')`;
}

async function checkTheEnd(world: World): Promise<void> {
  const { sql } = rig.t;
  expect(await listOpen(world)).toEqual([]);

  // Money as the vendor has it: nothing went back twice, and what we call settled is what went back, unless an
  // administrator was told that something does not fit.
  for (const payment of world.vendor.payments.values()) {
    const back = [...payment.refunds.values()].reduce((sum, part) => sum + part, 0);
    expect(back).toBeLessThanOrEqual(payment.amountMinor);
    const [row] = await sql<{ settled: string; told: boolean }[]>`
      select (select coalesce(sum(amount_minor), 0) from payment_refunds
          where payment_id = ${payment.paymentId} and status = 'settled') as settled,
        exists (select 1 from payment_events
          where payment_id = ${payment.paymentId} and outcome = 'mismatch') as told`;
    if (!row?.told) expect(Number(row?.settled), payment.paymentId).toBe(back);
  }
}

it(`${RUNS} random histories: at every step Σ ledger = balance ≥ 0 and each task is settled once (I3, I4)`, {
  timeout: 0,
}, async () => {
  let commands = 0;
  const counted = async (world: World) => {
    commands += 1;
    await check(world);
  };
  const property = fc.asyncProperty(
    moneyCommands(counted, COMMANDS),
    fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
    async (history, faults) => {
      const setup = async () => ({
        model: { tasks: 1, orders: 1, composites: 1 } satisfies Known,
        real: await createWorld(stage, () => faults.next().value),
      });
      let world: World | undefined;
      await fc.asyncModelRun(async () => {
        const { model, real } = await setup();
        world = real;
        return { model, real };
      }, history);
      if (!world) throw new Error('The history has no world');
      await comeToRest(world);
      await checkTheEnd(world);
    },
  );
  await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: RUNS > 100 });
  expect(await auditLedger(rig.db)).toEqual([]);
  const seen = await countMovements();
  console.info(
    `Model: ${RUNS} histories, ${commands} commands, seed ${SEED}: no fault. ${JSON.stringify(seen)}`,
  );
  // Histories in which something never happens prove nothing about it.
  if (RUNS >= ENOUGH_RUNS) for (const what of MUST_HAPPEN) expect(seen, what).toHaveProperty([what]);
});
