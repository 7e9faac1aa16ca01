import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordAudit } from '#server/audit/record-audit.ts';
import type { Db } from '#server/db/client.ts';
import * as schema from '#server/db/schema/index.ts';
import type { Deps } from '#server/deps.ts';
import { newId } from '#server/lib/ids.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createChannel, createModel, createTask, createUser } from '#server/testing/factories.ts';
import { createPaidOrder } from '#server/testing/order-factories.ts';
import { countChannelHours, countChannelLoad } from './channel-queries.ts';
import { sumChargedByModel, sumCosts } from './cost-queries.ts';
import { countFailures, countLeases, countTasks, measureModels, readNow, sumCharged } from './queries.ts';
import { readChannelDetail, readChannelNumbers } from './read-channel-numbers.ts';
import { readOverview } from './read-overview.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** In the middle of an hour, so that "ten minutes ago" is the same hour. */
const NOW = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS / 2);
const ago = (ms: number) => new Date(NOW.getTime() - ms);
const idAt = (at: Date) => v7({ msecs: at.getTime() });

let t: TestDatabase;
let deps: Pick<Deps, 'db' | 'clock' | 'logger'>;

beforeAll(async () => {
  t = await createTestDatabase();
  const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
  deps = { db: t.db, clock: { ...({} as Deps['clock']), now: () => NOW }, logger: silent };
});
afterAll(() => t.close());

/** A task submitted so long ago that took so many seconds, if it has ended. */
async function taskAt(
  msAgo: number,
  { seconds = 10, ...columns }: Parameters<typeof createTask>[1] & { seconds?: number },
) {
  const submittedAt = ago(msAgo);
  const ended = ['succeeded', 'failed', 'cancelled'].includes(columns.status ?? 'queued');
  return createTask(t.db, {
    id: idAt(submittedAt),
    submittedAt,
    ...(ended ? { finishedAt: new Date(submittedAt.getTime() + seconds * 1_000) } : {}),
    ...columns,
  });
}

describe('the overview', () => {
  it('counts what was submitted in the window, by what became of it, and what waits', async () => {
    const [ada, ben] = [await createUser(t.db), await createUser(t.db)];
    const channel = await createChannel(t.db);
    const model = await createModel(t.db, { channelId: channel.id, title: 'Painter' });
    const of = { modelId: model.id, channelId: channel.id, userId: ada.id };
    for (const seconds of [10, 20, 30]) await taskAt(10 * MINUTE_MS, { ...of, status: 'succeeded', seconds });
    await taskAt(3 * HOUR_MS, { ...of, userId: ben.id, status: 'failed', failureCode: 'rejected' });
    await taskAt(3 * HOUR_MS, { ...of, status: 'cancelled' });
    await taskAt(2 * MINUTE_MS, { ...of, nextPollAt: sql`now() - interval '90 seconds'` as never });
    // Before the window: counted nowhere.
    await taskAt(30 * HOUR_MS, { ...of, status: 'succeeded', seconds: 900 });
    await createPaidOrder(t.db, { userId: ben.id, credits: 250, paidAt: ago(10 * MINUTE_MS) });
    await createPaidOrder(t.db, { userId: ben.id, credits: 999, paidAt: ago(40 * HOUR_MS) });

    const view = await readOverview(deps, { window: '24h' });
    expect(view.bars).toHaveLength(24);
    expect(view.totals).toEqual({
      submitted: 6,
      succeeded: 3,
      failed: 1,
      cancelled: 1,
      people: 2,
      chargedCredits: 12,
      boughtCredits: 250,
    });
    expect(view.bars[23]).toMatchObject({
      submitted: 4,
      succeeded: 3,
      failed: 0,
      people: 1,
      boughtCredits: 250,
    });
    expect(view.bars[20]).toMatchObject({
      submitted: 2,
      failed: 1,
      cancelled: 1,
      people: 2,
      chargedCredits: 0,
    });
    expect(view.bars[20]?.from).toEqual(new Date(Math.floor(ago(3 * HOUR_MS).getTime() / HOUR_MS) * HOUR_MS));
    expect(view.models).toEqual([
      {
        modelId: model.id,
        title: 'Painter',
        kind: 'image',
        submitted: 6,
        succeeded: 3,
        failed: 1,
        p50Seconds: 20,
        p95Seconds: 29,
      },
    ]);
    expect(view.failures).toEqual([{ code: 'rejected', count: 1 }]);
    expect(view.now).toMatchObject({
      live: { queued: 1 },
      due: 1,
      refunds: { pending: 1, manual: 0 },
      paymentRefunds: { pending: 0, manual: 0 },
      paymentMismatches: 0,
    });
    expect(view.now.oldestDueSeconds).toBeGreaterThanOrEqual(90);

    // A month has the old one, too; five minutes ago nothing had been submitted.
    expect((await readOverview(deps, { window: '30d' })).totals).toMatchObject({
      submitted: 7,
      boughtCredits: 1_249,
    });
    expect((await readOverview(deps, { window: '1h' })).totals.submitted).toBe(4);
  });

  it('tells the last audit of the books, which somebody who looked before has started', async () => {
    let { ledger } = await readOverview(deps, { window: '24h' });
    while (ledger === null) ledger = (await readOverview(deps, { window: '24h' })).ledger;
    expect(ledger.mismatches).toBe(0);
    expect(ledger.ageSeconds).toBeGreaterThan(0);
  });
});

