import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { StorageError } from '#server/storage/asset-store.ts';
import { listOutputs } from '../output-queries.ts';
import { redoDrama } from './redo-drama.ts';
import { dramaRedoInput } from './schemas.ts';
import { createDramaRig, type DramaRig, PRICES } from './testing/drama-rig.ts';
import { composer, smallFilm } from './testing/quick-composer.ts';

vi.mock('#server/composition/compose-film.ts', () => import('./testing/quick-composer.ts'));
const { composeFilm: realComposeFilm } = await vi.importActual<
  typeof import('#server/composition/compose-film.ts')
>('#server/composition/compose-film.ts');

let rig: DramaRig;
beforeAll(async () => {
  rig = await createDramaRig();
});
afterEach(() => {
  composer.answer = undefined;
  composer.orders.length = 0;
});
afterAll(() => rig.close());

const redo = (taskId: string) =>
  redoDrama(rig.deps, { ...dramaRedoInput.parse({ taskId, requestKey: newId() }), userId: rig.user.id });

describe('without ffmpeg', () => {
  it('keeps shots and captions, says how to get one, and makes the film free once it is there', async () => {
    const nothing = {
      find: async () => undefined,
      run: async () => ({ type: 'unavailable', reason: 'none' }) as const,
    };
    composer.answer = (order, options) => realComposeFilm(order, options, nothing);
    const taskId = await rig.orderPictures(2);
    const drama = await rig.ended(taskId);
    expect(drama.task).toMatchObject({
      status: 'failed',
      failure: { code: 'no_composer' },
      money: { state: 'charged', chargedCredits: 2 * PRICES.picture },
    });
    expect(drama.composeProblem).toContain('Install ffmpeg');
    expect(drama.film).toBeNull();
    expect(drama.zipUrl).toBe(`/files/dramas/${taskId}/shots.zip`);
    expect((await listOutputs(rig.db, taskId)).map(({ ordinal }) => ordinal)).toEqual([2, 3]);

    composer.answer = undefined;
    const before = await rig.balance();
    const again = await rig.ended((await redo(taskId)).taskId);
    expect(again.task.status).toBe('succeeded');
    expect(await rig.balance()).toEqual(before);
    expect(await rig.audit()).toEqual([]);
  });
});

describe('a composition that fails', () => {
  it('is tried once more', async () => {
    composer.answer = async (order, options) =>
      composer.orders.length === 1 ? { type: 'failed', message: 'Shot 1 broke.' } : smallFilm(order, options);
    const drama = await rig.ended(await rig.orderPictures(1));
    expect(drama.task.status).toBe('succeeded');
    expect(composer.orders).toHaveLength(2);
  });

  it('twice ends the film with its reason; the shots are kept and charged', async () => {
    composer.answer = async () => ({ type: 'failed', message: 'Shot 1 broke.' });
    const drama = await rig.ended(await rig.orderPictures(1));
    expect(composer.orders).toHaveLength(2);
    expect(drama.task).toMatchObject({
      status: 'failed',
      failure: { code: 'composition_failed', message: 'Shot 1 broke.' },
      money: { chargedCredits: PRICES.picture },
    });
    expect(drama.composeProblem).toBe('Shot 1 broke.');
    expect(drama.zipUrl).not.toBeNull();
    expect(await rig.audit()).toEqual([]);
  });

  it('for a fault of our own storage is tried again, and counts as no try', async () => {
    let faults = 0;
    const { deps, executor } = rig.anotherProcess();
    const storeOutput = deps.storeOutput;
    deps.storeOutput = async (store, input) => {
      if (input.kind === 'text' && input.key.includes('/2-') && faults < 3) {
        faults += 1;
        throw new StorageError('io', 'The disk is full.');
      }
      return storeOutput(store, input);
    };
    const taskId = await rig.orderPictures(1);
    const drama = await rig.ended(taskId, executor);
    expect(faults).toBe(3);
    expect(drama.task.status).toBe('succeeded');
    expect((await listOutputs(rig.db, taskId)).map(({ ordinal }) => ordinal)).toEqual([0, 1, 2, 3]);
  });

  it('because the file of a shot is gone ends it instead of trying for ever', async () => {
    const taskId = await rig.orderPictures(1);
    const drama = await rig.ended(taskId);
    const child = drama.shots[0]?.picture?.child?.taskId ?? '';
    const [output] = await listOutputs(rig.db, child);
    await rig.deps.storage.delete(output?.storageKey ?? '');
    const again = await rig.ended((await redo(taskId)).taskId);
    expect(again.task).toMatchObject({ status: 'failed', failure: { code: 'composition_failed' } });
    expect(again.composeProblem).toContain('not in storage');
  });
});

it('orders the film as it was planned', async () => {
  await rig.ended(await rig.orderPictures(2, '', { ratio: '9:16', captions: 'soft', titleCard: true }));
  expect(composer.orders).toHaveLength(1);
  expect(composer.orders[0]).toMatchObject({
    size: { width: 720, height: 1_280 },
    fps: 24,
    titleCardSeconds: 2,
    captions: 'soft',
    music: null,
    shots: [
      { id: 'shot-1', seconds: 1, voice: null, visual: { type: 'picture', mime: 'image/png' } },
      { id: 'shot-2', seconds: 1, caption: expect.stringMatching(/\w/) },
    ],
  });
});
