import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRig, type Rig } from '#server/testing/rig.ts';
import type { Status } from './status.ts';
import { watchTasks } from './watch-tasks.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig.close());

const watch = (taskId: string, signal: AbortSignal) =>
  watchTasks(rig.deps, rig.executor, { userId: rig.user.id, taskIds: [taskId], signal });

/** `held`: what keeps upstream in the phase until the test lets it go on. */
it.each<[Status, string]>([
  ['queued', ''],
  ['dispatching', '[[delay:3600000]]'],
  ['running', '[[delay:3600000]]'],
  ['archiving', '[[expired:404,3]]'],
])(
  'a page closed while the task is %s costs nothing: the daemon takes it to its end',
  async (phase, held) => {
    const kind = phase === 'dispatching' ? 'image' : 'video';
    const taskId = await rig.submit(kind, { prompt: `a tug ${held}` });
    const page = new AbortController();
    for await (const { tasks } of watch(taskId, page.signal)) {
      // Closing the page ends the stream, whatever the task is doing.
      if (tasks[0]?.status === phase) break;
    }
    page.abort();
    await rig.sandbox.control.release();
    const task = await rig.runToEnd(taskId);
    expect(task).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
    expect(await rig.creates(taskId)).toEqual([expect.objectContaining({ received: 1, recorded: 1 })]);
  },
);
