import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashPassword } from '#server/auth/password.ts';
import { runRefundBatch } from '#server/billing/run-refund-batch.ts';
import { compositeSteps, compositeTasks, generationTaskDetails, outputs } from '#server/db/schema/index.ts';
import { insertStep } from '#server/generation/composite/queries.ts';
import { type CompositeRig, createCompositeRig } from '#server/generation/composite/testing/composite-rig.ts';
import { createUser } from '#server/testing/factories.ts';
import { closeAccount } from './close-account.ts';
import { exportAccount } from './export-account.ts';
import { runRetentionBatch } from './run-retention-batch.ts';

/** What retention, export and the end of an account do to composites and what they have made. */

let rig: CompositeRig;
beforeAll(async () => {
  rig = await createCompositeRig();
});
afterAll(() => rig.close());

const retain = () => runRetentionBatch(rig.deps, { limit: 500, workerId: null });
const outputsOf = (taskId: string) => rig.db.select().from(outputs).where(eq(outputs.taskId, taskId));
const PARTS = [{ key: 'a', kind: 'image' as const }];

async function newUser() {
  const user = await createUser(rig.db, {
    balanceCredits: 500,
    passwordHash: await hashPassword('correct horse'),
    outputRetentionDays: 1,
  });
  return user.id;
}

async function knockUntil(isDone: () => Promise<boolean>): Promise<void> {
  for (let knocks = 0; knocks < 400; knocks += 1) {
    if (await isDone()) return;
    await rig.knock();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('It did not come to that');
}

const isFinished = async (taskId: string) => {
  const [row] = await rig.t
    .sql`select finished_at is not null as is_over from generation_tasks where id = ${taskId}`;
  return row?.is_over === true;
};

async function settleRefunds(): Promise<void> {
  await knockUntil(async () => {
    await rig.t
      .sql`update credit_refunds set next_attempt_at = now() where status = 'pending' and lease_until is null`;
    await runRefundBatch(rig.deps, { limit: 100, workerId: null });
    return (await rig.t.sql`select 1 from credit_refunds where status = 'pending'`).length === 0;
  });
}

async function age(taskId: string): Promise<void> {
  await rig.t.sql`update generation_tasks set submitted_at = now() - interval '3 days' where id = ${taskId}`;
  await rig.t.sql`update outputs set created_at = now() - interval '3 days' where task_id = ${taskId}`;
  await rig.t.sql`alter table generation_tasks disable trigger user`;
  await rig.t.sql`update generation_tasks set finished_at = now() - interval '3 days' where id = ${taskId}`;
  await rig.t.sql`alter table generation_tasks enable trigger user`;
}

describe('files of children', () => {
  it('stay while their composite goes on, and while a revision that takes them over does', async () => {
    const userId = await newUser();
    const endless = { key: 'b', kind: 'video' as const, prompt: 'a lamp [[stuck]]' };
    const first = await rig.submitComposite({ parts: [...PARTS, endless], userId });
    await knockUntil(async () => (await rig.children(first))[0]?.status === 'succeeded');
    const childId = (await rig.children(first))[0]?.id ?? '';
    await age(childId);
    await retain();
    expect(await outputsOf(childId)).toMatchObject([{ removedAt: null }]);

    await rig.t
      .sql`update generation_tasks set cancel_requested_at = now(), next_poll_at = now() where id = ${first}`;
    await knockUntil(async () => (await rig.children(first))[1]?.status === 'running');
    await rig.t
      .sql`update generation_tasks set status = 'uncertain', uncertain_reason = 'overdue', uncertain_until = now(),
        next_poll_at = now(), lease_until = null, leased_by = null where parent_id = ${first} and status = 'running'`;
    await knockUntil(() => isFinished(first));
    const second = await rig.submitComposite({ parts: PARTS, asks: true, userId });
    await rig.db.transaction((tx) =>
      insertStep(tx, {
        taskId: second,
        key: 'taken',
        kind: 'image',
        status: 'done',
        childTaskId: childId,
        input: { takenOver: true },
      }),
    );
    await retain();
    expect(await outputsOf(childId)).toMatchObject([{ removedAt: null }]);

    await rig.t
      .sql`update generation_tasks set cancel_requested_at = now(), next_poll_at = now() where id = ${second}`;
    await knockUntil(() => isFinished(second));
    await rig.t.sql`update dispatches set next_watch_at = null`;
    await settleRefunds();
    await retain();
    expect((await outputsOf(childId))[0]?.removedAt).toBeInstanceOf(Date);
  });
});

describe('an account', () => {
  it('has its composites with plan and steps in its export', async () => {
    const userId = await newUser();
    const id = await rig.submitComposite({ parts: PARTS, userId });
    await knockUntil(() => isFinished(id));
    let text = '';
    for await (const piece of await exportAccount(rig.deps, userId)) text += piece;
    const { composites, tasks } = JSON.parse(text);
    expect(composites).toMatchObject([
      { taskId: id, settings: { parts: PARTS }, steps: [{ key: 'a', status: 'done' }] },
    ]);
    expect(tasks).toHaveLength(2);
    expect(tasks[1]).toMatchObject({ parentId: id });
  });

  it('that is closed ends its composites, and everything that its person wrote is erased', async () => {
    const userId = await newUser();
    const id = await rig.submitComposite({ parts: PARTS, asks: true, userId });
    const done = await rig.submitComposite({ parts: PARTS, userId });
    await knockUntil(() => isFinished(done));
    await rig.t
      .sql`update generation_task_details set conversation = '{"instructions":"x","turns":[],"tools":[]}'
      where task_id in (select id from generation_tasks where parent_id = ${done})`;
    await rig.t.sql`update composite_tasks set plan = '{"title":"secret"}' where task_id = ${done}`;
    await closeAccount(rig.deps, { userId, password: 'correct horse', limits: undefined });
    await knockUntil(() => isFinished(id));
    await settleRefunds();
    // Each task waits for the one that made it.
    for (let turns = 0; turns < 3; turns += 1) await retain();
    for (const taskId of [id, done, ...(await rig.children(done)).map((child) => child.id)]) {
      const [details] = await rig.db
        .select()
        .from(generationTaskDetails)
        .where(eq(generationTaskDetails.taskId, taskId));
      expect(details).toMatchObject({ prompt: '', conversation: null });
    }
    expect(await rig.db.select().from(compositeTasks).where(eq(compositeTasks.taskId, done))).toMatchObject([
      { settings: {}, plan: null },
    ]);
    expect(await rig.db.select().from(compositeSteps).where(eq(compositeSteps.taskId, done))).toMatchObject([
      { input: {}, result: null, status: 'done' },
    ]);
    await rig.t.sql`update users set deleted_at = now() - interval '2 hours' where id = ${userId}`;
    expect((await retain()).counts).toMatchObject({ closedAccounts: 1 });
    expect(await rig.audit()).toEqual([]);
  });
});
