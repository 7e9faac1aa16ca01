import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp } from '#server/http/test-app.ts';
import { cookieOf, procedureCaller } from '#server/http/test-client.ts';
import { newId } from '#server/lib/ids.ts';
import type { RateLimits } from '#server/lib/rate-limit.ts';
import { setCrashHandler } from '#server/testing/crash-points.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createUser } from '#server/testing/factories.ts';
import { auditLedger } from '../audit.ts';
import { clawBack } from '../ledger.ts';
import { createBatch, revokeBatch } from './manage-batches.ts';
import { readBatch, readBatches, readCodes } from './read-batches.ts';
import { redeemCode } from './redeem-code.ts';
import { batchesInput, type CreateBatchInput, type Redeemed } from './schemas.ts';

let t: TestDatabase;
let adminId: string;
const deps = () => ({ db: t.db, newId });

beforeAll(async () => {
  t = await createTestDatabase({ max: 24 });
  adminId = (await createUser(t.db, { role: 'admin' })).id;
});
afterEach(() => setCrashHandler(undefined));
afterAll(async () => {
  expect(await auditLedger(t.db)).toEqual([]);
  await t.close();
});

const terms = (overrides: Partial<CreateBatchInput> = {}): CreateBatchInput => ({
  title: 'Spring',
  credits: 40,
  codeCount: 1,
  expiresAt: null,
  validDays: null,
  oncePerUser: false,
  key: newId(),
  ...overrides,
});

/** A batch and its codes, with dashes. */
async function batch(overrides: Partial<CreateBatchInput> = {}) {
  const { batchId } = await createBatch(deps(), { ...terms(overrides), adminId });
  const { items } = await readCodes(deps(), { batchId, limit: 1_000 });
  return { batchId, codes: items.map((item) => item.code), code: items[0]?.code ?? '' };
}

const newcomer = async () => (await createUser(t.db, { balanceCredits: 0 })).id;
const redeem = (userId: string, code: string, limits?: RateLimits): Promise<Redeemed> =>
  redeemCode(deps(), { userId, code, limits });
const balanceOf = async (userId: string) =>
  Number(
    (await t.sql`select balance_credits from credit_accounts where user_id = ${userId}`)[0]?.balance_credits,
  );
const entriesOf = async (userId: string) => [
  ...(await t.sql`select kind, delta_credits::int as delta, key from credit_ledger where user_id = ${userId} order by id`),
];

/** A copy of a code as somebody who reads it aloud would type it. */
const mistyped = (code: string) =>
  ` ${code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')} `;

