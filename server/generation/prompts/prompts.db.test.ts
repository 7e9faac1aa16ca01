import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { createModel, createTask, createUser } from '#server/testing/factories.ts';
import { createRig, type Rig } from '#server/testing/rig.ts';
import { readModels } from '../read-tasks.ts';
import { improvePrompt, readImproveOptions } from './improve-prompt.ts';
import { readPresets, removePreset, savePreset } from './manage-presets.ts';
import { readTemplates, removeTemplate, renameOwnTemplate, saveTemplate } from './manage-templates.ts';
import { readHistory } from './read-history.ts';
import { readPrefill } from './read-prefill.ts';
import { MAX_PRESETS } from './schemas.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig.close());

const history = (search = '', userId = rig.user.id) =>
  readHistory(rig.deps, { userId, kind: 'image', search }).then((items) => items.map(({ prompt }) => prompt));

it('history: distinct prompts of the person and kind, newest first, found by any part of the text', async () => {
  const other = await createUser(rig.db);
  const common = { userId: rig.user.id, modelId: rig.models.image.id, status: 'succeeded' as const };
  for (const prompt of ['A harbour', '100%_sure', 'A harbour', 'Improve this prompt for an image:\n\nx'])
    await createTask(rig.db, { ...common, prompt });
  await createTask(rig.db, { ...common, userId: other.id, prompt: 'Somebody else' });
  await createTask(rig.db, { ...common, modelId: rig.models.text.id, prompt: 'A text' });

  expect(await history()).toEqual(['A harbour', '100%_sure']);
  expect(await history('HARB')).toEqual(['A harbour']);
  // Signs that mean something in a pattern are plain text here.
  expect(await history('%_')).toEqual(['100%_sure']);
  expect(await history('_harbour')).toEqual([]);
  const [latest] = await readHistory(rig.deps, { userId: rig.user.id, kind: 'image', search: '' });
  expect(latest).toMatchObject({ times: 2, at: expect.any(Date) });
});

it('templates: one per name, renamed and removed by their owner only', async () => {
  const owner = { userId: rig.user.id };
  const { id } = await saveTemplate(rig.deps, { ...owner, kind: 'image', name: 'Dusk', prompt: 'first' });
  const again = await saveTemplate(rig.deps, { ...owner, kind: 'image', name: 'DUSK', prompt: 'second' });
  expect(again.id).toBe(id);
  await saveTemplate(rig.deps, { ...owner, kind: 'video', name: 'Dusk', prompt: 'of a video' });
  const noon = await saveTemplate(rig.deps, { ...owner, kind: 'image', name: 'Noon', prompt: 'noon' });
  await expect(renameOwnTemplate(rig.deps, { ...owner, id: noon.id, name: 'dusk' })).rejects.toMatchObject({
    code: 'conflict',
    field: 'name',
  });
  await renameOwnTemplate(rig.deps, { ...owner, id: noon.id, name: 'Midday' });

  const stranger = await createUser(rig.db);
  await expect(renameOwnTemplate(rig.deps, { userId: stranger.id, id, name: 'Mine' })).rejects.toMatchObject({
    code: 'not_found',
  });
  await removeTemplate(rig.deps, { userId: stranger.id, id });
  expect((await readTemplates(rig.deps, { userId: stranger.id, kind: 'image' })).own).toEqual([]);

  const { own } = await readTemplates(rig.deps, { ...owner, kind: 'image' });
  expect(own).toEqual([
    { id, name: 'DUSK', prompt: 'second' },
    { id: noon.id, name: 'Midday', prompt: 'noon' },
  ]);
  await removeTemplate(rig.deps, { ...owner, id });
  expect((await readTemplates(rig.deps, { ...owner, kind: 'image' })).own).toHaveLength(1);
});

it('presets: per model and name, and so many at most', async () => {
  const model = { userId: rig.user.id, model: rig.models.image.slug };
  for (let index = 0; index < MAX_PRESETS; index += 1)
    await savePreset(rig.deps, { ...model, name: `p${index}`, params: { n: 1 } });
  await expect(savePreset(rig.deps, { ...model, name: 'one more', params: {} })).rejects.toMatchObject({
    code: 'conflict',
  });
  // One that is there may be replaced all the same.
  const { id } = await savePreset(rig.deps, { ...model, name: 'P0', params: { n: 4, size: 'x', hd: true } });
  const presets = await readPresets(rig.deps, model);
  expect(presets).toHaveLength(MAX_PRESETS);
  expect(presets.find((preset) => preset.id === id)).toEqual({
    id,
    name: 'P0',
    params: { n: 4, size: 'x', hd: true },
  });
  await removePreset(rig.deps, { ...model, id });
  expect(await readPresets(rig.deps, model)).toHaveLength(MAX_PRESETS - 1);
  expect(await readPresets(rig.deps, { ...model, model: rig.models.video.slug })).toEqual([]);
});

