import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CompositeRig, createCompositeRig } from './composite/testing/composite-rig.ts';
import { readAdminTask } from './read-admin-tasks.ts';

let rig: CompositeRig;
beforeAll(async () => {
  rig = await createCompositeRig();
});
afterAll(() => rig.close());

it('lists the parts of a composite, and of a part its composite', async () => {
  const parts = [
    { key: 'a', kind: 'image' as const },
    { key: 'b', kind: 'image' as const },
  ];
  const taskId = await rig.submitComposite({ parts });
  expect(await readAdminTask(rig.deps, taskId)).toMatchObject({ children: [], childCount: 0 });
  await rig.runToEnd(taskId);
  const { children, childCount, dispatches } = await readAdminTask(rig.deps, taskId);
  expect(childCount).toBe(2);
  expect(dispatches).toEqual([]);
  expect(children.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
    'image succeeded',
    'image succeeded',
  ]);
  expect(children[0]).toMatchObject({ modelTitle: rig.models.image.title, prompt: expect.any(String) });
  const part = await readAdminTask(rig.deps, children[0]?.taskId ?? '');
  expect(part).toMatchObject({ parentId: taskId, children: [], childCount: 0 });
});
