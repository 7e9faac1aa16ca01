import { eq, inArray, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  generationTaskEvents,
  generationTasks,
  maintenanceWorkers,
  outputs,
  rateLimits,
  requestKeys,
  sessions,
  uploads,
} from '#server/db/schema/index.ts';
import { createPreviewMaker } from '#server/generation/preview-outputs.ts';
import { newId } from '#server/lib/ids.ts';
import { StorageError } from '#server/storage/asset-store.ts';
import { setCrashHandler } from '#server/testing/crash-points.ts';
import { createUser } from '#server/testing/factories.ts';
import { createRig, type Rig } from '#server/testing/rig.ts';
import { runRetentionBatch } from './run-retention-batch.ts';
import { makeOldTask, OVER, putFile, STATES, type State } from './testing/old-tasks.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig.close());
afterEach(() => setCrashHandler(undefined));

const run = (limit = 500, deps = rig.deps) => runRetentionBatch(deps, { limit, workerId: 'test-worker' });
const exists = async (key: string) => (await rig.deps.storage.stat(key)) !== undefined;

describe('rows without files', () => {
  it('removes sessions, rate limits and daemons that are over, and keeps the others', async () => {
    const user = await createUser(rig.db);
    const at = (seconds: number) => new Date(Date.now() + seconds * 1_000);
    await rig.db.insert(sessions).values([
      { id: 'a'.repeat(64), userId: user.id, expiresAt: at(-1) },
      { id: 'b'.repeat(64), userId: user.id, expiresAt: at(3_600) },
    ]);
    await rig.db.insert(rateLimits).values([
      { key: 'over', points: 3, expire: at(-1) },
      { key: 'open', points: 3, expire: at(60) },
      { key: 'for ever', points: 3, expire: null },
    ]);
    const worker = { version: '1', protocol: 1, startedAt: at(0) };
    await rig.db.insert(maintenanceWorkers).values([
      { ...worker, workerId: 'gone', lastSeenAt: at(-31 * 86_400) },
      { ...worker, workerId: 'away', lastSeenAt: at(-29 * 86_400) },
    ]);

    const result = await run();
    expect(result.counts).toMatchObject({ sessions: 1, rateLimits: 1, workers: 1 });
    expect(result.failed).toBe(0);
    const left = await rig.db.select().from(sessions).where(eq(sessions.userId, user.id));
    expect(left.map(({ id }) => id[0])).toEqual(['b']);
    expect((await rig.db.select().from(rateLimits)).map(({ key }) => key).sort()).toEqual([
      'for ever',
      'open',
    ]);
    expect((await rig.db.select().from(maintenanceWorkers)).map((w) => w.workerId)).toEqual(['away']);
  });

  it('comes again at once while a rule fills its turn, and in an hour when nothing is left', async () => {
    const user = await createUser(rig.db);
    const old = Array.from({ length: 5 }, (_, n) => ({
      id: `${n}`.repeat(64),
      userId: user.id,
      expiresAt: new Date(Date.now() - 1_000),
    }));
    await rig.db.insert(sessions).values(old);
    const first = await run(3);
    expect(first).toMatchObject({ counts: { sessions: 3 }, hasMore: true });
    expect(first.nextDueAt.getTime()).toBeLessThanOrEqual(Date.now());
    const second = await run(3);
    expect(second).toMatchObject({ counts: { sessions: 2 }, hasMore: false });
    expect(second.nextDueAt.getTime() - Date.now()).toBeGreaterThan(3_500_000);
    expect(await run(3)).toMatchObject({ counts: {}, hasMore: false, failed: 0 });
  });

  it('handles each row once when four turns run at the same time', async () => {
    const user = await createUser(rig.db);
    const old = Array.from({ length: 40 }, () => ({
      id: newId().replaceAll('-', '').repeat(2),
      userId: user.id,
      expiresAt: new Date(Date.now() - 1_000),
    }));
    await rig.db.insert(sessions).values(old);
    const turns = await Promise.all([run(20), run(20), run(20), run(20)]);
    const handled = turns.reduce((sum, turn) => sum + (turn.counts.sessions ?? 0), 0);
    expect(handled).toBe(40);
    expect(turns.every((turn) => turn.failed === 0)).toBe(true);
  });
});

