import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRig, type Rig } from '#server/testing/rig.ts';
import type { Kind } from './status.ts';

let rig: Rig;

beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig.close());

describe('the main job, each kind', () => {
  it.each<[Kind, Record<string, unknown>, { outputs: number; mime: RegExp; charged: number }]>([
    ['image', { n: 2 }, { outputs: 2, mime: /^image\/png$/, charged: 6 }],
    ['video', { seconds: 2 }, { outputs: 1, mime: /^video\/mp4$/, charged: 10 }],
    ['audio', {}, { outputs: 1, mime: /^audio\/mpeg$/, charged: 2 }],
    ['text', {}, { outputs: 1, mime: /^text\/plain$/, charged: 1 }],
  ])('%s is created once, stored, charged once', async (kind, params, expected) => {
    const before = await rig.balance();
    const taskId = await rig.submit(kind, { params });
    const task = await rig.runToEnd(taskId);
    expect(task).toMatchObject({ status: 'succeeded', progress: 100, money: { state: 'charged' } });
    expect(task.outputs).toHaveLength(expected.outputs);
    for (const output of task.outputs)
      expect(output).toMatchObject({ mime: expect.stringMatching(expected.mime), kind });
    expect(await rig.creates(taskId)).toEqual([expect.objectContaining({ received: 1, recorded: 1 })]);
    expect((await rig.balance()).balanceCredits).toBe(before.balanceCredits - expected.charged);
    expect(await rig.audit()).toEqual([]);
  });

  it('a failure of upstream is refunded in full, once', async () => {
    const before = await rig.balance();
    const taskId = await rig.submit('video', { prompt: 'a ship [[fail]]' });
    const task = await rig.runToEnd(taskId);
    expect(task).toMatchObject({
      status: 'failed',
      failure: { code: 'upstream_failed' },
      money: { state: 'refunded' },
    });
    expect(await rig.balance()).toEqual(before);
    expect(await rig.audit()).toEqual([]);
  });
});
