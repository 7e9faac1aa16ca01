import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { CHANNEL, createAdminRig } from '../testing/admin-caller.ts';
import { MAX_CANDIDATES } from './schemas.ts';

let rig: Awaited<ReturnType<typeof createAdminRig>>;
let modelId: string;
let main: string;
let second: string;
beforeAll(async () => {
  rig = await createAdminRig();
});
afterAll(() => rig.t.close());
beforeEach(async () => {
  await rig.clear();
  ({ channelId: main } = await rig.admin.channels.create(CHANNEL));
  ({ channelId: second } = await rig.admin.channels.create({
    ...CHANNEL,
    name: 'Second',
    protocol: 'newapi',
  }));
  ({ modelId } = await rig.admin.models.create({
    slug: 'clip',
    kind: 'video',
    channelId: main,
    title: 'Clip',
    upstreamModel: 'v1',
    endpoint: 'videos',
    parameters: {},
    price: { unit: 'call', credits: 2 },
  }));
});

const add = (upstreamModel: string, change: { channelId?: string; endpoint?: string } = {}) =>
  rig.admin.models.candidates.add({
    modelId,
    channelId: second,
    upstreamModel,
    endpoint: 'video',
    ...change,
  });
const list = () => rig.admin.models.candidates.list({ modelId });
const order = async () => (await list()).map((each) => `${each.priority} ${each.upstreamModel}`);

it('are kept in the order in which they were added, and shown with their channel', async () => {
  await add('a');
  await add('b', { channelId: main, endpoint: 'videos' });
  expect(await order()).toEqual(['1 a', '2 b']);
  const [model] = await rig.admin.models.list();
  expect(model?.candidates).toMatchObject([
    { channel: { id: second, name: 'Second', protocol: 'newapi', enabled: true }, endpoint: 'video' },
    { channel: { id: main, name: 'Main' }, endpoint: 'videos' },
  ]);
});

it('keep contiguous priorities whatever is put before or taken away', async () => {
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c', 'd']) ids.push((await add(name)).candidateId);
  const [a = '', b = '', c = '', d = ''] = ids;
  await rig.admin.models.candidates.reorder({ modelId, candidateIds: [d, a, c, b] });
  expect(await order()).toEqual(['1 d', '2 a', '3 c', '4 b']);
  await rig.admin.models.candidates.remove({ modelId, candidateId: a });
  expect(await order()).toEqual(['1 d', '2 c', '3 b']);
  await add('e');
  expect(await order()).toEqual(['1 d', '2 c', '3 b', '4 e']);
});

it('stay contiguous and different when administrators change them at the same time', async () => {
  await Promise.allSettled(['a', 'b', 'c', 'a', 'b', 'c'].map((name) => add(name)));
  const before = await list();
  expect(before.map((each) => each.upstreamModel).toSorted()).toEqual(['a', 'b', 'c']);
  const ids = before.map((each) => each.id);
  await Promise.allSettled([
    rig.admin.models.candidates.reorder({ modelId, candidateIds: ids.toReversed() }),
    rig.admin.models.candidates.remove({ modelId, candidateId: ids[0] ?? '' }),
    add('d'),
  ]);
  const after = await list();
  expect(after.map((each) => each.priority)).toEqual(after.map((_each, index) => index + 1));
});

it('are refused in words when they could not take the task', async () => {
  const refused = (change: Parameters<typeof add>[1], name = 'x') => expect(add(name, change)).rejects;
  await refused({ endpoint: 'images' }).toMatchObject({
    code: 'UNPROCESSABLE_CONTENT',
    message: 'The endpoint "images" makes image, not video.',
  });
  await refused({ channelId: main, endpoint: 'video' }).toMatchObject({
    code: 'UNPROCESSABLE_CONTENT',
    message: expect.stringMatching(/"openai" has no endpoint "video"\. It has: images, videos/),
  });
  await refused({ channelId: newId() }).toMatchObject({ code: 'NOT_FOUND' });
  await refused({ endpoint: 'nothing' }).toMatchObject({ code: 'BAD_REQUEST' });
  expect(await list()).toEqual([]);
});