describe('what tasks leave behind', () => {
  it('lets nobody but retention delete events, and nobody change them', async () => {
    const task = await makeOldTask(rig.deps, { state: 'failed, refunded', days: 2 });
    const mine = eq(generationTaskEvents.taskId, task.id);
    const refused = { cause: expect.objectContaining({ message: expect.stringContaining('append-only') }) };
    await expect(rig.db.delete(generationTaskEvents).where(mine)).rejects.toMatchObject(refused);
    await expect(
      rig.db.transaction(async (tx) => {
        await tx.execute(sql`set local sidelane.retention = 'on'`);
        await tx.update(generationTaskEvents).set({ reason: 'otherwise' }).where(mine);
      }),
    ).rejects.toMatchObject(refused);
    await rig.db.transaction(async (tx) => {
      await tx.execute(sql`set local sidelane.retention = 'on'`);
      await tx.delete(generationTaskEvents).where(mine);
    });
    expect(await rig.db.select().from(generationTaskEvents).where(mine)).toEqual([]);
    // `set local` ends with its transaction.
    await expect(rig.db.delete(generationTaskEvents)).rejects.toMatchObject(refused);
  });

  it('touches events, request keys and outputs only of tasks that are over, in every state of task and money', async () => {
    const user = await createUser(rig.db, { outputRetentionDays: 30, balanceCredits: 10_000 });
    const tasks = new Map<State, Awaited<ReturnType<typeof makeOldTask>>>();
    for (const state of STATES) {
      tasks.set(state, await makeOldTask(rig.deps, { state, days: 400, userId: user.id }));
    }
    const before = await rig.db.select().from(generationTasks).where(eq(generationTasks.userId, user.id));
    const result = await run();
    expect(result).toMatchObject({
      failed: 0,
      counts: { events: OVER.length, requestKeys: OVER.length, outputs: OVER.length },
    });
    for (const [state, task] of tasks) {
      const [events, keys, [output]] = await Promise.all([
        rig.db.select().from(generationTaskEvents).where(eq(generationTaskEvents.taskId, task.id)),
        rig.db.select().from(requestKeys).where(eq(requestKeys.taskId, task.id)),
        rig.db.select().from(outputs).where(eq(outputs.taskId, task.id)),
      ]);
      const kept = !OVER.includes(state);
      const found = {
        events: events.length,
        keys: keys.length,
        file: await exists(`outputs/${task.id}/0`),
        preview: await exists(`previews/${task.id}/0.webp`),
        removed: output?.removedAt !== null,
      };
      expect([state, found]).toEqual([
        state,
        kept
          ? { events: 2, keys: 1, file: true, preview: true, removed: false }
          : { events: 0, keys: 0, file: false, preview: false, removed: true },
      ]);
    }
    const after = await rig.db.select().from(generationTasks).where(eq(generationTasks.userId, user.id));
    const facts = (rows: typeof before) =>
      rows.map(({ id, status, nextPollAt }) => ({ id, status, nextPollAt }));
    expect(facts(after)).toEqual(facts(before));
    expect(
      await rig.db
        .select()
        .from(outputs)
        .where(
          inArray(
            outputs.taskId,
            after.map((t) => t.id),
          ),
        ),
    ).toHaveLength(STATES.length);
  });

  it('keeps what ended within the time, however early it was submitted', async () => {
    const user = await createUser(rig.db, { outputRetentionDays: 30 });
    const young = await makeOldTask(rig.deps, { state: 'succeeded, settled', days: 500, userId: user.id });
    await rig.t
      .sql`update generation_tasks set finished_at = now() - interval '29 days' where id = ${young.id}`;
    await rig.t.sql`update outputs set created_at = now() - interval '29 days' where task_id = ${young.id}`;
    expect((await run()).counts).toEqual({});
    await rig.t
      .sql`update generation_tasks set finished_at = now() - interval '31 days' where id = ${young.id}`;
    await rig.t.sql`update outputs set created_at = now() - interval '31 days' where task_id = ${young.id}`;
    expect((await run()).counts).toEqual({ requestKeys: 1, outputs: 1 });
    await rig.t
      .sql`update generation_tasks set finished_at = now() - interval '366 days' where id = ${young.id}`;
    expect((await run()).counts).toEqual({ events: 1 });
  });

  it('removes no output of a person who keeps them, and a late one only after their days', async () => {
    const keeper = await createUser(rig.db);
    await makeOldTask(rig.deps, { state: 'succeeded, settled', days: 20, userId: keeper.id });
    const user = await createUser(rig.db, { outputRetentionDays: 5 });
    const task = await makeOldTask(rig.deps, { state: 'failed, refunded', days: 8, userId: user.id });
    await rig.t.sql`
      update outputs set late = true, created_at = now() - interval '4 days' where id = ${task.outputId}`;
    expect((await run()).counts).toEqual({});
    await rig.t.sql`update outputs set created_at = now() - interval '6 days' where id = ${task.outputId}`;
    expect((await run()).counts).toEqual({ outputs: 1 });
    const [row] = await rig.db.select().from(outputs).where(eq(outputs.id, task.outputId));
    expect(row).toMatchObject({ late: true, bytes: 4, previewKey: null });
  });

  it('tells pages that a file was removed, once', async () => {
    const user = await createUser(rig.db, { outputRetentionDays: 5 });
    const task = await makeOldTask(rig.deps, { state: 'succeeded, settled', days: 8, userId: user.id });
    const version = async () =>
      (await rig.db.select().from(generationTasks).where(eq(generationTasks.id, task.id)))[0]?.version ?? 0;
    const before = await version();
    await Promise.all([run(), run()]);
    expect(await version()).toBe(before + 1);
  });

  it('says so when the process ended between the file and its row', async () => {
    const user = await createUser(rig.db, { outputRetentionDays: 5 });
    const task = await makeOldTask(rig.deps, { state: 'succeeded, settled', days: 8, userId: user.id });
    setCrashHandler((name) => {
      if (name === 'retention.after-file') throw new Error('crashed');
    });
    expect(await run()).toMatchObject({ failed: 1, hasMore: false });
    expect(await exists(`outputs/${task.id}/0`)).toBe(false);
    setCrashHandler(undefined);
    expect((await run()).counts).toEqual({ outputs: 1 });
    expect((await run()).counts).toEqual({});
  });

  it('leaves no preview behind that was made while its output was removed', async () => {
    const user = await createUser(rig.db, { outputRetentionDays: 5 });
    const task = await makeOldTask(rig.deps, { state: 'succeeded, settled', days: 8, userId: user.id });
    await rig.t
      .sql`update outputs set preview_key = null, preview_tried_at = null where id = ${task.outputId}`;
    let previewKey = '';
    const maker = createPreviewMaker({
      ...rig.deps,
      async makePreview(store, input) {
        expect((await run()).counts).toEqual({ outputs: 1 });
        previewKey = `${input.storageKey}.preview.webp`;
        await putFile(store, previewKey);
        return { storageKey: previewKey };
      },
    });
    await maker.forTask(task.id);
    expect([previewKey === '', await exists(previewKey)]).toEqual([false, false]);
    const [row] = await rig.db.select().from(outputs).where(eq(outputs.id, task.outputId));
    expect(row).toMatchObject({ removedAt: expect.any(Date), previewKey: null });
  });

  it('comes again for a preview that was saved while its output was removed', async () => {
    const user = await createUser(rig.db, { outputRetentionDays: 5 });
    const task = await makeOldTask(rig.deps, { state: 'succeeded, settled', days: 8, userId: user.id });
    const late = `previews/${task.id}/late.webp`;
    setCrashHandler(async (name) => {
      if (name !== 'retention.after-file') return;
      await putFile(rig.deps.storage, late);
      await rig.t.sql`update outputs set preview_key = ${late} where id = ${task.outputId}`;
    });
    await run();
    setCrashHandler(undefined);
    expect(await exists(late)).toBe(true);
    expect((await run()).counts).toEqual({ outputs: 1 });
    expect(await exists(late)).toBe(false);
    expect((await run()).counts).toEqual({});
  });
});

