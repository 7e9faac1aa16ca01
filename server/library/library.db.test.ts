import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as schema from '#server/db/schema/index.ts';
import { generationTasks, outputs } from '#server/db/schema/index.ts';
import { readTask } from '#server/generation/read-tasks.ts';
import { createUser, createTask as insertTask, type TestUser } from '#server/testing/factories.ts';
import { createRig, type Rig } from '#server/testing/rig.ts';
import { listLibrary, readChoices } from './list-library.ts';
import {
  addToCollection,
  createCollection,
  removeCollection,
  removeFromCollection,
  renameCollection,
} from './manage-collections.ts';
import { deleteOutputs, markFavorite, restoreOutputs, trashOutputs } from './mark-outputs.ts';
import { readOutput } from './read-output.ts';
import { readStorage } from './read-storage.ts';
import { type LibraryFilter, libraryListInput } from './schemas.ts';

let rig: Rig;
let user: TestUser;
let stranger: TestUser;
/** Ids of files by what they are. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  rig = await createRig();
  user = await createUser(rig.db, { timeZone: 'Asia/Shanghai' });
  stranger = await createUser(rig.db);
  const { image, video, text } = rig.models;
  await make('harbour', { modelId: image.id, prompt: 'A quiet harbour', files: 3 });
  await make('percent', { modelId: image.id, prompt: '100% wool_coat' });
  await make('train', { modelId: video.id, prompt: 'A train at NIGHT', id: idOf('2026-03-04T15:59:00Z') });
  await make('train-next-day', { modelId: video.id, prompt: 'A train', id: idOf('2026-03-04T16:00:00Z') });
  await make('letter', { modelId: text.id, prompt: 'A letter' });
  const parent = await insertTask(rig.db, {
    userId: user.id,
    modelId: text.id,
    kind: 'agent',
    status: 'waiting',
  });
  await make('part', { modelId: image.id, prompt: 'A part', parentId: parent.id });
  await make('foreign', {
    modelId: image.id,
    prompt: 'A quiet harbour of somebody else',
    userId: stranger.id,
  });
});
afterAll(() => rig.close());

function idOf(moment: string): string {
  const hex = Date.parse(moment).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7abc-8abc-${Math.random().toString(16).slice(2, 14).padEnd(12, '0')}`;
}

/** A succeeded task with its files; the first one is called as the task, further ones `name-2` and so on. */
async function make(
  name: string,
  { files = 1, ...overrides }: Parameters<typeof insertTask>[1] & { files?: number },
): Promise<void> {
  const task = await insertTask(rig.db, { userId: user.id, status: 'succeeded', ...overrides });
  const [first] = await rig.db.select().from(outputs).where(eq(outputs.taskId, task.id));
  if (!first) throw new Error('The task has no file.');
  ids[name] = first.id;
  for (let ordinal = 1; ordinal < files; ordinal += 1) {
    const { id: _id, ...row } = first;
    const [further] = await rig.db
      .insert(outputs)
      .values({ ...row, ordinal })
      .returning();
    ids[`${name}-${ordinal + 1}`] = further?.id ?? '';
  }
}

const id = (name: string): string => ids[name] ?? '';
const nameOf = (outputId: string) => Object.entries(ids).find(([, each]) => each === outputId)?.[0];

async function names(filter: LibraryFilter & { limit?: number; cursor?: string } = {}): Promise<unknown[]> {
  const { items } = await listLibrary(rig.deps, { ...libraryListInput.parse(filter), userId: user.id });
  return items.map((item) => nameOf(item.id));
}

const ALL = ['part', 'letter', 'percent', 'harbour', 'harbour-2', 'harbour-3', 'train-next-day', 'train'];

