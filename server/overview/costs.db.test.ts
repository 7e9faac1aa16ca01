import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { dispatches } from '#server/db/schema/index.ts';
import type { Deps } from '#server/deps.ts';
import type { CostTerms } from '#server/generation/cost/schemas.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createChannel, createModel, createTask, createUser } from '#server/testing/factories.ts';
import { createPaidOrder } from '#server/testing/order-factories.ts';
import { readCosts } from './read-costs.ts';

const DAY_MS = 86_400_000;
/** Noon, so that "an hour ago" is the same day. */
const NOW = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2);

let t: TestDatabase;
let deps: Pick<Deps, 'db' | 'clock'>;
let of: { modelId: string; channelId: string; userId: string };

beforeAll(async () => {
  t = await createTestDatabase();
  deps = { db: t.db, clock: { ...({} as Deps['clock']), now: () => NOW } };
  const user = await createUser(t.db, { balanceCredits: 1_000 });
  const channel = await createChannel(t.db);
  const model = await createModel(t.db, { channelId: channel.id, title: 'Painter' });
  of = { modelId: model.id, channelId: channel.id, userId: user.id };
});
afterAll(() => t.close());

const TERMS: CostTerms = {
  currency: 'USD',
  unit: 'output',
  micros: 40_000,
  failures: 'unknown',
  ordered: { outputs: 1, seconds: 1 },
};
type Dispatch = Partial<typeof dispatches.$inferInsert>;

const PRICED: Dispatch = { costTerms: TERMS, costCurrency: 'USD', costOrderedMicros: 40_000 };
const KNOWN: Dispatch = { ...PRICED, costMicros: 40_000, costFrom: 'terms' };

/** A task whose call was sent so many days ago, at noon. */
async function callOf(
  daysAgo: number,
  status: 'running' | 'uncertain' | 'succeeded' | 'failed',
  dispatch: Dispatch,
) {
  const at = new Date(NOW.getTime() - daysAgo * DAY_MS);
  const id = () => v7({ msecs: at.getTime() });
  await createTask(t.db, { id: id(), ...of, submittedAt: at, status, dispatch: { id: id(), ...dispatch } });
}

describe('costs by day', () => {
  it('adds up what is known, and counts apart what is possibly spent, under way or without a price', async () => {
    await callOf(1, 'succeeded', KNOWN);
    await callOf(1, 'succeeded', { ...KNOWN, costMicros: 60_000 });
    await callOf(1, 'succeeded', { ...KNOWN, costCurrency: 'EUR', costMicros: 7 });
    await callOf(0, 'uncertain', PRICED);
    await callOf(0, 'failed', PRICED);
    await callOf(0, 'failed', { ...PRICED, costOrderedMicros: null });
    await callOf(0, 'running', PRICED);
    await callOf(0, 'succeeded', {});
    // Upstream provably took none of these.
    await callOf(0, 'failed', { ...PRICED, outcome: 'rejected' });
    await callOf(0, 'failed', { ...PRICED, outcome: 'failed' });
    // Before the window.
    await callOf(9, 'succeeded', KNOWN);
    const view = await readCosts(deps, { days: 7 });
    expect(view.days).toHaveLength(7);
    const [yesterday, today] = view.days.slice(-2);
    const none = { possibleMicros: 0, possibleCalls: 0, unboundedCalls: 0, openCalls: 0 };
    expect(yesterday).toMatchObject({
      sums: [
        { currency: 'EUR', micros: 7, knownCalls: 1, ...none },
        { currency: 'USD', micros: 100_000, knownCalls: 2, ...none },
      ],
      unpricedCalls: 0,
    });
    expect(today).toMatchObject({
      sums: [
        {
          currency: 'USD',
          micros: 0,
          knownCalls: 0,
          possibleMicros: 80_000,
          possibleCalls: 3,
          unboundedCalls: 1,
          openCalls: 1,
        },
      ],
      unpricedCalls: 1,
    });
    expect(view.totals.sums.find(({ currency }) => currency === 'USD')).toMatchObject({
      micros: 100_000,
      knownCalls: 2,
      possibleCalls: 3,
    });
    expect(view.models).toMatchObject([{ title: 'Painter', unpricedCalls: 1, sums: view.totals.sums }]);
    // The four successes of the week, at four credits each.
    expect(view.models[0]?.chargedCredits).toBe(view.totals.chargedCredits);
    expect(view.totals.chargedCredits).toBe(16);
  });

  it('tells what people paid for credits, by currency', async () => {
    await createPaidOrder(t.db, { userId: of.userId });
    await createPaidOrder(t.db, { userId: of.userId, amountMinor: 500 });
    await createPaidOrder(t.db, { userId: of.userId, currency: 'JPY', amountMinor: 300, paidDaysAgo: 5 });
    await createPaidOrder(t.db, { userId: of.userId, currency: 'KWD', paidDaysAgo: 120 });
    const view = await readCosts(deps, { days: 30 });
    expect(view.paid).toEqual([
      { currency: 'EUR', amountMinor: 1_500, credits: 200 },
      { currency: 'JPY', amountMinor: 300, credits: 100 },
    ]);
    expect(view.days).toHaveLength(30);
  });
});
