import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApiToken } from '#server/auth/api-tokens.ts';
import { hashPassword } from '#server/auth/password.ts';
import { openSession } from '#server/auth/sessions.ts';
import { clawBack, grantCredits } from '#server/billing/ledger.ts';
import { creditDebts, invites, orders, outputs, uploads, users } from '#server/db/schema/index.ts';
import { savePreset } from '#server/generation/prompts/manage-presets.ts';
import { saveTemplate } from '#server/generation/prompts/manage-templates.ts';
import { startTestApp, type TestApp } from '#server/http/test-app.ts';
import { cookieOf, procedureCaller } from '#server/http/test-client.ts';
import { newId } from '#server/lib/ids.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createTask, createUser, type TestUser } from '#server/testing/factories.ts';
import { exportAccount } from './export-account.ts';
import type { AccountExport } from './schemas.ts';

const PASSWORD = 'a long enough password';
let t: TestDatabase;
let app: TestApp;
let call: ReturnType<typeof procedureCaller>;
let passwordHash: string;
let user: TestUser;
let cookie: string;
beforeAll(async () => {
  t = await createTestDatabase();
  app = await startTestApp(t);
  call = procedureCaller(app.url);
  passwordHash = await hashPassword(PASSWORD);
});
afterAll(async () => {
  await app.close();
  await t.close();
});
beforeEach(async () => {
  user = await createUser(t.db, { passwordHash, displayName: 'Ada' });
  const session = await openSession(app.deps, { userId: user.id, userAgent: 'Test browser' });
  cookie = session.cookie.split(';')[0] ?? '';
});

async function exported(userId = user.id): Promise<{ text: string; data: AccountExport }> {
  let text = '';
  for await (const piece of await exportAccount(app.deps, userId)) text += piece;
  return { text, data: JSON.parse(text) as AccountExport };
}

describe('who may', () => {
  it('is the person in their browser: no API token, nobody else', async () => {
    const { secret } = await createApiToken(app.deps, {
      userId: user.id,
      name: 'ci',
      scopes: ['read', 'submit', 'cancel'],
    });
    const close = { password: PASSWORD, confirm: 'delete my account' };
    for (const [options, status] of [
      [{}, 401],
      [{ token: secret }, 403],
    ] as const) {
      expect((await call.query('account.keeping', options)).status).toBe(status);
      expect((await call.query('account.exportData', options)).status).toBe(status);
      expect((await call.mutate('account.setOutputRetention', { days: 1 }, options)).status).toBe(status);
      expect((await call.mutate('account.close', close, options)).status).toBe(status);
    }
    expect((await t.db.select().from(users).where(eq(users.id, user.id)))[0]?.deletedAt).toBeNull();
  });
});

describe('account.keeping and account.setOutputRetention', () => {
  it('tell what is kept and what closing would mean now', async () => {
    await createTask(t.db, { userId: user.id, status: 'running', holdCredits: 40 });
    await createTask(t.db, { userId: user.id, status: 'succeeded', holdCredits: 60 });
    await t.db.insert(creditDebts).values({
      userId: user.id,
      key: newId(),
      amountCredits: 30,
      remainingCredits: 20,
      reason: 'Chargeback',
    });
    expect((await call.query('account.keeping', { cookie })).data).toEqual({
      outputRetentionDays: null,
      beforeClosing: { runningTasks: 1, balanceCredits: 900, owedCredits: 20 },
    });
    for (const days of [7, null]) {
      expect((await call.mutate('account.setOutputRetention', { days }, { cookie })).status).toBe(200);
      expect((await call.query('account.keeping', { cookie })).data).toMatchObject({
        outputRetentionDays: days,
      });
    }
    for (const days of [0, 3_651, 1.5, '7']) {
      expect((await call.mutate('account.setOutputRetention', { days }, { cookie })).status).toBe(400);
    }
  });
});

describe('account.close', () => {
  it('asks for password and sentence, then ends the session and its cookie', async () => {
    const wrong = await call.mutate(
      'account.close',
      { password: 'not the password', confirm: 'delete my account' },
      { cookie },
    );
    expect([wrong.status, wrong.error?.data.field]).toEqual([400, 'password']);
    expect(
      (await call.mutate('account.close', { password: PASSWORD, confirm: 'yes' }, { cookie })).status,
    ).toBe(400);

    const right = { password: PASSWORD, confirm: 'delete my account' };
    const answer = await call.mutate('account.close', right, { cookie });
    expect([answer.status, cookieOf(answer)]).toEqual([200, 'sidelane_session=']);
    expect((await call.query('account.keeping', { cookie })).status).toBe(401);
    expect(app.log.join('\n')).not.toContain(PASSWORD);
    expect(app.log.join('\n')).not.toContain(user.email);
  });

  it('lets nobody guess the password through an open session', async () => {
    const guess = { password: 'a guess', confirm: 'delete my account' };
    const statuses: number[] = [];
    for (let n = 0; n < 11; n += 1)
      statuses.push((await call.mutate('account.close', guess, { cookie })).status);
    expect(statuses).toEqual([...Array(10).fill(400), 429]);
    const right = { password: PASSWORD, confirm: 'delete my account' };
    expect((await call.mutate('account.close', right, { cookie })).status).toBe(429);
  });
});