describe('the list', () => {
  it('shows every file of the person, newest task first, in pages that lose and repeat nothing', async () => {
    expect(await names()).toEqual(ALL);
    for (const limit of [1, 2, 3]) {
      const seen: unknown[] = [];
      let cursor: string | undefined;
      do {
        const page = await listLibrary(rig.deps, { userId: user.id, limit, cursor });
        seen.push(...page.items.map((item) => nameOf(item.id)));
        cursor = page.nextCursor ?? undefined;
      } while (cursor);
      expect(seen, `pages of ${limit}`).toEqual(ALL);
    }
  });

  it('is filtered by kind, model, maker, text and days of the owner', async () => {
    expect(await names({ kind: 'video' })).toEqual(['train-next-day', 'train']);
    expect(await names({ model: rig.models.text.slug })).toEqual(['letter']);
    expect(await names({ model: 'no such model' })).toEqual([]);
    expect(await names({ madeBy: 'agent' })).toEqual(['part']);
    expect(await names({ madeBy: 'own', kind: 'text' })).toEqual(['letter']);
    expect(await names({ text: 'night' })).toEqual(['train']);
    expect(await names({ text: '0% wool_' })).toEqual(['percent']);
    // As a pattern these would match everything.
    expect(await names({ text: '%' })).toEqual(['percent']);
    expect(await names({ text: 'a_quiet' })).toEqual([]);
    expect(await names({ text: '\\' })).toEqual([]);
    // 16:00 UTC is midnight in Shanghai.
    expect(await names({ from: '2026-03-05', to: '2026-03-05' })).toEqual(['train-next-day']);
    expect(await names({ to: '2026-03-04' })).toEqual(['train']);
  });

  it('takes the same number of statements for few and for many', async () => {
    const statements: string[] = [];
    const counted = drizzle(rig.t.sql, {
      schema,
      logger: { logQuery: (query) => void statements.push(query) },
    });
    const count = async (limit: number) => {
      statements.length = 0;
      await listLibrary({ db: counted }, { userId: user.id, limit });
      return statements.length;
    };
    expect([await count(1), await count(8)]).toEqual([1, 1]);
    statements.length = 0;
    await readChoices({ db: counted }, user.id);
    expect(statements).toHaveLength(2);
  });

  it('offers the models of the person and nobody else’s', async () => {
    const { models } = await readChoices(rig.deps, user.id);
    expect(models.map(({ slug }) => slug).sort()).toEqual(
      [rig.models.image.slug, rig.models.video.slug, rig.models.text.slug].sort(),
    );
  });
});

describe('a file', () => {
  it('knows its task, what it cost, the files beside it and the models that take it on', async () => {
    const view = await readOutput(rig.deps, { userId: user.id, outputId: id('harbour-2') });
    expect(view).toMatchObject({
      fullPrompt: 'A quiet harbour',
      task: { kind: 'image' },
      parent: null,
      madeBy: 'own',
      cost: { chargedCredits: 4, outputs: 3 },
      previousId: id('harbour'),
      nextId: id('harbour-3'),
      followUps: [{ make: 'image', model: { slug: rig.models.image.slug }, role: 'reference' }],
    });
    const alone = { userId: user.id, outputId: id('percent'), text: 'wool' };
    expect(await readOutput(rig.deps, alone)).toMatchObject({ previousId: null, nextId: null });
    const part = await readOutput(rig.deps, { userId: user.id, outputId: id('part') });
    expect(part).toMatchObject({ parent: { kind: 'agent' }, previousId: null, nextId: id('letter') });
    const letter = await readOutput(rig.deps, { userId: user.id, outputId: id('letter') });
    expect(letter.followUps).toEqual([]);
  });

  it('is nobody else’s', async () => {
    const foreign = { userId: user.id, outputId: id('foreign') };
    await expect(readOutput(rig.deps, foreign)).rejects.toMatchObject({ code: 'not_found' });
    const selection = { userId: user.id, outputIds: [id('foreign')] };
    expect(await markFavorite(rig.deps, { ...selection, favorite: true })).toEqual({ outputIds: [] });
    expect(await trashOutputs(rig.deps, selection)).toEqual({ outputIds: [] });
    const { id: collectionId } = await createCollection(rig.deps, { userId: user.id, name: 'Stolen' });
    expect(await addToCollection(rig.deps, { ...selection, collectionId })).toEqual({ added: 0 });
    await expect(
      addToCollection(rig.deps, { userId: stranger.id, collectionId, outputIds: [id('foreign')] }),
    ).rejects.toMatchObject({ code: 'not_found' });
    await removeCollection(rig.deps, { userId: user.id, collectionId });
  });
});

