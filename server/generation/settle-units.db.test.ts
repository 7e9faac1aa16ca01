import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelCandidates } from '#server/db/schema/index.ts';
import { createModel, createUser } from '#server/testing/factories.ts';
import { createStubRig, type StubChannel, type StubRig, said, taken } from '#server/testing/stub-rig.ts';
import { quoteTask } from './read-tasks.ts';
import type { ParameterSchema, PriceRule } from './schemas.ts';

/** What is ordered, delivered and charged under every unit of a price. */

let rig: StubRig;
beforeAll(async () => {
  rig = await createStubRig();
});
afterAll(() => rig.close());

const whole = (label: string, minimum: number, maximum: number): ParameterSchema[string] => ({
  type: 'integer',
  label,
  minimum,
  maximum,
  default: minimum,
});

describe('seconds', () => {
  const SECONDS = {
    parameters: { n: whole('Videos', 1, 4), seconds: whole('Seconds', 1, 15) },
    price: { unit: 'second' as const, credits: 3 },
  };

  it('B14 upstream silently makes 10 of 15 s: 10 are charged, and the page says so', async () => {
    const model = await createModel(rig.db, {
      channelId: rig.channelId,
      kind: 'video',
      endpoint: 'videos',
      upstreamModel: 'sora-2',
      parameters: { seconds: whole('Seconds', 1, 15) },
      price: { unit: 'second', credits: 1 },
    });
    const before = await rig.balance();
    const taskId = await rig.submit('video', {
      model: model.slug,
      prompt: 'surf [[shorter:10]]',
      params: { seconds: 15 },
    });
    const task = await rig.runToEnd(taskId);
    expect(task.money).toEqual({
      heldCredits: 15,
      chargedCredits: 10,
      returnedCredits: 5,
      state: 'partly_charged',
      part: { unit: 'second', chargedUnits: 10, orderedUnits: 15 },
    });
    expect(task.events.at(-1)?.text).toBe('Done: 1 of 1 stored. Charged: 10 of 15 seconds.');
    expect((await rig.balance()).balanceCredits).toBe(before.balanceCredits - 10);
  });

  it.each([
    ['both', ['a', 'b'], 6],
    ['one of two (B45)', ['a'], 3],
    ['one of them null (B45)', ['a', null], 3],
    ['three, one more than ordered (B45)', ['a', 'b', 'c'], 6],
  ])('of two outputs of 1 s each: %s', async (_name, names, charged) => {
    const stub = await rig.openChannel('replicateVideo', SECONDS);
    stub.create = [taken()];
    stub.poll = [said('succeeded', { output: names.map((name) => (name ? stub.fileUrl(name) : null)) })];
    const task = await rig.finish(await rig.submitTo(stub, { params: { n: 2, seconds: 1 } }));
    expect(task.money).toMatchObject({ heldCredits: 6, chargedCredits: charged });
  });

  it('a task from before, which held its seconds once for all outputs, is charged what it held', async () => {
    const stub = await rig.openChannel('replicateVideo', SECONDS);
    stub.create = [taken()];
    stub.poll = [said('succeeded', { output: [stub.fileUrl('a'), stub.fileUrl('b')] })];
    const taskId = await rig.submitTo(stub, { params: { n: 1, seconds: 1 } });
    await rig.t.sql`
      update generation_task_details set snapshot = (snapshot - 'orderedSeconds') || '{"orderedOutputs": 2}'
      where task_id = ${taskId}`;
    expect((await rig.finish(taskId)).money).toMatchObject({ heldCredits: 3, chargedCredits: 3 });
  });
});

