import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createTask } from '#server/testing/factories.ts';
import { closeUnsentDispatch, markDispatchSent, recordEvidence } from './dispatch-queries.ts';

/** `intent → sent` is the one gate to a create call. Each of its conditions alone keeps it shut. */

let t: TestDatabase;
beforeAll(async () => {
  t = await createTestDatabase();
});
afterAll(() => t.close());

async function intent() {
  const executorId = newId();
  const task = await createTask(t.db, {
    status: 'dispatching',
    leaseToken: 7,
    leasedBy: executorId,
    leaseUntil: new Date(Date.now() + 60_000),
    dispatch: { phase: 'intent', sentAt: null, claimToken: 7, executorId },
  });
  const dispatchId = task.dispatch?.id ?? '';
  const lease = { taskId: task.id, token: 7, executorId, workerId: null, wakeSeq: 0 };
  return { taskId: task.id, dispatchId, lease };
}

const phaseOf = async (id: string) => (await t.sql`select phase from dispatches where id = ${id}`)[0]?.phase;

describe('the gate', () => {
  it('lets the holder through once, however often it asks', async () => {
    const { dispatchId, lease } = await intent();
    const passes = await Promise.all(
      Array.from({ length: 8 }, () => markDispatchSent(t.db, { dispatchId, lease })),
    );
    expect(passes.filter(Boolean)).toHaveLength(1);
    expect(await markDispatchSent(t.db, { dispatchId, lease })).toBe(false);
    expect(await closeUnsentDispatch(t.db, { dispatchId, from: 'recovery' })).toBe(false);
  });

  it.each<[string, string]>([
    ['another claim has the task', 'lease_token = 8'],
    ['another executor has the task', `leased_by = '${newId()}'`],
    ['the lease has run out', `lease_until = now() - interval '1 second'`],
    ['a cancel was asked for', 'cancel_requested_at = now()'],
    ['the task has gone back to the queue', `status = 'queued'`],
    [
      'the task is uncertain',
      `status = 'uncertain', uncertain_reason = 'no_answer', uncertain_until = now() + interval '1 day'`,
    ],
  ])('is shut when %s', async (_name, set) => {
    const { taskId, dispatchId, lease } = await intent();
    await t.sql.unsafe(`update generation_tasks set ${set} where id = $1`, [taskId]);
    expect(await markDispatchSent(t.db, { dispatchId, lease })).toBe(false);
    expect(await phaseOf(dispatchId)).toBe('intent');
  });

  it('is shut when the dispatch was closed as not sent', async () => {
    const { dispatchId, lease } = await intent();
    expect(await closeUnsentDispatch(t.db, { dispatchId, from: 'recovery' })).toBe(true);
    expect(await markDispatchSent(t.db, { dispatchId, lease })).toBe(false);
  });

  it('is shut for a dispatch that another claim has opened', async () => {
    const { dispatchId, lease } = await intent();
    await t.sql`update dispatches set claim_token = 6 where id = ${dispatchId}`;
    expect(await markDispatchSent(t.db, { dispatchId, lease })).toBe(false);
  });
});

describe('evidence', () => {
  it('is written once: the first word stands, by whomever', async () => {
    const { taskId, dispatchId, lease } = await intent();
    await markDispatchSent(t.db, { dispatchId, lease });
    const say = (upstreamId: string) =>
      recordEvidence(t.db, {
        dispatchId,
        taskId,
        from: upstreamId,
        patch: { outcome: 'accepted', upstreamId, pollRef: { id: upstreamId, endpoint: 'images' } },
      });
    const kept = await Promise.all(['a', 'b', 'c', 'd'].map(say));
    expect(kept.filter(Boolean)).toHaveLength(1);
    const [row] = await t.sql`select evidence_from, upstream_id from dispatches where id = ${dispatchId}`;
    expect(row?.evidence_from).toBe(row?.upstream_id);
  });

  it('wakes the task of another holder and leaves the knower’s own delays alone', async () => {
    const { taskId, dispatchId, lease } = await intent();
    const wakeSeq = async () =>
      Number((await t.sql`select wake_seq from generation_tasks where id = ${taskId}`)[0]?.wake_seq);
    await recordEvidence(t.db, { dispatchId, taskId, from: 'call', patch: {}, knower: lease });
    expect(await wakeSeq()).toBe(0);
    await t.sql`update generation_tasks set lease_token = 8 where id = ${taskId}`;
    await recordEvidence(t.db, { dispatchId, taskId, from: 'call', patch: {}, knower: lease });
    expect(await wakeSeq()).toBe(1);
  });
});
