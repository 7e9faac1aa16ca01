import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDueSignal } from '#server/lib/due-signal.ts';
import { newId } from '#server/lib/ids.ts';
import { createLogger } from '#server/lib/logger.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createTask, createUser } from '#server/testing/factories.ts';
import { TEST_CONFIG } from '#server/testing/rig.ts';
import { readStanding, setDisabled, setDisabledOfMany, setLimits } from './manage-users.ts';

let t: TestDatabase;
let actorId: string;
beforeAll(async () => {
  t = await createTestDatabase();
  actorId = (await createUser(t.db, { role: 'admin' })).id;
});
afterAll(() => t.close());

const logger = createLogger('silent');
const deps = () => ({ db: t.db, logger, config: TEST_CONFIG, due: createDueSignal() });
const reason = 'Sold the account.';
const auditOf = (id: string) =>
  t.sql`select action, actor_id, reason, data from audit_log where subject_id = ${id} order by id`;

async function withAccess(columns: Parameters<typeof createUser>[1] = {}): Promise<string> {
  const { id } = await createUser(t.db, columns);
  await t.sql`insert into sessions (id, user_id, expires_at) values (${newId()}, ${id}, now() + interval '1 day')`;
  await t.sql`insert into api_tokens (id, user_id, name, prefix, token_hash, scopes)
    values (${newId()}, ${id}, 'ci', 'sl_', ${newId()}, array['read'])`;
  return id;
}
const accessOf = async (id: string) => {
  const [row] = await t.sql`select (select count(*)::int from sessions where user_id = ${id}) as sessions,
    (select count(*)::int from api_tokens where user_id = ${id} and revoked_at is null) as tokens`;
  return row;
};

describe('an account', () => {
  it('is disabled with its sessions and tokens, while its tasks go on; and enabled again; each audited once', async () => {
    const userId = await withAccess();
    const task = await createTask(t.db, { userId, status: 'running' });
    const change = (disabled: boolean) => setDisabled(deps(), { userId, disabled, reason, actorId });
    await Promise.all([change(true), change(true)]);
    expect(await accessOf(userId)).toEqual({ sessions: 0, tokens: 0 });
    expect(await readStanding(deps(), userId)).toMatchObject({ disabledAt: expect.any(Date), liveTasks: 1 });
    const [row] = await t.sql`select status, cancel_requested_at from generation_tasks where id = ${task.id}`;
    expect(row).toMatchObject({ status: 'running', cancel_requested_at: null });
    await change(false);
    expect(await readStanding(deps(), userId)).toMatchObject({ disabledAt: null });
    // What was revoked stays revoked.
    expect(await accessOf(userId)).toEqual({ sessions: 0, tokens: 0 });
    expect(await auditOf(userId)).toMatchObject([
      { action: 'user.disable', actor_id: actorId, reason, data: { sessionsEnded: 1, tokensRevoked: 1 } },
      { action: 'user.enable', reason },
    ]);
  });

  it('is never one’s own, nor the last administrator’s, nor one that was closed; others of the same action are done', async () => {
    const closed = await createUser(t.db, { disabledAt: new Date(), deletedAt: new Date() });
    const [first, second] = [await withAccess(), await withAccess()];
    const { results } = await setDisabledOfMany(deps(), {
      userIds: [first, actorId, closed.id, newId(), second],
      disabled: true,
      reason,
      actorId,
    });
    expect(results.map(({ ok }) => ok)).toEqual([true, false, false, false, true]);
    expect(results[1]?.message).toBe('This is your own account. Ask another administrator.');
    expect(results[2]?.message).toBe('This account was closed for good by its owner.');
    expect(results[3]?.message).toBe('There is no such user.');
    expect(await accessOf(second)).toEqual({ sessions: 0, tokens: 0 });
    expect(await auditOf(actorId)).toHaveLength(0);

    const other = await withAccess({ role: 'admin' });
    const eachOther = await Promise.allSettled([
      setDisabled(deps(), { userId: other, disabled: true, reason, actorId }),
      setDisabled(deps(), { userId: actorId, disabled: true, reason, actorId: other }),
    ]);
    expect(eachOther.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const admins = await t.sql`select 1 from users where role = 'admin' and disabled_at is null`;
    expect(admins).toHaveLength(1);
  });

  it('has limits of its own, audited with what they were', async () => {
    const userId = await withAccess();
    const set = (inFlightLimit: number | null, dayCreditsLimit: number | null) =>
      setLimits(deps(), { userId, inFlightLimit, dayCreditsLimit, reason, actorId });
    await set(0, 40);
    expect(await readStanding(deps(), userId)).toMatchObject({
      inFlightLimit: 0,
      dayCreditsLimit: 40,
      general: { inFlightLimit: TEST_CONFIG.userInFlight, dayCreditsLimit: null },
    });
    await set(null, null);
    expect(await auditOf(userId)).toMatchObject([
      {
        action: 'user.limits',
        data: { from: { inFlightLimit: null }, to: { inFlightLimit: 0, dayCreditsLimit: 40 } },
      },
      { action: 'user.limits', data: { from: { inFlightLimit: 0, dayCreditsLimit: 40 } } },
    ]);
    await expect(readStanding(deps(), newId())).rejects.toMatchObject({ code: 'not_found' });
  });
});
