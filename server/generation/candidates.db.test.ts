import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { modelCandidates, providerChannels, providerKeys } from '#server/db/schema/index.ts';
import { newId } from '#server/lib/ids.ts';
import { keyHint } from '#server/providers/channels/secrets.ts';
import { createRig, type Rig } from '#server/testing/rig.ts';
import { cancelTask } from './cancel-task.ts';

/** One public model over several accounts: who is asked, in which order, and when nobody else is asked. */

let rig: Rig;
let second: string;
beforeAll(async () => {
  rig = await createRig();
  second = await addAccount('Second account', `${rig.sandbox.url}/v1`);
  await addCandidate(second, 1);
});
afterAll(() => rig.close());
beforeEach(async () => {
  await rig.t.sql`
    update provider_channels set paused_until = null, cool_down_until = null, consecutive_failures = 0,
      requests_per_minute = null, next_create_at = null, enabled = true`;
});

async function addAccount(name: string, baseUrl: string): Promise<string> {
  const id = newId();
  await rig.db.insert(providerChannels).values({ id, name, protocol: 'openai', baseUrl });
  await rig.db.insert(providerKeys).values({
    id: newId(),
    channelId: id,
    ...rig.deps.keyRing.seal(rig.sandbox.apiKey, id),
    hint: keyHint(rig.sandbox.apiKey),
  });
  return id;
}

async function addCandidate(channelId: string, priority: number): Promise<void> {
  const { id: modelId } = rig.models.image;
  await rig.db.insert(modelCandidates).values({
    modelId,
    channelId,
    priority,
    upstreamModel: 'gpt-image-1-mini',
    endpoint: 'images',
  });
}

const dispatchesOf = (taskId: string) =>
  rig.t.sql<
    { channel_id: string; outcome: string | null; rejection_scope: string | null }[]
  >`select channel_id, outcome, rejection_scope from dispatches where task_id = ${taskId} order by number`;

describe('the next account', () => {
  it('is asked after a refusal for the account’s sake, with a new dispatch and the same hold', async () => {
    const before = await rig.balance();
    const taskId = await rig.submit('image', {
      prompt: 'a rope [[reject:402,insufficient_quota,You are out of credit,times=1]]',
    });
    const task = await rig.runToEnd(taskId);
    expect(task).toMatchObject({ status: 'succeeded', money: { state: 'charged', chargedCredits: 3 } });
    expect(await dispatchesOf(taskId)).toEqual([
      { channel_id: rig.channelId, outcome: 'rejected', rejection_scope: 'account' },
      { channel_id: second, outcome: 'done', rejection_scope: null },
    ]);
    expect((await rig.balance()).balanceCredits).toBe(before.balanceCredits - 3);
    expect(await rig.audit()).toEqual([]);
    const [row] = await rig.t.sql`
      select t.channel_id, d.snapshot->>'upstreamModel' as model from generation_tasks t
      join generation_task_details d on d.task_id = t.id where t.id = ${taskId}`;
    expect(row).toEqual({ channel_id: second, model: 'gpt-image-1-mini' });
    expect((await rig.creates(taskId)).map((create) => create.recorded)).toEqual([0, 1]);
  });

  it('is not asked when the request itself was refused', async () => {
    const taskId = await rig.submit('image', { prompt: 'a sail [[reject:400,invalid_size,No such size]]' });
    expect(await rig.runToEnd(taskId)).toMatchObject({ status: 'failed', failure: { code: 'rejected' } });
    expect(await dispatchesOf(taskId)).toMatchObject([
      { channel_id: rig.channelId, rejection_scope: 'request' },
    ]);
  });

  it('is not asked when the content was refused', async () => {
    const taskId = await rig.submit('image', { prompt: 'an oar [[moderate]]' });
    expect(await rig.runToEnd(taskId)).toMatchObject({ status: 'failed', failure: { code: 'moderated' } });
    expect(await dispatchesOf(taskId)).toHaveLength(1);
  });

  it('B46 is not asked after an unknown outcome', async () => {
    const taskId = await rig.submit('image', { prompt: 'a keel [[drop_after_accept]]' });
    await rig.runUntil(taskId, (view) => view.status === 'uncertain');
    for (let knocks = 0; knocks < 5; knocks += 1) await rig.knock();
    expect(await dispatchesOf(taskId)).toEqual([
      { channel_id: rig.channelId, outcome: null, rejection_scope: null },
    ]);
  });

  it('there is none after the last one: failed and refunded', async () => {
    const before = await rig.balance();
    const taskId = await rig.submit('image', {
      prompt: 'a mast [[reject:402,insufficient_quota,You are out of credit]]',
    });
    const task = await rig.runToEnd(taskId);
    expect(task).toMatchObject({ status: 'failed', money: { state: 'refunded' } });
    expect(await dispatchesOf(taskId)).toHaveLength(2);
    expect(await rig.balance()).toEqual(before);
  });

  it('is not asked for a task whose cancel came meanwhile', async () => {
    await rig.t
      .sql`update provider_channels set paused_until = now() + interval '1 hour' where id = ${second}`;
    const taskId = await rig.submit('image', {
      prompt: 'a tiller [[reject:402,insufficient_quota,You are out of credit]]',
    });
    await rig.runUntil(taskId, (view) => view.events.some((event) => event.type === 'requeued'));
    await cancelTask(rig.deps, { userId: rig.user.id, taskId });
    expect(await rig.runToEnd(taskId)).toMatchObject({ status: 'cancelled', money: { state: 'refunded' } });
    expect(await dispatchesOf(taskId)).toHaveLength(1);
  });
});

