import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditLedger } from '#server/billing/audit.ts';
import { startTestApp, type TestApp } from '#server/http/test-app.ts';
import { cookieOf, procedureCaller } from '#server/http/test-client.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createUser } from '#server/testing/factories.ts';
import { createPaidOrder, refundPaidOrder } from '#server/testing/order-factories.ts';
import { TEST_CONFIG } from '#server/testing/rig.ts';
import { bindInvite } from './bind-invite.ts';
import { readInvites, readLanding, readMyInvites } from './read-invites.ts';
import { adminInvitesInput, type MyInvites } from './schemas.ts';

let t: TestDatabase;
const deps = () => ({ db: t.db, config: TEST_CONFIG });

beforeAll(async () => {
  t = await createTestDatabase({ max: 16 });
});
afterAll(async () => {
  expect(await auditLedger(t.db)).toEqual([]);
  await t.close();
});

async function person(displayName = 'Ada Lovelace') {
  const { id } = await createUser(t.db, { displayName });
  return { id, code: (await readMyInvites(deps(), id)).code };
}
const people = (count: number) => Promise.all(Array.from({ length: count }, () => person()));
const bind = (invitee: { id: string }, inviter: { code: string }) =>
  bindInvite(deps(), { userId: invitee.id, code: inviter.code });
const inviterOf = async (userId: string): Promise<string | undefined> =>
  (await t.sql`select inviter_id from invites where invitee_id = ${userId}`)[0]?.inviter_id;

describe('a code', () => {
  it('is made when first asked for, one per person, also when asked for at once', async () => {
    const { id } = await createUser(t.db);
    const views = await Promise.all(Array.from({ length: 8 }, () => readMyInvites(deps(), id)));
    const codes = new Set(views.map((view) => view.code));
    expect(codes.size).toBe(1);
    const [code = ''] = codes;
    expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/);
    expect(views[0]).toMatchObject({ path: `/invite/${code}`, invites: [], invitedBy: null, mayBind: true });
  });

  it('opens a landing page that shows a name and nothing else of its owner', async () => {
    const inviter = await person('Grace Hopper');
    const typed = inviter.code.toLowerCase().replaceAll('0', 'o').replaceAll('1', 'i');
    const landing = await readLanding(deps(), { code: typed });
    expect(landing).toEqual({
      code: inviter.code,
      inviterName: 'Grace Hopper',
      terms: { open: true, inviterCredits: 50, inviteeCredits: 30, coolingOffDays: 14, monthlyCap: 20 },
    });
  });

  it('of somebody who was disabled or is gone is not found', async () => {
    const inviter = await person();
    const invitee = await person();
    await t.sql`update users set disabled_at = now() where id = ${inviter.id}`;
    for (const code of [inviter.code, '00000000', 'WRONG-CODE']) {
      await expect(readLanding(deps(), { code })).rejects.toMatchObject({ code: 'not_found', field: 'code' });
      await expect(bind(invitee, { code })).rejects.toMatchObject({ code: 'not_found', field: 'code' });
    }
    expect(await inviterOf(invitee.id)).toBeUndefined();
  });
});