describe('the export', () => {
  it('has all of a person, as one JSON document, and nothing of anybody else', async () => {
    const friend = await createUser(t.db, { displayName: 'Friend' });
    const task = await createTask(t.db, {
      userId: user.id,
      status: 'succeeded',
      prompt: 'a "quiet" harbour\n',
    });
    await createTask(t.db, { userId: friend.id, status: 'succeeded', prompt: "the friend's own" });
    await t.db.insert(uploads).values({
      userId: user.id,
      storageKey: `uploads/${user.id}/x`,
      fileName: 'a.png',
      mime: 'image/png',
      bytes: 4,
      sha256: '0'.repeat(64),
    });
    for (const [userId, prompt] of [
      [user.id, 'own words'],
      [friend.id, "the friend's words"],
    ] as const) {
      await saveTemplate(app.deps, { userId, kind: 'image', name: 'Dusk', prompt });
      await savePreset(app.deps, { userId, model: 'paint', name: prompt, params: { n: 2 } });
    }
    await t.db.insert(invites).values({ inviterId: user.id, inviteeId: friend.id });
    const { secret } = await createApiToken(app.deps, { userId: user.id, name: 'farm', scopes: ['read'] });
    await t.sql`
      insert into credit_ledger (id, user_id, kind, delta_credits, balance_after_credits, key, actor, reason)
      values (${newId()}, ${user.id}, 'adjustment', 1, 1, ${newId()}, ${`operator:${friend.id}`}, 'Goodwill')`;

    const { text, data } = await exported();
    const [output] = await t.db.select().from(outputs).where(eq(outputs.taskId, task.id));
    expect(data).toMatchObject({
      account: { id: user.id, email: user.email, displayName: 'Ada' },
      balanceCredits: 996,
      tasks: [{ id: task.id, status: 'succeeded', prompt: 'a "quiet" harbour\n', chargedCredits: 4 }],
      outputs: [{ id: output?.id, taskId: task.id, bytes: 4, url: `/files/outputs/${output?.id}` }],
      uploads: [{ fileName: 'a.png' }],
      invites: [{ role: 'inviter', status: 'bound' }],
      sessions: [{ userAgent: 'Test browser' }],
      apiTokens: [{ name: 'farm', scopes: ['read'] }],
      promptTemplates: [{ kind: 'image', name: 'Dusk', prompt: 'own words' }],
      parameterPresets: [{ modelSlug: 'paint', name: 'own words', params: { n: 2 } }],
      orders: [],
    });
    expect(data.ledger).toHaveLength(3);
    expect(data.ledger).toContainEqual(expect.objectContaining({ actor: 'operator', reason: 'Goodwill' }));
    for (const hidden of [
      friend.id,
      friend.email,
      'friend',
      passwordHash,
      secret,
      'tokenHash',
      'storageKey',
    ]) {
      expect(text).not.toContain(hidden);
    }
    const digest = cookie.split('=')[1] ?? '';
    expect(text).not.toContain(digest);
    const [{ id: sessionId } = { id: '' }] = await t.sql`select id from sessions where user_id = ${user.id}`;
    expect(text).not.toContain(sessionId);
  });

  it('says what is owed, and that an order whose time is up is expired before a sweep has been by', async () => {
    const order = { title: 'Pack', credits: 100, amountMinor: 1_000, currency: 'EUR', provider: 'sandbox' };
    await t.db.insert(orders).values([
      { ...order, userId: user.id, requestKey: newId(), expiresAt: new Date(Date.now() - 1_000) },
      { ...order, userId: user.id, requestKey: newId(), expiresAt: new Date(Date.now() + 600_000) },
    ]);
    await t.db.transaction((tx) =>
      clawBack(tx, { userId: user.id, credits: 2_000, key: newId(), actor: 'test', reason: 'Chargeback' }),
    );
    const { data } = await exported();
    const statuses = data.orders.map((row) => (row as { status: string }).status);
    expect(statuses.sort()).toEqual(['expired', 'pending']);
    expect(data).toMatchObject({
      balanceCredits: 0,
      debts: [{ amountCredits: 1_000, remainingCredits: 1_000, reason: 'Chargeback' }],
    });

    const other = await createUser(t.db, { balanceCredits: 0 });
    const gift = { userId: other.id, credits: 5, key: newId(), actor: 'test', reason: 'Gift' };
    await t.db.transaction((tx) => grantCredits(tx, gift));
    await t.sql`update credit_buckets set expires_at = now() - interval '1 second' where user_id = ${other.id}`;
    expect((await exported(other.id)).data.balanceCredits).toBe(0);
  });

  it('is whole however many pages it takes, and empty lists stay lists', async () => {
    await t.sql`
      insert into uploads (id, user_id, storage_key, file_name, mime, bytes, sha256)
      select gen_random_uuid(), ${user.id}, 'k', n || '.png', 'image/png', 1, 'x' from generate_series(1, 1000) n`;
    const { data } = await exported();
    expect(new Set(data.uploads.map((row) => (row as { fileName: string }).fileName)).size).toBe(1_000);
    expect(data.tasks).toEqual([]);
  });
});
