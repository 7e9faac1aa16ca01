import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelCandidates, models } from '#server/db/schema/index.ts';
import { createStubRig, type StubRig, said, taken } from '#server/testing/stub-rig.ts';
import { resolveTask } from '../resolve-task.ts';
import type { ParameterSchema } from '../schemas.ts';
import { costRule } from './schemas.ts';

/** What upstream took, from the rule of a model to the row of a dispatch. */

let rig: StubRig;
beforeAll(async () => {
  rig = await createStubRig({ config: { uncertainMs: 1 } });
});
afterAll(() => rig.close());

const COUNT: ParameterSchema = {
  n: { type: 'integer', label: 'Images', minimum: 1, maximum: 4, default: 1 },
  quality: { type: 'choice', label: 'Quality', options: ['low', 'high'], default: 'low' },
};

const PER_OUTPUT = costRule.parse({
  currency: 'USD',
  unit: 'output',
  micros: 40_000,
  tiers: [{ when: { quality: 'high' }, micros: 170_000 }],
});

type CostRow = {
  outcome: string | null;
  cost_currency: string | null;
  cost_ordered_micros: string | null;
  cost_micros: string | null;
  cost_from: string | null;
};

const costsOf = (taskId: string) => rig.t.sql<CostRow[]>`
  select outcome, cost_currency, cost_ordered_micros::text, cost_micros::text, cost_from from dispatches
  where task_id = ${taskId} order by number`;

/** A model that counts images, with this cost. */
const open = (cost: unknown = PER_OUTPUT) =>
  rig.openChannel('replicateImage', { parameters: COUNT, cost: cost as typeof PER_OUTPUT });

const made = (stub: Awaited<ReturnType<typeof open>>, names: (string | null)[]) =>
  said('succeeded', { output: names.map((name) => name && stub.fileUrl(name)) });

it('is frozen when the task is sent, by its tier, and settled by what came', async () => {
  const stub = await open();
  stub.create = [taken()];
  stub.poll = [said('processing')];
  const taskId = await rig.submitTo(stub, { params: { n: 3, quality: 'high' } });
  await rig.runUntil(taskId, ({ status }) => status === 'running');
  expect(await costsOf(taskId)).toEqual([
    {
      outcome: 'accepted',
      cost_currency: 'USD',
      cost_ordered_micros: '510000',
      cost_micros: null,
      cost_from: null,
    },
  ]);
  await rig.db
    .update(models)
    .set({ cost: { ...PER_OUTPUT, currency: 'EUR', micros: 1, tiers: [] } })
    .where(eq(models.id, stub.modelId));
  stub.poll = [made(stub, ['a', 'b'])];
  await rig.finish(taskId);
  expect(await costsOf(taskId)).toMatchObject([
    { cost_currency: 'USD', cost_ordered_micros: '510000', cost_micros: '340000', cost_from: 'terms' },
  ]);
});

it('stays unknown where nobody wrote a cost', async () => {
  const stub = await open(null);
  stub.create = [taken()];
  stub.poll = [made(stub, ['a'])];
  const taskId = await rig.submitTo(stub);
  await rig.finish(taskId);
  expect(await costsOf(taskId)).toEqual([
    {
      outcome: 'accepted',
      cost_currency: null,
      cost_ordered_micros: null,
      cost_micros: null,
      cost_from: null,
    },
  ]);
});

it.each([
  ['free', '0'],
  ['full', '40000'],
  ['unknown', null],
] as const)('of a job that failed upstream, where failures are %s', async (failures, micros) => {
  const stub = await open({ ...PER_OUTPUT, failures });
  stub.create = [taken()];
  stub.poll = [said('failed', { error: 'NSFW' })];
  const taskId = await rig.submitTo(stub);
  expect((await rig.finish(taskId)).status).toBe('failed');
  expect(await costsOf(taskId)).toMatchObject([{ cost_ordered_micros: '40000', cost_micros: micros }]);
});