describe('the first account', () => {
  const firstAsked = async () => {
    const taskId = await rig.submit('image', {});
    await rig.runToEnd(taskId);
    return (await dispatchesOf(taskId))[0]?.channel_id;
  };

  it('is the one with the highest priority', async () => {
    expect(await firstAsked()).toBe(rig.channelId);
  });

  it('is the next one while the first cools down or is switched off', async () => {
    await rig.t
      .sql`update provider_channels set cool_down_until = now() + interval '1 hour' where id = ${rig.channelId}`;
    expect(await firstAsked()).toBe(second);
    await rig.t
      .sql`update provider_channels set cool_down_until = null, enabled = false where id = ${rig.channelId}`;
    expect(await firstAsked()).toBe(second);
  });
});

describe('new work on a channel', () => {
  it('waits for the end of a cool-down, and says so; polls go on', async () => {
    const running = await rig.submit('video', { prompt: 'a hull [[delay:60000]]' });
    await rig.runUntil(running, (view) => view.status === 'running');
    await rig.t.sql`update provider_channels set cool_down_until = now() + interval '1 hour'`;
    const waiting = await rig.submit('audio', {});
    await rig.sandbox.control.release();
    await rig.runToEnd(running);
    expect(await rig.view(waiting)).toMatchObject({
      status: 'queued',
      waiting: 'The provider takes no new work right now; it is tried again shortly.',
    });
    await rig.t.sql`update provider_channels set cool_down_until = now() - interval '1 second'`;
    expect(await rig.runToEnd(waiting)).toMatchObject({ status: 'succeeded' });
  });

  it('is paced by its requests per minute, and no try is spent on waiting', async () => {
    await rig.t.sql`update provider_channels set requests_per_minute = 1 where id = ${rig.channelId}`;
    const taskIds = await Promise.all([1, 2, 3].map(() => rig.submit('audio', {})));
    for (let knocks = 0; knocks < 8; knocks += 1) await rig.knock();
    const sent = async () => (await Promise.all(taskIds.map(dispatchesOf))).flat().length;
    expect(await sent()).toBe(1);
    await rig.t.sql`
      update provider_channels set next_create_at = next_create_at - interval '1 minute' where id = ${rig.channelId}`;
    await rig.t
      .sql`update generation_tasks set next_poll_at = now() where status = 'queued' and lease_until is null`;
    for (let knocks = 0; knocks < 8; knocks += 1) await rig.knock();
    expect(await sent()).toBe(2);
    const tries = await rig.t.sql`
      select max(create_tries) as most from generation_tasks where id = any(${taskIds}) and status = 'queued'`;
    expect(tries[0]?.most).toBe(0);
    await rig.t.sql`update provider_channels set requests_per_minute = null`;
    for (let rounds = 0; rounds < 200 && (await sent()) < 3; rounds += 1) {
      await rig.t.sql`
        update generation_tasks set next_poll_at = now() where status = 'queued' and lease_until is null`;
      await rig.knock();
    }
    for (const taskId of taskIds) expect(await rig.runToEnd(taskId)).toMatchObject({ status: 'succeeded' });
  });
});