describe('redeeming', () => {
  it('gives the credits once, as a promotional bucket that lives as long as the batch says', async () => {
    const { code, batchId } = await batch({ credits: 40, validDays: 30 });
    const userId = await newcomer();
    const redeemed = await redeem(userId, code);
    expect(redeemed).toMatchObject({ credits: 40, title: 'Spring', paidDebtCredits: 0, repeated: false });
    const days = ((redeemed.expiresAt?.getTime() ?? 0) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThan(30.1);
    const [row] = await t.sql`select id from redeem_codes where batch_id = ${batchId}`;
    expect(await entriesOf(userId)).toEqual([{ kind: 'redeem', delta: 40, key: `redeem:code:${row?.id}` }]);
    const [bucket] =
      await t.sql`select kind, remaining_credits::int as rest, expires_at from credit_buckets where user_id = ${userId}`;
    expect(bucket).toMatchObject({ kind: 'promotional', rest: 40 });
    expect(new Date(String(bucket?.expires_at))).toEqual(redeemed.expiresAt);
  });

  it('takes a code however it is typed', async () => {
    const { codes } = await batch({ codeCount: 30 });
    for (const code of codes) {
      expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
      expect(await redeem(await newcomer(), mistyped(code))).toMatchObject({ credits: 40, repeated: false });
    }
  });

  it('B48 twenty people who redeem one code at once: one gets it, nineteen are told that it is used', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { code } = await batch();
      const people = await Promise.all(Array.from({ length: 20 }, newcomer));
      const results = await Promise.allSettled(people.map((userId) => redeem(userId, code)));
      const refused = results.filter((result) => result.status === 'rejected');
      expect(refused).toHaveLength(19);
      for (const { reason } of refused) {
        expect(reason).toMatchObject({
          code: 'conflict',
          field: 'code',
          message: 'This code was used by somebody else. Each code works once.',
        });
      }
      const balances = await Promise.all(people.map(balanceOf));
      expect(balances.toSorted()).toEqual([...Array(19).fill(0), 40]);
    }
  });

  it('one person who sends a code ten times at once gets it once and is told the same each time', async () => {
    for (const oncePerUser of [false, true]) {
      const { code } = await batch({ oncePerUser, validDays: 7 });
      const userId = await newcomer();
      const answers = await Promise.all(Array.from({ length: 10 }, () => redeem(userId, code)));
      expect(answers.filter((answer) => !answer.repeated)).toHaveLength(1);
      const [first] = answers;
      for (const answer of answers)
        expect({ ...answer, repeated: false }).toEqual({ ...first, repeated: false });
      expect(await balanceOf(userId)).toBe(40);
    }
  });

  it('tells whoever asks again what they got, though the batch was revoked and has expired since', async () => {
    const { code, batchId } = await batch();
    const userId = await newcomer();
    await redeem(userId, code);
    await revokeBatch(deps(), { batchId, adminId, reason: 'Leaked' });
    await t.sql`update redeem_batches set expires_at = now() - interval '1 day' where id = ${batchId}`;
    expect(await redeem(userId, code)).toMatchObject({ credits: 40, repeated: true });
    expect(await balanceOf(userId)).toBe(40);
  });

  it('gives one code of a batch to each person where the batch says so, also when two are sent at once', async () => {
    const { codes } = await batch({ codeCount: 6, oncePerUser: true });
    const userId = await newcomer();
    const results = await Promise.allSettled(codes.map((code) => redeem(userId, code)));
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(5);
    for (const { reason } of refused) {
      expect(reason).toMatchObject({
        code: 'conflict',
        message: 'You have redeemed a code of this batch already. It gives one to each person.',
      });
    }
    expect(await balanceOf(userId)).toBe(40);
    const open = await t.sql`select 1 from redeem_codes c join redeem_batches b on b.id = c.batch_id
      where b.once_per_user and c.code = any(${codes.map((code) => code.replaceAll('-', ''))}) and c.redeemed_by is null`;
    expect(open).toHaveLength(5);
    expect(
      await redeem(await newcomer(), codes[results.findIndex((one) => one.status === 'rejected')] ?? ''),
    ).toMatchObject({
      credits: 40,
    });
  });

  it('gives any number of codes of another batch', async () => {
    const { codes } = await batch({ codeCount: 3 });
    const userId = await newcomer();
    await Promise.all(codes.map((code) => redeem(userId, code)));
    expect(await balanceOf(userId)).toBe(120);
  });

  it('pays debts first and says how much went there', async () => {
    const userId = await newcomer();
    await t.db.transaction((tx) =>
      clawBack(tx, { userId, credits: 25, key: newId(), actor: 'cli', reason: 'Chargeback' }),
    );
    const { code } = await batch({ credits: 40 });
    expect(await redeem(userId, code)).toMatchObject({ credits: 40, paidDebtCredits: 25 });
    expect(await balanceOf(userId)).toBe(15);
    expect(await redeem(userId, code)).toMatchObject({ paidDebtCredits: 25, repeated: true });
  });

  it('says in one sentence what is wrong with a code: unknown, expired, withdrawn', async () => {
    const userId = await newcomer();
    const expired = await batch({ expiresAt: new Date(Date.now() + 60_000) });
    await t.sql`update redeem_batches set expires_at = now() where id = ${expired.batchId}`;
    const revoked = await batch();
    await revokeBatch(deps(), { batchId: revoked.batchId, adminId, reason: 'Leaked' });
    const unknown = 'There is no such code. Compare it with what you were given, character by character.';
    for (const [code, message] of [
      ['0000-0000-0000-0000', unknown],
      ['no code at all', unknown],
      [expired.code, 'This code has expired. Ask whoever gave it to you for a new one.'],
      [revoked.code, 'This code was withdrawn. Ask whoever gave it to you.'],
    ] as const) {
      await expect(redeem(userId, code)).rejects.toMatchObject({ message, field: 'code' });
    }
    expect(await entriesOf(userId)).toEqual([]);
  });

  it('B57 an expiry counts by the database clock, whatever the zone and clock of the server', async () => {
    const { code, batchId } = await batch({ expiresAt: new Date(Date.now() + 3_600_000) });
    const zoned = t.open({ max: 1 });
    await zoned.sql`set time zone 'Asia/Shanghai'`;
    const userId = await newcomer();
    await t.sql`update redeem_batches set expires_at = now() - interval '1 millisecond' where id = ${batchId}`;
    await expect(redeemCode({ db: zoned.db }, { userId, code, limits: undefined })).rejects.toMatchObject({
      code: 'conflict',
    });
    await t.sql`update redeem_batches set expires_at = now() + interval '1 minute' where id = ${batchId}`;
    expect(await redeemCode({ db: zoned.db }, { userId, code, limits: undefined })).toMatchObject({
      credits: 40,
    });
    await zoned.close();
  });

  it('a crash before the commit leaves the code unused and moves nothing; the next try gets it', async () => {
    const { code } = await batch();
    const userId = await newcomer();
    setCrashHandler((name) => {
      if (name.startsWith('redeem.')) throw new Error('crash');
    });
    await expect(redeem(userId, code)).rejects.toThrow('crash');
    setCrashHandler(undefined);
    expect(await balanceOf(userId)).toBe(0);
    expect(await redeem(userId, code)).toMatchObject({ repeated: false });
    expect(await balanceOf(userId)).toBe(40);
  });

  it('a revocation waits for whoever is redeeming, and lets nobody in after it', async () => {
    const { codes, batchId } = await batch({ codeCount: 2 });
    const [early, late] = codes;
    const [first, second] = [await newcomer(), await newcomer()];
    let revoked: Promise<void> | undefined;
    let done = false;
    setCrashHandler(async () => {
      setCrashHandler(undefined);
      revoked = revokeBatch(deps(), { batchId, adminId, reason: 'Leaked' }).then(() => {
        done = true;
      });
      await untilSomebodyWaits();
      expect(done).toBe(false);
    });
    expect(await redeem(first, early ?? '')).toMatchObject({ credits: 40 });
    await revoked;
    await expect(redeem(second, late ?? '')).rejects.toMatchObject({ code: 'conflict' });
    expect(await balanceOf(second)).toBe(0);
  });
});