it('are never the same upstream model on the same channel twice', async () => {
  const own = { channelId: main, endpoint: 'videos' };
  await expect(add('v1', own)).rejects.toMatchObject({ code: 'CONFLICT' });
  await add('v2', own);
  await expect(add('v2', own)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: 'This model tries that upstream model on that channel already.',
  });
  await expect(rig.admin.models.update({ modelId, upstreamModel: 'v2' })).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  await add('v2');
  expect(await order()).toEqual(['1 v2', '2 v2']);
});

it('are limited, and a list that is not the current one is refused', async () => {
  const { candidateId } = await add('first');
  for (let number = 2; number <= MAX_CANDIDATES; number += 1) await add(`m${number}`);
  await expect(add('too many')).rejects.toMatchObject({ code: 'CONFLICT' });
  const ids = (await list()).map((each) => each.id);
  await rig.admin.models.candidates.reorder({ modelId, candidateIds: ids.toReversed() });
  for (const candidateIds of [[], [candidateId], [...ids.slice(1), newId()]]) {
    await expect(rig.admin.models.candidates.reorder({ modelId, candidateIds })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  }
  await expect(rig.admin.models.candidates.remove({ modelId, candidateId: newId() })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(await list()).toHaveLength(MAX_CANDIDATES);
});

it('are for administrators only, and each change is in the audit log', async () => {
  await expect(rig.someone.models.candidates.list({ modelId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const { candidateId } = await add('a');
  const { candidateId: other } = await add('b');
  await rig.admin.models.candidates.reorder({ modelId, candidateIds: [other, candidateId] });
  await rig.admin.models.candidates.remove({ modelId, candidateId });
  const actions = (await rig.audit()).filter((row) => row.subjectId === modelId).map((row) => row.action);
  expect(actions).toEqual([
    'model.remove_candidate',
    'model.reorder_candidates',
    'model.add_candidate',
    'model.add_candidate',
    'model.create',
  ]);
});

const COST = {
  currency: 'USD',
  unit: 'second' as const,
  micros: 50_000,
  failures: 'free' as const,
};

it('have a cost of their own, which is audited, and the model has the one of its own channel', async () => {
  const { candidateId } = await add('a');
  expect(await list()).toMatchObject([{ cost: null }]);
  const { setCost } = rig.admin.models.candidates;
  await setCost({ modelId, candidateId, cost: COST });
  expect(await list()).toMatchObject([{ cost: COST }]);
  // The same again changes nothing and is not said twice.
  await setCost({ modelId, candidateId, cost: COST });
  await rig.admin.models.update({ modelId, cost: { ...COST, micros: 70_000 } });
  const [model] = await rig.admin.models.list();
  expect(model).toMatchObject({ cost: { micros: 70_000 }, candidates: [{ cost: { micros: 50_000 } }] });
  const [updated, changed, added] = await rig.audit();
  expect(updated).toMatchObject({
    action: 'model.update',
    data: { changes: { cost: { from: null, to: { micros: 70_000 } } } },
  });
  expect(changed).toMatchObject({
    action: 'model.candidate_cost',
    data: { candidateId, from: null, to: COST },
  });
  expect(added?.action).toBe('model.add_candidate');
  await setCost({ modelId, candidateId, cost: null });
  expect(await list()).toMatchObject([{ cost: null }]);
  // A change of something else leaves it.
  await rig.admin.models.update({ modelId, title: 'Renamed' });
  expect(await rig.admin.models.list()).toMatchObject([{ cost: { micros: 70_000 } }]);
});

it('refuse a cost that depends on what the model does not have, and one of nobody', async () => {
  const { candidateId } = await add('a');
  const cost = { ...COST, tiers: [{ when: { size: 'large' }, micros: 1 }] };
  const { setCost } = rig.admin.models.candidates;
  await expect(setCost({ modelId, candidateId, cost })).rejects.toThrow(/cannot depend on "size"/);
  await expect(rig.admin.models.update({ modelId, cost })).rejects.toThrow(/cannot depend on "size"/);
  await expect(setCost({ modelId, candidateId: newId(), cost: COST })).rejects.toThrow(/not there any more/);
  await expect(rig.someone.models.candidates.setCost({ modelId, candidateId, cost: null })).rejects.toThrow();
});