describe('a better wording', () => {
  it('is an ordinary paid task of the cheapest language model that can converse', async () => {
    await createModel(rig.db, {
      channelId: rig.channelId,
      kind: 'text',
      endpoint: 'responses',
      title: 'Dear Words',
      price: { unit: 'call', credits: 9 },
      parameters: {},
      sortOrder: -1,
    });
    const order = { kind: 'image' as const, prompt: 'a harbour' };
    const options = await readImproveOptions(rig.deps, order);
    expect(options.map(({ credits }) => credits)).toEqual([1, 9]);

    const before = await rig.balance();
    const input = { ...order, userId: rig.user.id, requestKey: newId() };
    await expect(improvePrompt(rig.deps, { ...input, quotedCredits: 0 })).rejects.toMatchObject({
      code: 'unprocessable',
    });
    const { taskId, created } = await improvePrompt(rig.deps, { ...input, quotedCredits: 1 });
    expect(created).toBe(true);
    expect((await improvePrompt(rig.deps, input)).taskId).toBe(taskId);
    const ended = await rig.runToEnd(taskId);
    expect(ended).toMatchObject({ kind: 'text', status: 'succeeded', model: { slug: rig.models.text.slug } });
    expect(ended.prompt).toContain('a harbour');
    expect((await rig.balance()).balanceCredits).toBe(before.balanceCredits - 1);
    expect(await readHistory(rig.deps, { userId: rig.user.id, kind: 'text', search: 'a harbour' })).toEqual(
      [],
    );
  });

  it('gives its credits back when it fails', async () => {
    const before = await rig.balance();
    const { taskId } = await improvePrompt(rig.deps, {
      userId: rig.user.id,
      kind: 'video',
      prompt: 'a storm [[fail]]',
      requestKey: newId(),
    });
    expect(await rig.runToEnd(taskId)).toMatchObject({ status: 'failed', money: { state: 'refunded' } });
    expect(await rig.balance()).toEqual(before);
  });
});

it('a result serves as a reference, copied once, and an earlier order can be started from', async () => {
  const made = await rig.runToEnd(await rig.submit('image', { prompt: 'the first' }));
  const outputId = made.outputs[0]?.id ?? '';
  const requestKey = newId();
  const order = { prompt: 'the second', params: { n: 2 }, references: [outputId], requestKey };
  const taskId = await rig.submit('image', order);
  expect(await rig.submit('image', order)).toBe(taskId);
  const second = await rig.runToEnd(taskId);
  expect(second.status).toBe('succeeded');
  expect(second.references).toHaveLength(1);
  const uploadId = second.references[0]?.id ?? '';
  const third = await rig.view(await rig.submit('image', { references: [outputId] }));
  expect(third.references[0]?.id).toBe(uploadId);

  const userId = rig.user.id;
  expect(await readPrefill(rig.deps, { userId, from: taskId, reference: outputId })).toEqual({
    order: {
      kind: 'image',
      model: rig.models.image.slug,
      prompt: 'the second',
      params: { n: 2, size: '256x256' },
    },
    references: [
      expect.objectContaining({ id: uploadId, mime: 'image/png', previewUrl: `/files/uploads/${uploadId}` }),
      expect.objectContaining({ id: outputId, name: 'image-1', url: `/files/outputs/${outputId}` }),
    ],
    missingReferences: 0,
  });

  const stranger = await createUser(rig.db);
  expect(await readPrefill(rig.deps, { userId: stranger.id, from: taskId, reference: outputId })).toEqual({
    order: null,
    references: [],
    missingReferences: 0,
  });
  await expect(rig.submit('image', { userId: stranger.id, references: [outputId] })).rejects.toMatchObject({
    code: 'bad_request',
    field: 'references',
  });
});

it('typical times are those of the latest successes, once there are a few, and kept for a minute', async () => {
  const model = await createModel(rig.db, { channelId: rig.channelId, endpoint: 'images' });
  const other = rig.anotherProcess();
  const typical = async () =>
    (await readModels(other.deps)).find(({ slug }) => slug === model.slug)?.typicalSeconds;
  let now = Date.now();
  Object.assign(other.deps, { clock: { ...other.deps.clock, now: () => new Date(now) } });
  const finish = async (seconds: number, status: 'succeeded' | 'failed' = 'succeeded') => {
    const submittedAt = new Date(now - 600_000);
    const finishedAt = new Date(submittedAt.getTime() + seconds * 1_000);
    await createTask(rig.db, { modelId: model.id, status, submittedAt, finishedAt });
  };
  await finish(10);
  await finish(20);
  await finish(500, 'failed');
  expect(await typical()).toBeNull();
  await finish(30);
  expect(await typical()).toBeNull();
  now += 61_000;
  expect(await typical()).toEqual({ p50: 20, p90: 28 });
});
