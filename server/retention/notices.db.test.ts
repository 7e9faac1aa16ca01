import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  notifications,
  webhookAttempts,
  webhookDeliveries,
  webhookEndpoints,
} from '#server/db/schema/index.ts';
import { newId } from '#server/lib/ids.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createUser } from '#server/testing/factories.ts';
import { deleteNoticesOf, deleteOldDeliveries, deleteOldNotifications } from './notice-queries.ts';

let t: TestDatabase;
beforeAll(async () => {
  t = await createTestDatabase();
});
afterAll(() => t.close());

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
const body = { type: 'task.failed' as const, timestamp: '', data: {} };

async function someone() {
  const user = await createUser(t.db);
  const endpointId = newId();
  await t.db.insert(webhookEndpoints).values({
    id: endpointId,
    userId: user.id,
    url: 'https://example.com/hook',
    events: ['task.failed'],
    secret: { sealedWith: 1, nonce: '', ciphertext: '' },
  });
  const add = async (name: string, ended: Date | null) => {
    const [row] = await t.db
      .insert(webhookDeliveries)
      .values({
        endpointId,
        userId: user.id,
        eventType: name,
        body,
        createdAt: daysAgo(200),
        ...(ended ? { status: 'delivered', finishedAt: ended } : { nextAttemptAt: new Date() }),
      })
      .returning();
    await t.db.insert(webhookAttempts).values({ deliveryId: row?.id ?? '', number: 1, durationMs: 1 });
  };
  return { user, endpointId, add };
}

it('forgets what was told and sent long ago, a limited number at once, and nothing that is to be sent', async () => {
  const { user, endpointId, add } = await someone();
  const told = (type: string, days: number) => ({
    userId: user.id,
    type,
    data: {},
    createdAt: daysAgo(days),
  });
  await t.db.insert(notifications).values([told('one', 91), told('two', 91), told('kept', 89)]);
  await add('one', daysAgo(31));
  await add('two', daysAgo(31));
  await add('kept', daysAgo(29));
  await add('pending', null);
  const turn = () =>
    Promise.all([
      deleteOldNotifications(t.db, { days: 90, limit: 1 }),
      deleteOldDeliveries(t.db, { days: 30, limit: 1 }),
    ]);
  expect([await turn(), await turn(), await turn()]).toEqual([
    [1, 1],
    [1, 1],
    [0, 0],
  ]);
  expect(await t.sql`select type from notifications`).toEqual([{ type: 'kept' }]);
  const left = await t.sql`select event_type as type from webhook_deliveries order by event_type`;
  expect(left).toEqual([{ type: 'kept' }, { type: 'pending' }]);
  expect(await t.sql`select 1 from webhook_attempts`).toHaveLength(2);

  // An endpoint that was removed goes with its last delivery, not before.
  await t.sql`update webhook_endpoints set enabled = false, disabled_reason = 'owner', deleted_at = now() - interval '31 days'`;
  await turn();
  expect(await t.sql`select 1 from webhook_endpoints where id = ${endpointId}`).toHaveLength(1);
});

it('of a closed account all of it goes, but for what is being sent at that moment; nobody else’s', async () => {
  const [closed, other] = [await someone(), await someone()];
  for (const { user, add } of [closed, other]) {
    await t.db.insert(notifications).values({ userId: user.id, type: 'any', data: {} });
    await add('ended', new Date());
    await add('pending', null);
  }
  await t.sql`update webhook_deliveries set lease_until = now() + interval '1 minute', leased_by = ${newId()}
    where user_id = ${closed.user.id} and event_type = 'pending'`;
  const turn = () => deleteNoticesOf(t.db, { userIds: [closed.user.id], limit: 10 });
  expect(await turn()).toBe(2);
  await t.sql`update webhook_deliveries set lease_until = now() - interval '1 second' where user_id = ${closed.user.id}`;
  expect(await turn()).toBe(2);
  expect(await turn()).toBe(0);
  const left =
    await t.sql`select distinct user_id from webhook_deliveries where user_id in (${closed.user.id}, ${other.user.id})
    union select user_id from webhook_endpoints where user_id in (${closed.user.id}, ${other.user.id})
    union select user_id from notifications where user_id in (${closed.user.id}, ${other.user.id})`;
  expect(left).toEqual([{ user_id: other.user.id }]);
});