describe('binding', () => {
  it('is once: B68 the same code again, another code, and ten codes at once', async () => {
    const [invitee, other] = [await person(), await person()];
    const inviters = await people(10);
    const results = await Promise.allSettled(inviters.map((inviter) => bind(invitee, inviter)));
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    const winner = inviters[results.findIndex((result) => result.status === 'fulfilled')];
    expect(await inviterOf(invitee.id)).toBe(winner?.id);
    for (const again of [winner ?? other, other]) {
      await expect(bind(invitee, again)).rejects.toMatchObject({
        code: 'conflict',
        field: 'code',
        message: 'You were invited already, and that cannot be changed.',
      });
    }
    expect(await inviterOf(invitee.id)).toBe(winner?.id);
  });

  it('B68 refuses the own code', async () => {
    const me = await person();
    await expect(bind(me, me)).rejects.toMatchObject({
      message: 'This is your own code. Enter the code of whoever invited you.',
    });
    expect(await inviterOf(me.id)).toBeUndefined();
  });

  it('B68 refuses a circle of any length', async () => {
    for (const length of [2, 3, 7]) {
      const ring = await people(length);
      for (const [index, inviter] of ring.entries()) {
        const invitee = ring[index + 1];
        if (invitee) await bind(invitee, inviter);
      }
      const [first, last] = [ring[0], ring.at(-1)];
      if (!first || !last) throw new Error('an empty ring');
      await expect(bind(first, last)).rejects.toMatchObject({
        code: 'conflict',
        message: 'You invited the owner of this code, directly or through others. It cannot invite you back.',
      });
      expect(await inviterOf(first.id)).toBeUndefined();
    }
  });

  it('B68 of people who bind one another at once somebody is refused, so that no circle closes', async () => {
    for (let round = 0; round < 8; round += 1) {
      const ring = await people(2 + (round % 3));
      const results = await Promise.allSettled(
        ring.map((invitee, index) => bind(invitee, ring[(index + 1) % ring.length] ?? invitee)),
      );
      expect(results.filter((result) => result.status === 'rejected')).toHaveLength(1);
    }
  });

  it('lets one person invite many, and many generations', async () => {
    const [root, ...others] = await people(6);
    if (!root) throw new Error('nobody');
    for (const invitee of others.slice(0, 3)) await bind(invitee, root);
    for (const [index, invitee] of others.slice(3).entries()) await bind(invitee, others[index] ?? root);
    expect((await readMyInvites(deps(), root.id)).invites).toHaveLength(3);
  });

  it('is over once something was bought, also when the order was refunded since', async () => {
    const [inviter, buyer] = await people(2);
    if (!inviter || !buyer) throw new Error('nobody');
    const order = await createPaidOrder(t.db, { userId: buyer.id });
    await refundPaidOrder(t.db, order.id);
    await expect(bind(buyer, inviter)).rejects.toMatchObject({
      message: 'A code counts only before the first purchase.',
    });
    expect((await readMyInvites(deps(), buyer.id)).mayBind).toBe(false);
  });

  it('waits for a payment that is being credited, and then is too late', async () => {
    const [inviter, buyer] = await people(2);
    if (!inviter || !buyer) throw new Error('nobody');
    let binding: Promise<unknown> | undefined;
    await t.db.transaction(async (tx) => {
      await createPaidOrder(tx, { userId: buyer.id });
      binding = bind(buyer, inviter).catch((error: unknown) => error);
      await untilSomebodyWaits();
    });
    expect(await binding).toMatchObject({ message: 'A code counts only before the first purchase.' });
    expect(await inviterOf(buyer.id)).toBeUndefined();
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

describe('views', () => {
  it('show a first letter of invited people, and deleted people as "Deleted user"', async () => {
    const inviter = await person('Ada Lovelace');
    const [bob, eve] = [await person('Émile Zola'), await person('Eve')];
    await bind(bob, inviter);
    await bind(eve, inviter);
    await t.sql`update users set disabled_at = now(), deleted_at = now() where id = ${eve.id}`;
    const mine = await readMyInvites(deps(), inviter.id);
    expect(mine.invites.map((invite) => invite.inviteeName)).toEqual(['Deleted user', 'É…']);
    expect((await readMyInvites(deps(), bob.id)).invitedBy).toEqual({
      name: 'Ada Lovelace',
      status: 'bound',
      inviteeCredits: 0,
      dueAt: null,
    });
    await t.sql`update users set disabled_at = now(), deleted_at = now() where id = ${inviter.id}`;
    expect((await readMyInvites(deps(), bob.id)).invitedBy).toMatchObject({ name: 'Deleted user' });
    const page = await readInvites(deps(), {
      ...adminInvitesInput.parse({}),
      limit: 2,
    });
    expect(page.items).toMatchObject([
      { inviteeId: eve.id, inviteeEmail: 'Deleted user', inviterEmail: 'Deleted user', status: 'bound' },
      { inviteeId: bob.id, inviteeEmail: `user-${bob.id}@example.com` },
    ]);
    const next = await readInvites(deps(), {
      ...adminInvitesInput.parse({}),
      limit: 2,
      cursor: page.nextCursor ?? undefined,
      status: 'bound',
    });
    expect(next.items.map((item) => item.id)).not.toContain(page.items[1]?.id);
    expect(
      await readInvites(deps(), {
        ...adminInvitesInput.parse({}),
        limit: 2,
        status: 'rewarded',
      }),
    ).toEqual({
      items: [],
      nextCursor: null,
    });
  });
});

describe('over HTTP', () => {
  let app: TestApp;
  let call: ReturnType<typeof procedureCaller>;
  beforeAll(async () => {
    app = await startTestApp(t);
    call = procedureCaller(app.url);
  });
  afterAll(() => app.close());

  const input = (email: string, more: object = {}) => ({
    email,
    displayName: 'Newcomer',
    password: 'a quiet long password',
    ...more,
  });

  it('B68 sign-up with a code binds the account in the transaction that makes it', async () => {
    const inviter = await person('Grace Hopper');
    const typed = ` ${inviter.code.toLowerCase()} `;
    const answer = await call.mutate<{ id: string }>(
      'auth.signUp',
      input('invited@example.com', { inviteCode: typed }),
    );
    expect(answer.status).toBe(200);
    expect(await inviterOf(answer.data?.id ?? '')).toBe(inviter.id);
    const mine = await call.query<MyInvites>('invites.mine', { cookie: cookieOf(answer) });
    expect(mine.data).toMatchObject({ mayBind: false, invitedBy: { name: 'Grace Hopper', status: 'bound' } });
    const again = await call.mutate('invites.bind', { code: inviter.code }, { cookie: cookieOf(answer) });
    expect([again.status, again.error?.data.field]).toEqual([409, 'code']);
  });

  it('sign-up with a wrong code says so beside the field and makes nothing; without it the account is made', async () => {
    const email = 'mistaken@example.com';
    const wrong = await call.mutate('auth.signUp', input(email, { inviteCode: '00000000' }));
    expect([wrong.status, wrong.error?.message, wrong.error?.data.field]).toEqual([
      404,
      'Nobody invites with this code. Check it, or go on without one.',
      'inviteCode',
    ]);
    expect(cookieOf(wrong)).toBe('');
    expect(await t.sql`select 1 from users where email = ${email}`).toHaveLength(0);
    expect((await call.mutate('auth.signUp', input(email))).status).toBe(200);
  });

  it('the landing page needs no account; the rest does, and administrators see the list', async () => {
    const inviter = await person();
    expect((await call.query('invites.landing', {}, { code: inviter.code })).status).toBe(200);
    expect((await call.query('invites.landing', {}, { code: 'ZZZZZZZZ' })).status).toBe(404);
    expect((await call.query('invites.mine')).status).toBe(401);
    expect((await call.query('adminInvites.list')).status).toBe(401);
  });
});