async function untilSomebodyWaits(): Promise<void> {
  for (let looks = 0; looks < 2_000; looks += 1) {
    const waiting =
      await t.sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    if (waiting.length > 0) return;
  }
  throw new Error('Nobody waits for a lock');
}

describe('guessing', () => {
  it('takes a try before it looks, and gives tries back only for a code that moved something', async () => {
    const calls: string[] = [];
    const limits: RateLimits = {
      consume: async (name, key) => void calls.push(`consume ${name} ${key}`),
      reset: async (name, key) => void calls.push(`reset ${name} ${key}`),
      close: () => undefined,
    };
    const { code } = await batch();
    const userId = await newcomer();
    await expect(redeem(userId, 'wrong', limits)).rejects.toMatchObject({ code: 'not_found' });
    expect(calls).toEqual([`consume redeem ${userId}`]);
    await redeem(userId, code, limits);
    expect(calls.slice(1)).toEqual([`consume redeem ${userId}`, `reset redeem ${userId}`]);
    // Otherwise a code of one's own would buy any number of guesses.
    await redeem(userId, code, limits);
    expect(calls.slice(3)).toEqual([`consume redeem ${userId}`]);
  });

  it('does not look at all once the tries are used up', async () => {
    const { code } = await batch();
    const userId = await newcomer();
    const limits: RateLimits = {
      consume: () => Promise.reject(new Error('Too many tries of codes.')),
      reset: async () => undefined,
      close: () => undefined,
    };
    await expect(redeem(userId, code, limits)).rejects.toThrow('Too many tries');
    expect(await balanceOf(userId)).toBe(0);
  });
});

it('over HTTP: ten wrong codes an hour, then nothing is looked at, a right code included; never with an API token', async () => {
  const app = await startTestApp(t);
  const call = procedureCaller(app.url);
  const signedUp = await call.mutate<{ id: string }>('auth.signUp', {
    email: 'guesser@example.com',
    displayName: 'Guesser',
    password: 'a quiet long password',
  });
  const cookie = cookieOf(signedUp);
  const { codes } = await batch({ codeCount: 2 });
  const token = await call.mutate<{ secret: string }>(
    'auth.tokens.create',
    { name: 'script', scopes: ['read', 'submit'] },
    { cookie },
  );
  const byToken = await call.mutate(
    'billing.redeem',
    { code: codes[0] },
    { token: token.data?.secret ?? '' },
  );
  const statuses = [byToken.status];
  const tried = [...Array(9).fill('wrong'), codes[0], ...Array(10).fill('wrong'), codes[1]];
  for (const code of tried) statuses.push((await call.mutate('billing.redeem', { code }, { cookie })).status);
  await app.close();
  // The right code in tenth place gives the tries back.
  expect(statuses).toEqual([403, ...Array(9).fill(404), 200, ...Array(10).fill(404), 429]);
  expect(await balanceOf(signedUp.data?.id ?? '')).toBe(140);
});