describe('favourites and collections', () => {
  it('hold files until they are taken out', async () => {
    const two = [id('train'), id('letter')];
    await markFavorite(rig.deps, { userId: user.id, outputIds: two, favorite: true });
    expect(await names({ favorite: true })).toEqual(['letter', 'train']);
    await markFavorite(rig.deps, { userId: user.id, outputIds: two, favorite: false });
    expect(await names({ favorite: true })).toEqual([]);

    const own = { userId: user.id };
    const trips = await createCollection(rig.deps, { ...own, name: 'Trips' });
    const later = await createCollection(rig.deps, { ...own, name: 'Later' });
    await expect(createCollection(rig.deps, { ...own, name: 'TRIPS' })).rejects.toMatchObject({
      code: 'conflict',
      field: 'name',
    });
    await expect(
      renameCollection(rig.deps, { ...own, collectionId: later.id, name: 'trips' }),
    ).rejects.toMatchObject({ code: 'conflict' });
    await renameCollection(rig.deps, { ...own, collectionId: trips.id, name: 'TRIPS' });

    expect(await addToCollection(rig.deps, { ...own, collectionId: trips.id, outputIds: two })).toEqual({
      added: 2,
    });
    expect(await names({ collection: trips.id })).toEqual(['letter', 'train']);
    await addToCollection(rig.deps, {
      ...own,
      collectionId: later.id,
      outputIds: [id('train')],
      from: trips.id,
    });
    expect(await names({ collection: trips.id })).toEqual(['letter']);
    expect((await readChoices(rig.deps, user.id)).collections).toMatchObject([
      { name: 'Later', outputs: 1 },
      { name: 'TRIPS', outputs: 1 },
    ]);
    await removeFromCollection(rig.deps, { ...own, collectionId: trips.id, outputIds: [id('letter')] });
    await removeCollection(rig.deps, { ...own, collectionId: later.id });
    await removeCollection(rig.deps, { ...own, collectionId: trips.id });
    expect(await names({ kind: 'text' })).toEqual(['letter']);
  });
});

describe('the trash', () => {
  it('hides files everywhere, tells the pages of their tasks, and gives them back', async () => {
    const selection = { userId: user.id, outputIds: [id('harbour-2'), id('letter')] };
    const [row] = await rig.db
      .select()
      .from(outputs)
      .where(eq(outputs.id, id('harbour-2')));
    const taskId = row?.taskId ?? '';
    const versionOf = async () =>
      (await rig.db.select().from(generationTasks).where(eq(generationTasks.id, taskId)))[0]?.version ?? 0;
    const before = await versionOf();
    expect((await trashOutputs(rig.deps, selection)).outputIds.sort()).toEqual(selection.outputIds.sort());
    expect(await names()).toEqual(ALL.filter((name) => name !== 'harbour-2' && name !== 'letter'));
    expect(await names({ trash: true })).toEqual(['letter', 'harbour-2']);
    expect(await versionOf()).toBe(before + 1);
    const view = await readTask(rig.deps, { userId: user.id, taskId });
    expect(view.outputs.map(({ removedAt, isTrashed }) => [removedAt !== null, isTrashed])).toEqual([
      [false, false],
      [true, true],
      [false, false],
    ]);
    expect(await readStorage(rig.deps, user.id)).toMatchObject({
      kinds: [
        { kind: 'image', files: 4, bytes: 16 },
        { kind: 'video', files: 2, bytes: 8 },
      ],
      trash: { files: 2, bytes: 8 },
      totalBytes: 32,
    });
    const trashed = await readOutput(rig.deps, { userId: user.id, outputId: id('letter') });
    expect(trashed).toMatchObject({ nextId: id('harbour-2'), previousId: null });

    await restoreOutputs(rig.deps, selection);
    expect(await names()).toEqual(ALL);
    expect(await versionOf()).toBe(before + 2);
  });

  it('takes nothing of tasks under way, and what is deleted for good does not come back', async () => {
    const task = await insertTask(rig.db, {
      userId: user.id,
      modelId: rig.models.image.id,
      status: 'archiving',
    });
    const [made] = await rig.db
      .insert(outputs)
      .values({
        taskId: task.id,
        ordinal: 0,
        kind: 'image',
        mime: 'image/png',
        bytes: 4,
        sha256: '0'.repeat(64),
        storageKey: `outputs/${task.id}/0`,
      })
      .returning();
    const selection = { userId: user.id, outputIds: [made?.id ?? ''] };
    expect(await trashOutputs(rig.deps, selection)).toEqual({ outputIds: [] });
    await rig.db.delete(outputs).where(eq(outputs.taskId, task.id));

    const train = { userId: user.id, outputIds: [id('train')] };
    expect(await deleteOutputs(rig.deps, train)).toEqual({ outputIds: [] });
    await trashOutputs(rig.deps, train);
    expect(await deleteOutputs(rig.deps, train)).toEqual({ outputIds: [id('train')] });
    expect(await restoreOutputs(rig.deps, train)).toEqual({ outputIds: [] });
    expect(await names({ trash: true })).toEqual([]);
    await expect(readOutput(rig.deps, { userId: user.id, outputId: id('train') })).rejects.toMatchObject({
      code: 'not_found',
    });
    await rig.db.execute(sql`update outputs set trashed_at = null where id = ${id('train')}`);
  });
});
