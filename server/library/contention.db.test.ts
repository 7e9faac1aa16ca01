import { eq, inArray } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { collectionOutputs, outputs } from '#server/db/schema/index.ts';
import { newId } from '#server/lib/ids.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createTask, createUser } from '#server/testing/factories.ts';
import {
  addToCollection,
  createCollection,
  removeCollection,
  removeFromCollection,
} from './manage-collections.ts';
import { deleteOutputs, markFavorite, restoreOutputs, trashOutputs } from './mark-outputs.ts';

/** Two tabs, and a person who clicks fast: selections that overlap, in any order, at the same time. */

let t: TestDatabase;
const userIds: string[] = [];
const outputIds: string[] = [];
beforeAll(async () => {
  t = await createTestDatabase({ max: 16 });
  const { id: userId } = await createUser(t.db);
  userIds.push(userId);
  for (let n = 0; n < 60; n += 1) {
    const task = await createTask(t.db, { userId, status: 'succeeded' });
    const [row] = await t.db.select({ id: outputs.id }).from(outputs).where(eq(outputs.taskId, task.id));
    outputIds.push(row?.id ?? '');
  }
});
afterAll(() => t.close());

const deps = () => ({ db: t.db, newId });
const shuffled = () =>
  outputIds
    .map((id) => ({ id, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ id }) => id);

/** Does them all at once, many times each; none may fail. */
async function settle(deeds: readonly (() => Promise<unknown>)[]): Promise<void> {
  const runs = Array.from({ length: 84 }, (_, index) => deeds[index % deeds.length]?.());
  const faults = (await Promise.allSettled(runs)).filter((run) => run.status === 'rejected');
  expect(faults.map(({ reason }) => String(reason.cause ?? reason))).toEqual([]);
}

it('marks, throws away and takes back without one waiting for the other for ever', async () => {
  const userId = userIds[0] ?? '';
  const collection = await createCollection(deps(), { userId, name: 'All of it' });
  const selection = () => ({ userId, outputIds: shuffled() });
  const deeds = [
    () => trashOutputs(deps(), selection()),
    () => restoreOutputs(deps(), selection()),
    () => markFavorite(deps(), { ...selection(), favorite: true }),
    () => markFavorite(deps(), { ...selection(), favorite: false }),
    () => addToCollection(deps(), { ...selection(), collectionId: collection.id }),
    () => removeFromCollection(deps(), { ...selection(), collectionId: collection.id }),
    // What retention does with a file, one by one, and what a task's own changes lock.
    async () => {
      for (const id of shuffled().slice(0, 20)) {
        await t.sql`update outputs set preview_tried_at = now() where id = ${id}`;
      }
    },
  ];
  await settle(deeds);

  await restoreOutputs(deps(), selection());
  const rows = await t.db.select().from(outputs).where(inArray(outputs.id, outputIds));
  expect(rows.every(({ trashedAt, removedAt }) => trashedAt === null && removedAt === null)).toBe(true);
  await removeCollection(deps(), { userId, collectionId: collection.id });
  expect(await t.db.select().from(collectionOutputs)).toEqual([]);
});

it('changes them while something that refers to them is under way', async () => {
  const userId = userIds[0] ?? '';
  const selection = () => ({ userId, outputIds: shuffled() });
  await t.sql.begin(async (tx) => {
    // What putting a file into a collection holds until it ends.
    await tx`select 1 from outputs where id = any(${outputIds}) for key share`;
    await settle([
      () => markFavorite(deps(), { ...selection(), favorite: true }),
      () => trashOutputs(deps(), selection()),
      () => markFavorite(deps(), { ...selection(), favorite: false }),
      () => restoreOutputs(deps(), selection()),
    ]);
  });
  await restoreOutputs(deps(), selection());
});

it('what is deleted for good and taken back at the same moment is one of both, never half', async () => {
  const userId = userIds[0] ?? '';
  const all = { userId, outputIds };
  await trashOutputs(deps(), all);
  const [gone, back] = await Promise.all([
    deleteOutputs(deps(), { userId, outputIds: shuffled() }),
    restoreOutputs(deps(), { userId, outputIds: shuffled() }),
  ]);
  const rows = await t.db.select().from(outputs).where(inArray(outputs.id, outputIds));
  for (const row of rows) {
    const isBack = row.trashedAt === null;
    expect([isBack, gone.outputIds.includes(row.id), back.outputIds.includes(row.id)]).toEqual([
      isBack,
      !isBack,
      isBack,
    ]);
  }
  expect((await restoreOutputs(deps(), { userId, outputIds: gone.outputIds })).outputIds).toEqual([]);
});