describe('batches', () => {
  it('a form that is sent five times at once makes one batch with its codes, audited once', async () => {
    const form = terms({ codeCount: 1_500, title: 'Fair' });
    const made = await Promise.all(
      Array.from({ length: 5 }, () => createBatch(deps(), { ...form, adminId })),
    );
    expect(new Set(made.map((one) => one.batchId))).toEqual(new Set([form.key]));
    const codes = await t.sql`select distinct code from redeem_codes where batch_id = ${form.key}`;
    expect(codes).toHaveLength(1_500);
    const audit = await t.sql`select action, actor_id, data from audit_log where subject_id = ${form.key}`;
    expect(audit).toHaveLength(1);
    expect(audit[0]).toMatchObject({
      action: 'redeem.create',
      actor_id: adminId,
      data: { codeCount: 1_500 },
    });
    expect(JSON.stringify(audit)).not.toContain(codes[0]?.code);
  });

  it('refuses a key that made another batch, and an end that is past', async () => {
    const form = terms();
    await createBatch(deps(), { ...form, adminId });
    await expect(createBatch(deps(), { ...form, credits: 41, adminId })).rejects.toMatchObject({
      code: 'conflict',
    });
    const past = terms({ expiresAt: new Date(Date.now() - 1_000) });
    await expect(createBatch(deps(), { ...past, adminId })).rejects.toMatchObject({
      code: 'unprocessable',
      field: 'expiresAt',
    });
    expect(await t.sql`select 1 from redeem_batches where id = ${past.key}`).toHaveLength(0);
  });

  it('lists codes page by page until the last, each once, with who redeemed it', async () => {
    const { batchId, codes } = await batch({ codeCount: 25 });
    const [closed, open] = [await newcomer(), await newcomer()];
    await redeem(closed, codes[3] ?? '');
    await redeem(open, codes[4] ?? '');
    await t.sql`update users set disabled_at = now(), deleted_at = now() where id = ${closed}`;
    const seen = [];
    let cursor: string | undefined;
    do {
      const page = await readCodes(deps(), { batchId, limit: 10, ...(cursor ? { cursor } : {}) });
      expect(page.items.length).toBeLessThanOrEqual(10);
      seen.push(...page.items);
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    expect(seen.map((item) => item.code)).toEqual(codes);
    expect(new Set(codes).size).toBe(25);
    expect(seen[3]).toMatchObject({ redeemedBy: closed, redeemedByEmail: 'Deleted user' });
    expect(seen[4]).toMatchObject({ redeemedBy: open, redeemedByEmail: `user-${open}@example.com` });
    expect(seen[5]).toMatchObject({ redeemedBy: null, redeemedByEmail: null, redeemedAt: null });
  });

  it('shows counts and state, newest first', async () => {
    const open = await batch({ codeCount: 2 });
    const used = await batch();
    const expired = await batch({ codeCount: 2 });
    const revoked = await batch();
    await redeem(await newcomer(), open.code);
    await redeem(await newcomer(), used.code);
    await t.sql`update redeem_batches set expires_at = now() - interval '1 second' where id in (${expired.batchId}, ${used.batchId})`;
    await revokeBatch(deps(), { batchId: revoked.batchId, adminId, reason: 'Leaked' });
    const pages = [await readBatches(deps(), { ...batchesInput.parse({}), limit: 2 })];
    pages.push(
      await readBatches(deps(), {
        ...batchesInput.parse({}),
        limit: 2,
        cursor: pages[0]?.nextCursor ?? undefined,
      }),
    );
    expect(
      pages
        .flatMap((page) => page.items)
        .map(({ id, state, redeemedCount }) => ({ id, state, redeemedCount })),
    ).toEqual([
      { id: revoked.batchId, state: 'revoked', redeemedCount: 0 },
      { id: expired.batchId, state: 'expired', redeemedCount: 0 },
      { id: used.batchId, state: 'used_up', redeemedCount: 1 },
      { id: open.batchId, state: 'open', redeemedCount: 1 },
    ]);
    expect(await readBatch(deps(), open.batchId)).toMatchObject({
      codeCount: 2,
      redeemedCount: 1,
      state: 'open',
    });
  });

  it('revokes once, audited with the reason, and knows no batch that is not there', async () => {
    const { batchId } = await batch();
    await Promise.all([1, 2, 3].map(() => revokeBatch(deps(), { batchId, adminId, reason: 'Leaked' })));
    const audit =
      await t.sql`select reason from audit_log where subject_id = ${batchId} and action = 'redeem.revoke'`;
    expect([...audit]).toEqual([{ reason: 'Leaked' }]);
    const missing = newId();
    await expect(revokeBatch(deps(), { batchId: missing, adminId, reason: 'x' })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(readCodes(deps(), { batchId: missing, limit: 5 })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
