import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { CHANNEL, createAdminRig } from '../testing/admin-caller.ts';

let rig: Awaited<ReturnType<typeof createAdminRig>>;
beforeAll(async () => {
  rig = await createAdminRig();
});
afterAll(() => rig.t.close());
beforeEach(() => rig.clear());

const modelInput = (channelId: string) => ({
  slug: 'my-video',
  kind: 'video' as const,
  channelId,
  title: 'My video',
  upstreamModel: 'v1',
  endpoint: 'videos' as const,
  parameters: {
    seconds: { type: 'integer' as const, label: 'Seconds', minimum: 1, maximum: 10, default: 4 },
  },
  price: { unit: 'second' as const, credits: 2 },
});

describe('models', () => {
  it('come ready-made with a channel, under free names', async () => {
    const templates = ['gpt-image-1', 'tts-1', 'no-such-template'];
    await rig.admin.channels.create({ ...CHANNEL, templates });
    await rig.admin.channels.create({ ...CHANNEL, name: 'Second', templates: ['gpt-image-1'] });
    const list = await rig.admin.models.list();
    expect(list.map((each) => each.slug).sort()).toEqual(['gpt-image-1', 'gpt-image-1-2', 'tts-1']);
    expect(list.find((each) => each.slug === 'tts-1')).toMatchObject({
      kind: 'audio',
      enabled: true,
      channel: { name: 'Main' },
    });
    expect((await rig.admin.channels.templates()).length).toBeGreaterThan(4);
  });

  it('are added, changed, hidden and shown', async () => {
    const { channelId } = await rig.admin.channels.create(CHANNEL);
    const { modelId } = await rig.admin.models.create(modelInput(channelId));
    await rig.admin.models.update({ modelId, title: 'Better', price: { unit: 'call', credits: 9 } });
    await rig.admin.models.enable({ modelId, enabled: false });
    expect(await rig.admin.models.list()).toMatchObject([
      {
        id: modelId,
        title: 'Better',
        price: { unit: 'call', credits: 9 },
        enabled: false,
        upstreamModel: 'v1',
        deadlineSeconds: 3_600,
      },
    ]);
  });

  it('are refused in words when they cannot work', async () => {
    const { channelId } = await rig.admin.channels.create(CHANNEL);
    const { modelId } = await rig.admin.models.create(modelInput(channelId));
    await expect(rig.admin.models.create(modelInput(channelId))).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(rig.admin.models.create({ ...modelInput(newId()), slug: 'other' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(rig.admin.models.update({ modelId, parameters: {} })).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
    });
    const tiers = [{ when: { seconds: 10 }, credits: 3 }];
    await rig.admin.models.update({ modelId, price: { unit: 'second', credits: 2, tiers } });
    const shorter = { ...modelInput(channelId).parameters.seconds, maximum: 8 };
    await expect(
      rig.admin.models.update({ modelId, parameters: { seconds: shorter } }),
    ).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      message: 'Tier 1: "seconds" is never "10". It is a whole number from 1 to 8.',
    });
    await expect(
      rig.admin.models.update({ modelId, price: { unit: 'tokens', credits: 1, blockTokens: 100 } }),
    ).rejects.toMatchObject({ code: 'UNPROCESSABLE_CONTENT', message: expect.stringMatching(/max_tokens/) });
    await expect(rig.admin.models.update({ modelId: newId(), title: 'x' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(rig.admin.models.enable({ modelId: newId(), enabled: true })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(
      rig.admin.models.create({
        ...modelInput(channelId),
        slug: 'song',
        kind: 'audio',
        endpoint: 'suno',
        parameters: {},
        price: { unit: 'call', credits: 1 },
      }),
    ).rejects.toMatchObject({ code: 'UNPROCESSABLE_CONTENT', message: expect.stringMatching(/no endpoint/) });
  });
});

it('models of a kind change places, whatever positions they had', async () => {
  const { channelId } = await rig.admin.channels.create(CHANNEL);
  const ids: string[] = [];
  for (const title of ['A', 'B', 'C']) {
    const made = await rig.admin.models.create({
      ...modelInput(channelId),
      slug: title.toLowerCase(),
      title,
    });
    ids.push(made.modelId);
  }
  const [a = '', , c = ''] = ids;
  const order = async () => (await rig.admin.models.list()).map(({ title }) => title).join('');
  await rig.admin.models.move({ modelId: c, direction: 'up' });
  expect(await order()).toBe('ACB');
  await rig.admin.models.move({ modelId: a, direction: 'down' });
  expect(await order()).toBe('CAB');
  await rig.admin.models.move({ modelId: c, direction: 'up' });
  expect(await order()).toBe('CAB');
  const moves = (await rig.audit()).filter(({ action }) => action === 'model.move');
  expect(moves.map(({ data }) => data)).toEqual([{ direction: 'down' }, { direction: 'up' }]);
  await expect(rig.admin.models.move({ modelId: newId(), direction: 'up' })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

it('every change of a model is in the audit log, with what it was and what it is', async () => {
  const { channelId } = await rig.admin.channels.create(CHANNEL);
  const { modelId } = await rig.admin.models.create(modelInput(channelId));
  await rig.admin.models.update({ modelId, title: 'Better', referenceRoles: ['first_frame', 'last_frame'] });
  await rig.admin.models.update({ modelId, title: 'Better' });
  await rig.admin.models.enable({ modelId, enabled: false });
  await rig.admin.models.enable({ modelId, enabled: false });
  const rows = (await rig.audit()).filter((row) => row.subjectId === modelId);
  expect(rows.map((row) => [row.action, row.actorId])).toEqual([
    ['model.disable', rig.adminId],
    ['model.update', rig.adminId],
    ['model.create', rig.adminId],
  ]);
  expect(rows[1]?.data).toEqual({
    changes: {
      title: { from: 'My video', to: 'Better' },
      referenceRoles: { from: ['reference'], to: ['first_frame', 'last_frame'] },
    },
  });
});
