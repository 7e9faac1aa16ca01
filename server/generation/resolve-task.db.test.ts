import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { createUser } from '#server/testing/factories.ts';
import { createStubRig, type StubRig, said, taken } from '#server/testing/stub-rig.ts';
import { readAttention } from './read-attention.ts';
import { resolveTask } from './resolve-task.ts';
import { resolveInput } from './schemas.ts';

/** What an administrator may say of a task whose outcome nobody knows. */

let rig: StubRig;
let operatorId = '';
beforeAll(async () => {
  rig = await createStubRig();
  operatorId = (await createUser(rig.db, { role: 'admin' })).id;
});
afterAll(() => rig.close());

const BROKEN = { status: 502, text: '<html>Bad gateway</html>' };
const reason = 'seen in the dashboard';

/** A create that was never answered. */
async function unanswered(
  vendor: 'openaiVideo' | 'openaiText' | 'openaiImage' = 'openaiVideo',
  columns = {},
) {
  const before = await rig.balance();
  const stub = await rig.openChannel(vendor, columns);
  stub.create = [BROKEN];
  const taskId = await rig.submitTo(stub, 'parameters' in columns ? { params: { n: 4 } } : {});
  await rig.until(taskId, (view) => view.status === 'uncertain');
  return { stub, taskId, before };
}

const give = (taskId: string, more: { urls?: string[]; text?: string }) =>
  resolveTask(rig.deps, { taskId, verdict: 'result', urls: [], text: '', reason, operatorId, ...more });
const auditOf = (taskId: string) =>
  rig.t.sql`select actor_id, action, reason, data from audit_log where subject_id = ${taskId}`;