describe('uploads', () => {
  async function upload(input: { userId: string; hours: number; used?: boolean }) {
    const id = newId();
    const storageKey = `uploads/${input.userId}/${id}`;
    await putFile(rig.deps.storage, storageKey);
    await rig.db.insert(uploads).values({
      id,
      userId: input.userId,
      storageKey,
      fileName: 'a.png',
      mime: 'image/png',
      bytes: 4,
      sha256: '0'.repeat(64),
      createdAt: new Date(Date.now() - input.hours * 3_600_000),
      usedAt: input.used ? new Date() : null,
    });
    return { id, storageKey };
  }
  const rowOf = async (id: string) => (await rig.db.select().from(uploads).where(eq(uploads.id, id)))[0];

  it('removes those that no task used within a day, file and row, and no other', async () => {
    const user = await createUser(rig.db);
    const old = await upload({ userId: user.id, hours: 25 });
    const young = await upload({ userId: user.id, hours: 23 });
    const used = await upload({ userId: user.id, hours: 1_000, used: true });
    expect((await run()).counts).toEqual({ uploads: 1 });
    expect(await rowOf(old.id)).toBeUndefined();
    expect(await exists(old.storageKey)).toBe(false);
    for (const kept of [young, used]) {
      expect(await rowOf(kept.id)).toBeDefined();
      expect(await exists(kept.storageKey)).toBe(true);
    }
  });

  it('gives no task a file that is being removed, and ends the removal that a process left', async () => {
    const old = await upload({ userId: rig.user.id, hours: 25 });
    setCrashHandler((name) => {
      if (name === 'retention.after-file') throw new Error('crashed');
    });
    expect(await run()).toMatchObject({ failed: 1 });
    setCrashHandler(undefined);
    await expect(rig.submit('image', { references: [old.id] })).rejects.toMatchObject({
      code: 'bad_request',
      field: 'references',
    });
    expect((await run()).counts).toEqual({ uploads: 1 });
    expect(await rowOf(old.id)).toBeUndefined();
  });

  it('keeps each upload for the task or removes it whole when both come at once', async () => {
    const olds = await Promise.all(
      Array.from({ length: 8 }, () => upload({ userId: rig.user.id, hours: 25 })),
    );
    const [, ...submits] = await Promise.all([
      run(),
      ...olds.map((old) =>
        rig.submit('image', { references: [old.id] }).then(
          () => 'taken' as const,
          () => 'refused' as const,
        ),
      ),
    ]);
    await run();
    for (const [index, old] of olds.entries()) {
      const isThere = submits[index] === 'taken';
      expect([submits[index], (await rowOf(old.id)) !== undefined, await exists(old.storageKey)]).toEqual([
        submits[index],
        isThere,
        isThere,
      ]);
    }
  });
});

