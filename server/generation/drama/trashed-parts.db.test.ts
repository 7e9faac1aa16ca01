import { buffer } from 'node:stream/consumers';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { outputs } from '#server/db/schema/index.ts';
import { newId } from '#server/lib/ids.ts';
import { deleteOutputs, restoreOutputs, trashOutputs } from '#server/library/mark-outputs.ts';
import { runRetentionBatch } from '#server/retention/run-retention-batch.ts';
import { cancelTask } from '../cancel-task.ts';
import { redoDrama } from './redo-drama.ts';
import { type DramaRedoInput, type DramaView, dramaRedoInput } from './schemas.ts';
import { createDramaRig, type DramaRig } from './testing/drama-rig.ts';
import { zipDrama } from './zip-drama.ts';

vi.mock('#server/composition/compose-film.ts', () => import('./testing/quick-composer.ts'));

let rig: DramaRig;
let film: DramaView;
beforeAll(async () => {
  rig = await createDramaRig();
  const text = 'A lamp [[shots=2]] [[seconds=1]]';
  film = await rig.ended(await rig.order({ text, shots: 2, startBelowCredits: 1_000 }));
  expect(film.task.status).toBe('succeeded');
});
afterAll(() => rig.close());

const redo = (input: Partial<DramaRedoInput>) =>
  redoDrama(rig.deps, {
    ...dramaRedoInput.parse({ taskId: film.task.id, requestKey: newId(), ...input }),
    userId: rig.user.id,
  });
const selection = (...outputIds: string[]) => ({ userId: rig.user.id, outputIds });
const pictureOf = (shot: number) => film.shots[shot]?.picture?.child?.outputs[0]?.id ?? '';

describe('files of a film', () => {
  it('cannot be thrown away while it is being made: it would miss them', async () => {
    const taskId = await rig.orderPictures(1, '', { startBelowCredits: 0 });
    await rig.review(taskId);
    const [child] = await rig.childrenOf(taskId);
    const [storyboard] = await rig.db
      .select()
      .from(outputs)
      .where(eq(outputs.taskId, child?.id ?? ''));
    const chosen = selection(storyboard?.id ?? '');
    expect(await trashOutputs(rig.deps, chosen)).toEqual({ outputIds: [] });
    await cancelTask(rig.deps, { userId: rig.user.id, taskId });
    await rig.ended(taskId);
    expect(await trashOutputs(rig.deps, chosen)).toEqual({ outputIds: chosen.outputIds });
  });

  it('that were thrown away are in no new version and in no archive, until they are taken back', async () => {
    const first = pictureOf(0);
    const namesIn = async () => {
      const { stream } = await zipDrama(rig.deps, { userId: rig.user.id, taskId: film.task.id });
      return (await buffer(stream)).toString('latin1');
    };
    expect(await namesIn()).toContain('shots/01-picture');
    await trashOutputs(rig.deps, selection(first));
    expect(await namesIn()).not.toContain('shots/01-picture');
    const clip = { shotId: 'shot-1', part: 'clip', words: 'slowly' } as const;
    const before = await rig.balance();
    await expect(redo({ redo: [clip] })).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('its picture is missing. Make that too.'),
    });
    expect(await rig.balance()).toEqual(before);
    await restoreOutputs(rig.deps, selection(first));
    const { taskId } = await redo({ redo: [clip] });

    // The new version needs it now, and so it stays, whatever its owner asks for meanwhile.
    expect(await trashOutputs(rig.deps, selection(first))).toEqual({ outputIds: [] });
    expect(await deleteOutputs(rig.deps, selection(first))).toEqual({ outputIds: [] });
    await runRetentionBatch(rig.deps, { limit: 100, workerId: null });
    const second = await rig.ended(taskId);
    expect(second.task.status).toBe('succeeded');
    expect(second.shots[0]).toMatchObject({ picture: { takenOver: true }, clip: { takenOver: false } });
    expect(await trashOutputs(rig.deps, selection(first))).toEqual({ outputIds: [first] });
    expect(await rig.audit()).toEqual([]);
  });
});