describe('channels', () => {
  it('have their load, their last 24 hours, what went wrong and who paused them', async () => {
    const admin = await createUser(t.db, { role: 'admin' });
    const channel = await createChannel(t.db);
    const model = await createModel(t.db, { channelId: channel.id });
    const of = { modelId: model.id, channelId: channel.id };
    const called = (msAgo: number) => ({ id: idAt(ago(msAgo)), createdAt: ago(msAgo) });
    await taskAt(HOUR_MS, { ...of, status: 'succeeded', dispatch: called(HOUR_MS) });
    await taskAt(HOUR_MS, { ...of, status: 'failed', dispatch: called(HOUR_MS) });
    await taskAt(MINUTE_MS, { ...of, status: 'running', dispatch: called(MINUTE_MS) });
    await taskAt(MINUTE_MS, {
      ...of,
      dispatch: {
        ...called(MINUTE_MS),
        phase: 'sent',
        sentAt: ago(0),
        outcome: 'rate_limited',
        outcomeAt: ago(0),
        errorCode: '429',
        errorMessage: 'Slow down',
      },
    });
    await taskAt(25 * HOUR_MS, { ...of, status: 'succeeded', dispatch: called(25 * HOUR_MS) });
    for (const [action, reason] of [
      ['channel.pause', 'Their maintenance'],
      ['channel.update', undefined],
    ] as const) {
      await recordAudit(t.db, { actorId: admin.id, action, subjectId: channel.id, reason });
    }

    const numbers = (await readChannelNumbers(deps)).find(({ channelId }) => channelId === channel.id);
    expect(numbers).toMatchObject({ inFlight: 1, queued: 1 });
    expect(numbers?.hours).toHaveLength(24);
    expect(numbers?.hours[22]).toMatchObject({ succeeded: 1, failed: 1, putOff: 0, other: 0 });
    expect(numbers?.hours[23]).toMatchObject({ succeeded: 0, failed: 0, putOff: 1, other: 1 });
    const counted = numbers?.hours.reduce(
      (sum, hour) => sum + hour.succeeded + hour.failed + hour.putOff + hour.other,
      0,
    );
    expect(counted).toBe(4);
    expect(numbers?.lastDeed).toMatchObject({
      action: 'channel.pause',
      by: admin.email,
      reason: 'Their maintenance',
    });
    const detail = await readChannelDetail(deps, { channelId: channel.id });
    expect(detail.errors).toMatchObject([{ outcome: 'rate_limited', code: '429', message: 'Slow down' }]);
    expect(detail.deeds.map(({ action }) => action)).toEqual(['channel.update', 'channel.pause']);
  });
});