describe('blocks of tokens', () => {
  const TOKENS = {
    parameters: {
      max_tokens: whole('Longest answer', 400, 1_000),
      instructions: { type: 'text' as const, label: 'Instructions', maxLength: 200, default: '' },
    },
    price: { unit: 'tokens' as const, credits: 2, blockTokens: 100 },
  };
  // 400 tokens at most, 6 bytes of prompt and 4 of instructions: 5 started blocks.
  const ORDER = { prompt: 'a lamp', params: { instructions: 'dim.' } };
  const answer = (usage?: object) => ({
    id: 'resp_1',
    status: 'completed',
    output: [{ type: 'message', content: [{ type: 'output_text', text: 'A text.' }] }],
    usage,
  });

  async function charge(stub: StubChannel) {
    const taskId = await rig.submitTo(stub, ORDER);
    const task = await rig.finish(taskId);
    expect(task).toMatchObject({ status: 'succeeded', money: { heldCredits: 10 } });
    return task;
  }

  it.each([
    ['115 in and out: 2 blocks', { input_tokens: 10, output_tokens: 105 }, 4],
    ['just 200: 2 blocks', { input_tokens: 100, output_tokens: 100 }, 4],
    ['all that was ordered', { input_tokens: 10, output_tokens: 400 }, 10],
    ['more than was held: no more is charged', { input_tokens: 5_000, output_tokens: 400 }, 10],
    ['only one of the two known', { output_tokens: 100 }, 2],
    ['nothing known: as ordered', undefined, 10],
  ])('upstream says %s', async (_name, usage, charged) => {
    const stub = await rig.openChannel('openaiText', TOKENS);
    stub.create = [{ json: answer(usage) }];
    const task = await charge(stub);
    expect(task.money.chargedCredits).toBe(charged);
    const sent = stub.seen.find((one) => one.call === 'create')?.body ?? '';
    expect(JSON.parse(sent)).toMatchObject({ max_output_tokens: 400, instructions: 'dim.' });
  });

  it('are counted from a polled answer too, and the page says how many', async () => {
    const stub = await rig.openChannel('openaiText', TOKENS);
    stub.create = [{ json: { id: 'resp_1', status: 'queued' } }];
    stub.poll = [{ json: answer({ input_tokens: 3, output_tokens: 250 }) }];
    const task = await charge(stub);
    expect(task.money).toMatchObject({
      chargedCredits: 6,
      part: { unit: 'tokens', chargedUnits: 3, orderedUnits: 5 },
    });
    expect(task.events.at(-1)?.text).toBe('Done: 1 of 1 stored. Charged: 3 of 5 blocks of tokens.');
    const [row] = await rig.t.sql`
      select reported_units from generation_task_details where task_id = ${task.id}`;
    expect(row?.reported_units).toBe(253);
  });

  it('and of a chat, whose bound reaches upstream under its own name', async () => {
    const stub = await rig.openChannel('openaiText', { ...TOKENS, endpoint: 'chat' });
    const choices = [{ index: 0, message: { role: 'assistant', content: 'A text.' }, finish_reason: 'stop' }];
    stub.create = [{ json: { id: 'c1', choices, usage: { prompt_tokens: 7, completion_tokens: 94 } } }];
    expect((await charge(stub)).money.chargedCredits).toBe(4);
    const sent = stub.seen.find((one) => one.call === 'create')?.body ?? '';
    expect(JSON.parse(sent)).toMatchObject({ max_tokens: 400 });
  });
});