it('of a success that cannot be fetched: upstream takes it all the same', async () => {
  const stub = await open();
  stub.create = [taken()];
  stub.poll = [made(stub, ['a', 'b'])];
  stub.file = [{ bytes: new TextEncoder().encode('no picture'), headers: { 'content-type': 'image/png' } }];
  const taskId = await rig.submitTo(stub, { params: { n: 2 } });
  expect((await rig.finish(taskId)).status).toBe('failed');
  expect(await costsOf(taskId)).toMatchObject([{ cost_micros: '80000', cost_from: 'terms' }]);
});

it('of an outcome that nobody knows is possibly spent: neither 0 nor the whole', async () => {
  const stub = await open();
  stub.create = ['reset'];
  stub.list = [{ json: { results: [], next: null } }];
  const taskId = await rig.submitTo(stub);
  const task = await rig.finish(taskId);
  expect(task.failure?.code).toBe('unknown_outcome');
  expect(await costsOf(taskId)).toMatchObject([
    { outcome: null, cost_ordered_micros: '40000', cost_micros: null },
  ]);
});

describe('of several accounts', () => {
  it('each dispatch has the cost of its own, and one that was refused took nothing', async () => {
    const stub = await open();
    const other = await open(null);
    await rig.db.insert(modelCandidates).values({
      modelId: stub.modelId,
      channelId: other.channelId,
      upstreamModel: 'acme/painter',
      endpoint: 'image',
      priority: 1,
      cost: { ...PER_OUTPUT, currency: 'EUR', micros: 25_000, tiers: [] },
    });
    stub.create = [{ status: 402, json: { title: 'Insufficient credit', detail: 'No credit', status: 402 } }];
    other.create = [taken()];
    other.poll = [made(other, ['a'])];
    const taskId = await rig.submitTo(stub);
    await rig.finish(taskId);
    expect(await costsOf(taskId)).toMatchObject([
      { outcome: 'rejected', cost_currency: 'USD', cost_micros: null },
      { outcome: 'accepted', cost_currency: 'EUR', cost_ordered_micros: '25000', cost_micros: '25000' },
    ]);
  });
});

it('of tokens is what upstream counted, which its answer said before the file was stored', async () => {
  const stub = await rig.openChannel('openaiText', {
    cost: costRule.parse({
      currency: 'USD',
      unit: 'tokens',
      blockTokens: 1_000_000,
      micros: 1_250_000,
      outputMicros: 10_000_000,
    }),
  });
  const answer = {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    output: [{ type: 'message', content: [{ type: 'output_text', text: 'A text.' }] }],
    usage: { input_tokens: 1_000, output_tokens: 200, total_tokens: 1_200 },
  };
  stub.create = [{ json: { ...answer, status: 'in_progress', output: [], usage: null } }];
  stub.poll = [{ json: answer }];
  const taskId = await rig.submitTo(stub);
  expect((await rig.finish(taskId)).status).toBe('succeeded');
  // 1.25 $ and 10 $ of a million tokens.
  expect(await costsOf(taskId)).toMatchObject([
    { cost_ordered_micros: null, cost_micros: '3250', cost_from: 'terms' },
  ]);
});

it('is never shown to the person whose task it is', async () => {
  const stub = await open();
  stub.create = [taken()];
  stub.poll = [made(stub, ['a'])];
  const task = await rig.finish(await rig.submitTo(stub));
  expect(JSON.stringify(task)).not.toMatch(/40000|"cost|micros/i);
});

it('an operator who confirms a failure leaves it possibly spent', async () => {
  const stub = await rig.openChannel('openaiImage', { cost: PER_OUTPUT, parameters: COUNT });
  const slow = await rig.anotherProcess({ uncertainMs: 3_600_000 });
  stub.create = ['reset'];
  const taskId = await rig.submitTo(stub);
  await rig.runUntil(taskId, ({ status }) => status === 'uncertain', slow.executor);
  await resolveTask(rig.deps, {
    taskId,
    verdict: 'failed',
    reason: 'Not in their list.',
    operatorId: rig.user.id,
  });
  expect(await costsOf(taskId)).toMatchObject([
    { outcome: null, cost_micros: null, cost_ordered_micros: '40000' },
  ]);
});