it('takes the same number of statements, however many channels and models there are', async () => {
  const count = async () => {
    const statements: string[] = [];
    const logger = { logQuery: (statement: string) => void statements.push(statement) };
    const counted = { ...deps, db: drizzle(t.sql, { schema, logger }) as unknown as Db };
    await readChannelNumbers(counted);
    await readOverview(counted, { window: '7d' });
    // The audit of the books goes on in the background.
    return statements.filter((statement) =>
      /provider_channels|dispatches|failure_code|percentile/.test(statement),
    ).length;
  };
  const before = await count();
  expect(before).toBeGreaterThan(4);
  for (let number = 0; number < 6; number += 1) await taskAt(MINUTE_MS, { status: 'succeeded' });
  expect(await count()).toBe(before);
});

it('reads no table of ended work from end to end, however long the history', async () => {
  const user = await createUser(t.db, { balanceCredits: 100 });
  const model = await createModel(t.db);
  const { id: userId } = user;
  const oldest = ago(90 * 24 * HOUR_MS).getTime();
  // Ended weeks ago: rows of a task, its hold and its dispatch each, with ids of their time.
  await t.db.transaction(async (tx) => {
    const old = sql`(select n, (lpad(to_hex(${oldest}::bigint + n * 60000), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid as id,
      to_timestamp((${oldest}::bigint + n * 60000) / 1000.0) as at from generate_series(1, 10000) n) old`;
    await tx.execute(sql`insert into generation_tasks (id, user_id, kind, status, channel_id, model_id, has_outputs, give_up_at, submitted_at, finished_at)
      select id, ${userId}, 'image', 'succeeded', ${model.channelId}, ${model.id}, true, at, at, at + interval '9 seconds' from ${old}`);
    await tx.execute(sql`insert into credit_holds (task_id, user_id, amount_credits, captured_credits, status, closed_at)
      select id, ${userId}, 1, 1, 'captured', at from ${old}`);
    await tx.execute(sql`insert into dispatches (id, task_id, number, phase, channel_id, executor_id, claim_token, created_at, sent_at, outcome, outcome_at, upstream_id)
      select id, id, 1, 'sent', ${model.channelId}, ${newId()}, 1, at, at, 'accepted', at, id::text from ${old}`);
  });
  await t.sql`analyze generation_tasks`;
  await t.sql`analyze credit_holds`;
  await t.sql`analyze dispatches`;

  const plans: string[] = [];
  const explaining = {
    async execute(query: Parameters<Db['execute']>[0]) {
      const rows = await t.db.execute(sql`explain (format json) ${query as ReturnType<typeof sql>}`);
      plans.push(JSON.stringify(rows));
      return [];
    },
  } as unknown as Db;
  const from = ago(24 * HOUR_MS);
  const span = { from, barMs: HOUR_MS };
  await countTasks(explaining, span);
  await sumCharged(explaining, span);
  await measureModels(explaining, from, 100);
  await countFailures(explaining, from, 12);
  await readNow(explaining, 10_000);
  await countLeases(explaining, 50);
  await countChannelLoad(explaining);
  await countChannelHours(explaining, from);
  await sumCosts(explaining, span);
  await sumChargedByModel(explaining, from);

  expect(plans).toHaveLength(10);
  for (const plan of plans) {
    for (const table of ['generation_tasks', 'credit_holds', 'dispatches']) {
      expect(scansOf(JSON.parse(plan), table)).not.toContain('Seq Scan');
    }
  }
});

/** How a plan reads a table, wherever in its tree. */
function scansOf(plan: unknown, table: string): string[] {
  if (Array.isArray(plan)) return plan.flatMap((part) => scansOf(part, table));
  if (typeof plan !== 'object' || plan === null) return [];
  const node = plan as Record<string, unknown>;
  const own = node['Relation Name'] === table ? [String(node['Node Type'])] : [];
  return [...own, ...Object.values(node).flatMap((part) => scansOf(part, table))];
}
