import { eq, inArray } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hashPassword } from '#server/auth/password.ts';
import { collectionOutputs, collections, outputs, shareLinks } from '#server/db/schema/index.ts';
import { addToCollection, createCollection } from '#server/library/manage-collections.ts';
import { deleteOutputs, trashOutputs } from '#server/library/mark-outputs.ts';
import { createShare, revokeShare } from '#server/library/share-links.ts';
import { createUser } from '#server/testing/factories.ts';
import { createRig, type Rig } from '#server/testing/rig.ts';
import { closeAccount } from './close-account.ts';
import { exportAccount } from './export-account.ts';
import { runRetentionBatch } from './run-retention-batch.ts';
import type { AccountExport } from './schemas.ts';
import { makeOldTask, OVER, STATES } from './testing/old-tasks.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig.close());

const run = async () => (await runRetentionBatch(rig.deps, { limit: 500, workerId: 'test-worker' })).counts;

it('removes what was thrown away 30 days ago, of tasks that are over and of no others, and moves no money', async () => {
  const user = await createUser(rig.db);
  const made = [];
  for (const state of STATES)
    made.push({ state, ...(await makeOldTask(rig.deps, { state, days: 40, userId: user.id })) });
  const ids = made.map(({ outputId }) => outputId);
  const setTrashed = (days: number) => rig.t.sql`
    update outputs set trashed_at = now() - make_interval(days => ${days}) where id = any(${ids})`;
  const money = () => rig.t.sql`
    select (select balance_credits from credit_accounts where user_id = ${user.id}) as balance,
      (select count(*) from credit_ledger where user_id = ${user.id}) as entries`;
  const before = await money();
  await run();
  await setTrashed(29);
  expect((await run()).trash).toBeUndefined();
  await setTrashed(31);
  expect((await run()).trash).toBe(OVER.length);
  expect((await run()).trash).toBeUndefined();
  const rows = await rig.db.select().from(outputs).where(inArray(outputs.id, ids));
  for (const { state, outputId, id } of made) {
    const isOver = OVER.includes(state);
    const row = rows.find((each) => each.id === outputId);
    const file = await rig.deps.storage.stat(`outputs/${id}/0`);
    expect([state, row?.removedAt !== null, file === undefined]).toEqual([state, isOver, isOver]);
  }
  expect(await money()).toEqual(before);
});

it('removes at once what its owner wants gone for good, and links that ended long ago', async () => {
  const user = await createUser(rig.db);
  const task = await makeOldTask(rig.deps, { state: 'succeeded, settled', days: 1, userId: user.id });
  const selection = { userId: user.id, outputIds: [task.outputId] };
  const share = () =>
    createShare(rig.deps, { userId: user.id, outputId: task.outputId, expires: '7', showPrompt: false });
  const [open, revoked, expired] = [await share(), await share(), await share()];
  await revokeShare(rig.deps, { userId: user.id, shareId: revoked.id });
  await rig.t.sql`update share_links set revoked_at = now() - interval '31 days' where id = ${revoked.id}`;
  await rig.t.sql`
    update share_links set created_at = now() - interval '40 days', expires_at = now() - interval '31 days'
    where id = ${expired.id}`;
  expect((await run()).shareLinks).toBe(2);
  const left = await rig.db.select().from(shareLinks).where(eq(shareLinks.userId, user.id));
  expect(left.map(({ id }) => id)).toEqual([open.id]);

  await trashOutputs(rig.deps, selection);
  expect((await run()).trash).toBeUndefined();
  await deleteOutputs(rig.deps, selection);
  expect((await run()).trash).toBe(1);
  expect(await rig.deps.storage.stat(`outputs/${task.id}/0`)).toBeUndefined();
});

it('gives a person their collections and links to take along, and keeps none of a closed account', async () => {
  const password = 'a long enough password';
  const user = await createUser(rig.db, { passwordHash: await hashPassword(password) });
  const task = await makeOldTask(rig.deps, { state: 'succeeded, settled', days: 1, userId: user.id });
  const { id: collectionId } = await createCollection(rig.deps, { userId: user.id, name: 'Private words' });
  await addToCollection(rig.deps, { userId: user.id, collectionId, outputIds: [task.outputId] });
  await createShare(rig.deps, {
    userId: user.id,
    outputId: task.outputId,
    expires: 'never',
    showPrompt: true,
  });

  let text = '';
  for await (const piece of await exportAccount(rig.deps, user.id)) text += piece;
  const data = JSON.parse(text) as AccountExport;
  expect(data.collections).toMatchObject([{ name: 'Private words', outputIds: [task.outputId] }]);
  expect(data.shareLinks).toMatchObject([{ outputId: task.outputId, showPrompt: true, expiresAt: null }]);

  await closeAccount(rig.deps, { userId: user.id, password, limits: undefined });
  expect(await rig.db.select().from(shareLinks).where(eq(shareLinks.userId, user.id))).toEqual([]);
  expect(await rig.db.select().from(collections).where(eq(collections.userId, user.id))).toEqual([]);
  expect(
    await rig.db.select().from(collectionOutputs).where(eq(collectionOutputs.outputId, task.outputId)),
  ).toEqual([]);
});