describe('bytes that wait to be archived', () => {
  it('are removed with a task that is over for a month, and in no other state', async () => {
    const user = await createUser(rig.db, { balanceCredits: 10_000 });
    const kept: string[] = [];
    const removed: string[] = [];
    const put = async (state: State, days: number) => {
      const dispatch = { phase: 'sent' as const, sentAt: new Date() };
      const task = await makeOldTask(rig.deps, { state, days, userId: user.id, dispatch });
      const key = `incoming/${task.dispatch?.id}/0`;
      await putFile(rig.deps.storage, key);
      (OVER.includes(state) && days > 30 ? removed : kept).push(key);
    };
    for (const state of STATES) await put(state, 40);
    await put('failed, refunded', 20);
    const unknown = `incoming/${newId()}/0`;
    await putFile(rig.deps.storage, unknown);
    expect((await run()).counts).toMatchObject({ incoming: OVER.length });
    for (const key of removed) expect(await exists(key)).toBe(false);
    for (const key of [...kept, unknown]) expect(await exists(key)).toBe(true);
    expect((await run()).counts).toEqual({});
  });
});

describe('faults', () => {
  const failing = (fails: (key: string) => boolean) => ({
    ...rig.deps,
    storage: {
      ...rig.deps.storage,
      async delete(key: string) {
        if (fails(key)) throw new StorageError('io', 'The disk does not answer.');
        await rig.deps.storage.delete(key);
      },
    },
  });

  it('stops no other rule and no other file when one cannot be removed', async () => {
    const user = await createUser(rig.db, { outputRetentionDays: 5 });
    const bad = await makeOldTask(rig.deps, { state: 'succeeded, settled', days: 8, userId: user.id });
    const good = await makeOldTask(rig.deps, { state: 'succeeded, settled', days: 8, userId: user.id });
    await rig.db.insert(sessions).values({ id: 'c'.repeat(64), userId: user.id, expiresAt: new Date(0) });
    const result = await run(
      500,
      failing((key) => key.includes(bad.id)),
    );
    expect(result).toMatchObject({ counts: { outputs: 1, sessions: 1 }, failed: 1, hasMore: false });
    const rows = await rig.db
      .select()
      .from(outputs)
      .where(inArray(outputs.taskId, [bad.id, good.id]));
    expect(rows.filter((row) => row.removedAt !== null).map((row) => row.taskId)).toEqual([good.id]);
    expect((await run()).counts).toEqual({ outputs: 1 });
  });

  it('asks a store that does not answer a few times per turn only', async () => {
    const user = await createUser(rig.db, { outputRetentionDays: 5 });
    for (let n = 0; n < 12; n += 1) {
      await makeOldTask(rig.deps, { state: 'succeeded, settled', days: 8, userId: user.id });
    }
    let asked = 0;
    const result = await run(
      500,
      failing(() => {
        asked += 1;
        return true;
      }),
    );
    expect(asked).toBe(5);
    expect(result).toMatchObject({ counts: {}, failed: 1 });
    expect((await run()).counts).toEqual({ outputs: 12 });
  });

  it('goes on with the other rules when a statement fails', async () => {
    const user = await createUser(rig.db);
    await rig.db.insert(sessions).values({ id: 'd'.repeat(64), userId: user.id, expiresAt: new Date(0) });
    await rig.t
      .sql`insert into rate_limits (key, points, expire) values ('stuck', 1, now() - interval '1 day')`;
    await rig.t.sql.unsafe(`
      create function refuse_this() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
      create trigger broken before delete on rate_limits for each statement execute function refuse_this();`);
    try {
      expect(await run()).toMatchObject({ counts: { sessions: 1 }, failed: 1 });
    } finally {
      await rig.t.sql.unsafe('drop trigger broken on rate_limits; drop function refuse_this();');
    }
    expect((await run()).counts).toEqual({ rateLimits: 1 });
  });
});