describe('a given result', () => {
  it('is fetched, checked, charged and audited', async () => {
    const { stub, taskId, before } = await unanswered();
    await give(taskId, { urls: [stub.fileUrl('found')] });
    expect(await rig.view(taskId)).toMatchObject({ status: 'archiving', money: { state: 'held' } });
    const task = await rig.finish(taskId);
    expect(task).toMatchObject({ status: 'succeeded', money: { state: 'charged', chargedCredits: 5 } });
    expect(task.outputs).toHaveLength(1);
    expect(task.events.map((event) => event.text).join()).toContain(reason);
    expect(stub.count('create')).toBe(1);
    expect((await rig.balance()).balanceCredits).toBe(before.balanceCredits - 5);
    expect(await auditOf(taskId)).toEqual([
      { actor_id: operatorId, action: 'task.resolve', reason, data: { verdict: 'result' } },
    ]);
    const [dispatch] = await rig.t.sql`
      select outcome, evidence_from from dispatches where task_id = ${taskId}`;
    expect(dispatch).toEqual({ outcome: 'done', evidence_from: 'operator' });
  });

  it('of fewer files than ordered is charged for those', async () => {
    const n = { type: 'integer' as const, label: 'Images', minimum: 1, maximum: 4, default: 1 };
    const price = { unit: 'output' as const, credits: 3 };
    const { stub, taskId } = await unanswered('openaiImage', { parameters: { n }, price });
    await give(taskId, { urls: [stub.fileUrl('a'), stub.fileUrl('b')] });
    expect(await rig.finish(taskId)).toMatchObject({
      status: 'succeeded',
      money: { state: 'partly_charged', chargedCredits: 6, returnedCredits: 6 },
    });
  });

  it.each([
    ['words alone', 'A lamp.', { text: 'A lamp.', toolCalls: [] }],
    [
      'words and calls',
      '{"text":"","toolCalls":[{"id":"1","name":"finish","argumentsText":"{}"}]}',
      { text: '', toolCalls: [{ id: '1', name: 'finish', argumentsText: '{}' }] },
    ],
  ])('for the turn of a composite, %s, is what the composite can read', async (_, text, answer) => {
    const { taskId } = await unanswered('openaiText');
    await rig.t.sql`update generation_task_details
      set conversation = '{"instructions":"Draw.","turns":[{"role":"user","text":"a lamp"}],"tools":[]}'
      where task_id = ${taskId}`;
    await give(taskId, { text });
    await rig.finish(taskId);
    const [output] = await rig.t.sql<{ storage_key: string }[]>`
      select storage_key from outputs where task_id = ${taskId}`;
    const stored = await rig.deps.storage.open(output?.storage_key ?? '');
    expect(JSON.parse(Buffer.concat(await stored.stream.toArray()).toString('utf8'))).toEqual(answer);
  });

  it('that is no such file ends with a refund', async () => {
    const { stub, taskId, before } = await unanswered();
    stub.file = [{ text: '<html>expired</html>' }];
    await give(taskId, { urls: [stub.fileUrl()] });
    expect(await rig.finish(taskId)).toMatchObject({ status: 'failed', money: { state: 'refunded' } });
    expect(await rig.balance()).toEqual(before);
  });

  it('at an address of the inside is not asked for', async () => {
    const { taskId } = await unanswered();
    await expect(give(taskId, { urls: ['http://169.254.169.254/latest/'] })).rejects.toMatchObject({
      code: 'bad_request',
    });
    expect(await rig.view(taskId)).toMatchObject({ status: 'uncertain' });
  });

  it('as a text', async () => {
    const { taskId } = await unanswered('openaiText');
    await expect(give(taskId, { urls: ['http://example.com/a'] })).rejects.toMatchObject({
      code: 'bad_request',
    });
    await give(taskId, { text: 'What was written.' });
    const task = await rig.finish(taskId);
    expect(task).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
    expect(task.outputs).toMatchObject([{ kind: 'text', bytes: 17 }]);
  });

  it('is also taken for a job that is accepted and overdue', async () => {
    const stub = await rig.openChannel('replicateImage');
    stub.create = [taken()];
    stub.poll = [said('processing')];
    const taskId = await rig.submitTo(stub);
    await rig.until(taskId, (view) => view.status === 'running');
    await rig.t
      .sql`update generation_tasks set deadline_at = now() - interval '1 second' where id = ${taskId}`;
    await rig.until(taskId, (view) => view.status === 'uncertain');
    await give(taskId, { urls: [stub.fileUrl('found')] });
    expect(await rig.finish(taskId)).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
    expect(stub.seen.findLast((one) => one.call === 'file')?.target).toBe('/files/found');
    const [dispatch] = await rig.t.sql`select outcome from dispatches where task_id = ${taskId}`;
    expect(dispatch?.outcome).toBe('accepted');
  });

  it('without an address is no result', async () => {
    const { taskId } = await unanswered();
    await expect(give(taskId, {})).rejects.toMatchObject({ code: 'bad_request' });
    expect(await rig.view(taskId)).toMatchObject({ status: 'uncertain' });
    expect(await auditOf(taskId)).toEqual([]);
    await resolveTask(rig.deps, { taskId, verdict: 'failed', reason, operatorId });
  });

  it.each(['file:///etc/passwd', 'ftp://example.com/a', 'not an address'])('refuses %s', (url) => {
    const input = { taskId: newId(), verdict: 'result', urls: [url], reason };
    expect(resolveInput.safeParse(input).success).toBe(false);
  });

  it('is a conflict while somebody looks at the task, and after its end', async () => {
    const { stub, taskId } = await unanswered();
    await rig.t.sql`
      update generation_tasks set leased_by = ${newId()}, lease_until = now() + interval '1 minute'
      where id = ${taskId}`;
    await expect(give(taskId, { urls: [stub.fileUrl()] })).rejects.toMatchObject({ code: 'conflict' });
    expect(await auditOf(taskId)).toEqual([]);
    await rig.t.sql`update generation_tasks set leased_by = null, lease_until = null where id = ${taskId}`;
    await give(taskId, { urls: [stub.fileUrl()] });
    await expect(give(taskId, { urls: [stub.fileUrl()] })).rejects.toMatchObject({ code: 'conflict' });
    await rig.finish(taskId);
    await expect(give(taskId, { urls: [stub.fileUrl()] })).rejects.toMatchObject({ code: 'conflict' });
    expect(await auditOf(taskId)).toHaveLength(1);
    await expect(give(newId(), { urls: [stub.fileUrl()] })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('of two administrators at once is taken from one', async () => {
    const { stub, taskId } = await unanswered();
    const words = await Promise.allSettled([
      give(taskId, { urls: [stub.fileUrl('a')] }),
      give(taskId, { urls: [stub.fileUrl('b')] }),
      resolveTask(rig.deps, { taskId, verdict: 'failed', reason, operatorId }),
    ]);
    expect(words.filter((word) => word.status === 'fulfilled')).toHaveLength(1);
    const task = await rig.finish(taskId);
    expect(task.outputs).toHaveLength(task.status === 'succeeded' ? 1 : 0);
    expect(await auditOf(taskId)).toHaveLength(1);
  });
});

describe('a given job id', () => {
  it('is polled from then on and audited', async () => {
    const { stub, taskId } = await unanswered();
    stub.poll = [{ json: { id: 'v9', status: 'completed', url: stub.fileUrl() } }];
    const upstreamId = 'v9';
    await resolveTask(rig.deps, { taskId, verdict: 'upstream_id', upstreamId, reason, operatorId });
    expect(await rig.finish(taskId)).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
    expect(stub.seen.find((one) => one.call === 'poll')?.target).toBe('/v1/videos/v9');
    expect(await auditOf(taskId)).toMatchObject([{ action: 'task.resolve', reason }]);
    expect(stub.count('create')).toBe(1);
  });
});

describe('what waits for a person', () => {
  it('is listed with what is known, until it has ended', async () => {
    const { stub, taskId } = await unanswered();
    const [create] = await rig.t.sql`select id from dispatches where task_id = ${taskId}`;
    const listed = async () => (await readAttention(rig.deps)).uncertain.find((row) => row.taskId === taskId);
    expect(await listed()).toMatchObject({
      kind: 'video',
      protocol: 'openai',
      upstreamModel: 'sora-2',
      channelName: stub.url,
      userEmail: expect.stringContaining('@'),
      heldCredits: 5,
      reason: 'no_answer',
      clientRef: create?.id,
      upstreamId: null,
      mayReport: false,
      until: expect.any(Date),
      sentAt: expect.any(Date),
    });
    await resolveTask(rig.deps, { taskId, verdict: 'failed', reason, operatorId });
    expect(await listed()).toBeUndefined();
  });

  it('the one that the policy ends first comes first', async () => {
    const later = await unanswered();
    const sooner = await unanswered();
    await rig.t.sql`
      update generation_tasks set uncertain_until = now() + interval '1 hour' where id = ${sooner.taskId}`;
    const ids = (await readAttention(rig.deps)).uncertain.map((row) => row.taskId);
    expect(ids.indexOf(sooner.taskId)).toBeLessThan(ids.indexOf(later.taskId));
    for (const { taskId } of [later, sooner])
      await resolveTask(rig.deps, { taskId, verdict: 'failed', reason, operatorId });
  });

  it('a refund that the lane gave up on is listed with its reason', async () => {
    const { taskId } = await unanswered();
    await resolveTask(rig.deps, { taskId, verdict: 'failed', reason, operatorId });
    await rig.finish(taskId);
    await rig.t.sql`
      update credit_refunds set status = 'manual', next_attempt_at = null, settled_at = null, last_error = 'no account'
      where task_id = ${taskId}`;
    expect((await readAttention(rig.deps)).refunds).toMatchObject([
      { taskId, amountCredits: 5, lastError: 'no account' },
    ]);
    await rig.t.sql`
      update credit_refunds set status = 'settled', settled_at = now() where task_id = ${taskId}`;
  });
});

it('the books are right after all of it', async () => {
  expect(await rig.audit()).toEqual([]);
});
