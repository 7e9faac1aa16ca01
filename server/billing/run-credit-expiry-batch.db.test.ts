import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { systemClock } from '#server/lib/clock.ts';
import { newId } from '#server/lib/ids.ts';
import type { Logger } from '#server/lib/logger.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createUser } from '#server/testing/factories.ts';
import { auditLedger } from './audit.ts';
import { grantCredits } from './ledger.ts';
import { readCredits } from './read-credits.ts';
import { runCreditExpiryBatch } from './run-credit-expiry-batch.ts';

let t: TestDatabase;
const errors: string[] = [];
const quiet = () => {};
const logger: Logger = {
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: (_fields: object, message: string) => void errors.push(message),
  child: () => logger,
};
beforeAll(async () => {
  t = await createTestDatabase({ max: 12 });
});
afterAll(() => t.close());
beforeEach(() => {
  errors.length = 0;
});

const sweep = (limit = 50) => runCreditExpiryBatch({ db: t.db, logger, clock: systemClock }, { limit });

/** A user with 30 credits that have expired and 5 that never will. */
async function person(): Promise<string> {
  const { id: userId } = await createUser(t.db, { balanceCredits: 0 });
  await t.db.transaction(async (tx) => {
    const grant = { userId, actor: 'test', reason: 'Test data' };
    await grantCredits(tx, {
      ...grant,
      credits: 30,
      key: newId(),
      bucket: { kind: 'granted', validDays: 1 },
    });
    await grantCredits(tx, { ...grant, credits: 5, key: newId() });
  });
  await t.sql`update credit_buckets set expires_at = now() - interval '1 second'
    where user_id = ${userId} and expires_at is not null`;
  return userId;
}
const expiredEntries = async (userId: string) =>
  (await t.sql`select delta_credits from credit_ledger where user_id = ${userId} and kind = 'expire'`).map(
    (row) => Number(row.delta_credits),
  );

it('five sweeps at once take expired credits of each user once, and leave what is alive', async () => {
  const users = await Promise.all(Array.from({ length: 6 }, person));
  await Promise.all(Array.from({ length: 5 }, () => sweep()));
  for (const userId of users) {
    expect(await expiredEntries(userId)).toEqual([-30]);
    expect((await readCredits({ db: t.db }, userId)).balanceCredits).toBe(5);
  }
  expect(await sweep()).toEqual({ expired: 0, nextDueAt: null });
  expect(await auditLedger(t.db)).toEqual([]);
});

it('a user whose books are damaged stops no other and does not make the lane spin', async () => {
  const broken = await person();
  const healthy = await person();
  await t.sql`update credit_accounts set balance_credits = 1 where user_id = ${broken}`;
  const swept = await sweep();
  expect(swept).toEqual({ expired: 1, nextDueAt: null });
  expect(await expiredEntries(healthy)).toEqual([-30]);
  expect(await expiredEntries(broken)).toEqual([]);
  expect(errors).toEqual(['Expired credits could not be taken out of a balance']);
  await t.sql`update credit_accounts set balance_credits = 35 where user_id = ${broken}`;
  expect(await sweep()).toMatchObject({ expired: 1 });
  expect(await auditLedger(t.db)).toEqual([]);
});

it('takes no more users than its limit and says that there is more', async () => {
  await person();
  await person();
  await person();
  const first = await sweep(2);
  expect(first.expired).toBe(2);
  expect(first.nextDueAt?.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
  expect(await sweep(2)).toEqual({ expired: 1, nextDueAt: null });
});