describe('the quote', () => {
  const price: PriceRule = {
    unit: 'output',
    credits: 4,
    tiers: [
      { when: { size: 'large', hd: true }, credits: 20 },
      { when: { size: 'large' }, credits: 10 },
    ],
  };
  const parameters: ParameterSchema = {
    n: whole('Images', 1, 4),
    size: { type: 'choice', label: 'Size', options: ['small', 'large'], default: 'small' },
    hd: { type: 'boolean', label: 'HD', default: false },
  };

  it.each([
    [{}, 4],
    [{ n: 3 }, 12],
    [{ n: '3', size: 'large' }, 30],
    [{ n: 2, size: 'large', hd: 'true' }, 40],
  ])('of %j is what is held and charged', async (params, credits) => {
    const stub = await rig.openChannel('openaiImage', { price, parameters });
    const image = Buffer.from(rig.media.image.bytes).toString('base64');
    const n = Number((params as { n?: unknown }).n ?? 1);
    stub.create = [{ json: { data: Array.from({ length: n }, () => ({ b64_json: image })) } }];
    const order = { kind: 'image' as const, model: stub.slug, params };
    expect((await quoteTask(rig.deps, { ...order, userId: rig.user.id })).credits).toBe(credits);
    const task = await rig.finish(await rig.submitTo(stub, { params }));
    expect(task.money).toMatchObject({ heldCredits: credits, chargedCredits: credits, state: 'charged' });
  });

  it('counts the bytes of a prompt where the price counts tokens; without them it is not below the hold', async () => {
    const stub = await rig.openChannel('openaiText', {
      parameters: { max_tokens: whole('Longest answer', 100, 1_000) },
      price: { unit: 'tokens', credits: 1, blockTokens: 10 },
      maxPromptCharacters: 50,
    });
    const order = { kind: 'text' as const, model: stub.slug, params: {}, userId: rig.user.id };
    const quote = async (promptBytes?: number) =>
      (await quoteTask(rig.deps, { ...order, promptBytes })).credits;
    expect([await quote(0), await quote(20), await quote(21)]).toEqual([10, 12, 13]);
    // Each of these characters is 3 bytes long.
    const longest = await rig.submitTo(stub, { prompt: '漢'.repeat(50) });
    expect((await rig.view(longest)).money.heldCredits).toBe(25);
    expect([await quote(), await quote(96_000)]).toEqual([25, 25]);
  });
});

it('an order too large for a price is refused in words, before any charge (B51)', async () => {
  const stub = await rig.openChannel('replicateVideo', {
    parameters: { n: whole('Videos', 1, 1_000_000), seconds: whole('Seconds', 1, 1_000_000_000) },
    price: { unit: 'second', credits: 1_000_000 },
  });
  const user = await createUser(rig.db);
  for (const params of [{ seconds: 1_000_000_000 }, { n: 1_000_000, seconds: 1_000_000 }]) {
    await expect(rig.submitTo(stub, { userId: user.id, params })).rejects.toMatchObject({
      code: 'bad_request',
      message: 'This order is too large for a price. Order less.',
    });
  }
  for (const n of [1.5, '10.0', '1e3', Number.NaN, -5, 2_147_483_648, 2 ** 63]) {
    await expect(rig.submitTo(stub, { userId: user.id, params: { n } })).rejects.toMatchObject({
      code: 'bad_request',
    });
  }
  await expect(rig.submitTo(stub, { userId: user.id, prompt: 'x'.repeat(5_000_000) })).rejects.toMatchObject({
    code: 'bad_request',
  });
  expect(stub.seen).toEqual([]);
  expect((await rig.balance(user.id)).balanceCredits).toBe(1_000);
});

it('B46 another account is asked at the price of the order, whatever the model costs meanwhile', async () => {
  const stub = await rig.openChannel('openaiImage', { price: { unit: 'call', credits: 5 } });
  const other = await rig.openChannel('openaiImage', { price: { unit: 'call', credits: 50 } });
  await rig.db.insert(modelCandidates).values({
    modelId: stub.modelId,
    channelId: other.channelId,
    upstreamModel: 'gpt-image-1',
    endpoint: 'images',
    priority: 1,
  });
  const quota = { code: 'insufficient_quota', message: 'You are out of credit' };
  stub.create = [{ status: 402, json: { error: quota } }];
  const image = Buffer.from(rig.media.image.bytes).toString('base64');
  other.create = [{ json: { data: [{ b64_json: image }] } }];
  const before = await rig.balance();
  const taskId = await rig.submitTo(stub);
  await rig.t.sql`
    update models set price = '{"unit":"call","credits":900}' where id = any(${[stub.modelId, other.modelId]})`;
  const task = await rig.finish(taskId);
  expect(other.count('create')).toBe(1);
  expect(task.money).toMatchObject({ state: 'charged', heldCredits: 5, chargedCredits: 5 });
  expect((await rig.balance()).balanceCredits).toBe(before.balanceCredits - 5);
});

it('the books are right after all of it', async () => {
  expect(await rig.audit()).toEqual([]);
});
