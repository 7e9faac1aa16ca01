import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Conversation,
  type ConversationTurn,
  conversationAnswer,
} from '#server/generation/conversation/schemas.ts';
import { type Answer, createMockUpstream } from '#server/testing/msw/upstream.ts';
import { parseLosslessJson } from '../lossless-json.ts';
import type { CreateOutcome, CreateRequest, PollOutcome, ReferenceFile } from '../provider.ts';
import { fuzzedJson, fuzzedStatus } from '../testing/fuzzed-json.ts';

const upstream = createMockUpstream();
const PATHS = { chat: '/chat/completions', responses: '/responses' };
type Endpoint = keyof typeof PATHS;
const ENDPOINTS = Object.keys(PATHS) as Endpoint[];

const TOOL = {
  name: 'generate_image',
  description: 'Makes a picture.',
  parameters: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
};
const GOAL: ConversationTurn = { role: 'user', text: 'Two postcards' };
const talk = (...turns: ConversationTurn[]): Conversation => ({
  instructions: 'You plan.',
  turns: [GOAL, ...turns],
  tools: [TOOL],
});
const called = (id: string, argumentsText = '{"prompt":"a fox"}', name = 'generate_image') => ({
  id,
  name,
  argumentsText,
});
const result = (callId: string): ConversationTurn => ({
  role: 'tool',
  callId,
  name: 'generate_image',
  text: 'Output 1 is made.',
});

const request = (endpoint: Endpoint, more: Partial<CreateRequest> = {}): Partial<CreateRequest> => ({
  endpoint,
  kind: 'text',
  prompt: 'not sent',
  conversation: talk(),
  ...more,
});

async function create(endpoint: Endpoint, answer: Answer, more: Partial<CreateRequest> = {}) {
  upstream.reply('post', PATHS[endpoint], answer);
  const outcome = await upstream.create(request(endpoint, more));
  expect(upstream.creates()).toHaveLength(1);
  return outcome;
}

async function sent(endpoint: Endpoint, more: Partial<CreateRequest> = {}) {
  await create(endpoint, { status: 400, json: { error: 'x' } }, more);
  return JSON.parse(upstream.creates()[0]?.body ?? '');
}

/** The one artefact, read as whoever continues the conversation reads it. */
function answerOf(outcome: CreateOutcome | PollOutcome) {
  if (outcome.type !== 'done' && outcome.type !== 'succeeded') throw new Error(JSON.stringify(outcome));
  expect(outcome.artefacts).toHaveLength(1);
  const [artefact] = outcome.artefacts;
  if (artefact?.type !== 'text') throw new Error(artefact?.type);
  return conversationAnswer.parse(JSON.parse(artefact.text));
}

const completion = (message: object, finish_reason = 'tool_calls') => ({
  choices: [{ finish_reason, message }],
  usage: { prompt_tokens: 4, completion_tokens: 5 },
});
const chatCall = (id: unknown, name: unknown, args: unknown) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const responseOf = (output: unknown[], status = 'completed') => ({
  id: 'resp_1',
  status,
  output,
  usage: { input_tokens: 4, output_tokens: 5 },
});
const said = (text: string) => ({ type: 'message', content: [{ type: 'output_text', text }] });

describe('what is sent to chat completions', () => {
  it('instructions, turns and tools, with the parameters of the model but not its own instructions', async () => {
    const conversation = talk(
      { role: 'assistant', text: 'I begin.', toolCalls: [called('a'), called('b', '{"prompt":"an owl"}')] },
      result('a'),
      result('b'),
      { role: 'user', text: 'Go on.' },
    );
    const params = { instructions: 'be brief', temperature: '0.3', max_tokens: 50, n: 3 };
    expect(await sent('chat', { conversation, params })).toEqual({
      model: 'test-model',
      temperature: 0.3,
      max_tokens: 50,
      messages: [
        { role: 'system', content: 'You plan.' },
        { role: 'user', content: 'Two postcards' },
        {
          role: 'assistant',
          content: 'I begin.',
          tool_calls: [
            chatCall('a', 'generate_image', '{"prompt":"a fox"}'),
            chatCall('b', 'generate_image', '{"prompt":"an owl"}'),
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: 'Output 1 is made.' },
        { role: 'tool', tool_call_id: 'b', content: 'Output 1 is made.' },
        { role: 'user', content: 'Go on.' },
      ],
      tools: [{ type: 'function', function: TOOL }],
      stream: false,
    });
  });

  it('no tools and no instructions where there are none, and no empty turn', async () => {
    const conversation: Conversation = {
      instructions: '',
      turns: [GOAL, { role: 'assistant', text: '', toolCalls: [] }, { role: 'user', text: 'And?' }],
      tools: [],
    };
    const body = await sent('chat', { conversation });
    expect(body.messages).toEqual([
      { role: 'user', content: 'Two postcards' },
      { role: 'user', content: 'And?' },
    ]);
    expect(body).not.toHaveProperty('tools');
  });
});

describe('what is sent to responses', () => {
  it('all of it as items, and nothing that relies on what upstream remembers', async () => {
    const conversation = talk(
      { role: 'assistant', text: 'I begin.', toolCalls: [called('a')] },
      result('a'),
      { role: 'assistant', text: '', toolCalls: [called('b', '{}', 'finish')] },
      { role: 'tool', callId: 'b', name: 'finish', text: 'Not yet.' },
    );
    const params = { instructions: 'be brief', reasoning_effort: 'low', max_tokens: 50 };
    expect(await sent('responses', { conversation, params })).toEqual({
      model: 'test-model',
      reasoning: { effort: 'low' },
      max_output_tokens: 50,
      instructions: 'You plan.',
      input: [
        { type: 'message', role: 'user', content: 'Two postcards' },
        { type: 'message', role: 'assistant', content: 'I begin.' },
        { type: 'function_call', call_id: 'a', name: 'generate_image', arguments: '{"prompt":"a fox"}' },
        { type: 'function_call_output', call_id: 'a', output: 'Output 1 is made.' },
        { type: 'function_call', call_id: 'b', name: 'finish', arguments: '{}' },
        { type: 'function_call_output', call_id: 'b', output: 'Not yet.' },
      ],
      tools: [{ type: 'function', ...TOOL, strict: false }],
      background: true,
      store: true,
      metadata: { client_reference: 'dispatch-1' },
    });
  });

  it('no tools and no instructions where there are none', async () => {
    const body = await sent('responses', { conversation: { instructions: '', turns: [GOAL], tools: [] } });
    expect(body).not.toHaveProperty('tools');
    expect(body).not.toHaveProperty('instructions');
  });
});

describe.each(ENDPOINTS)('what is sent to either: %s', (endpoint) => {
  const turnsOf = (body: Record<string, unknown>) => (body.messages ?? body.input) as object[];

  it('reference pictures go with the first user’s turn', async () => {
    const file: ReferenceFile = {
      id: 'f',
      role: 'reference',
      fileName: 'cat.png',
      mime: 'image/png',
      bytes: 3,
      read: async () => Buffer.from('png'),
    };
    const conversation = talk({ role: 'user', text: 'And?' });
    const body = await sent(endpoint, { conversation, references: [file] });
    const url = 'data:image/png;base64,cG5n';
    const users = turnsOf(body).filter((turn) => Reflect.get(turn, 'role') === 'user');
    expect(users).toMatchObject([
      {
        content:
          endpoint === 'chat'
            ? [
                { type: 'text', text: 'Two postcards' },
                { type: 'image_url', image_url: { url } },
              ]
            : [
                { type: 'input_text', text: 'Two postcards' },
                { type: 'input_image', image_url: url },
              ],
      },
      { content: 'And?' },
    ]);
  });

  it('calls of a gateway that numbers every answer from the start have ids of their own', async () => {
    const conversation = talk(
      { role: 'assistant', text: '', toolCalls: [called('call_0')] },
      result('call_0'),
      { role: 'assistant', text: '', toolCalls: [called('call_0'), called('call_1')] },
      result('call_0'),
      result('call_1'),
    );
    const text = JSON.stringify(await sent(endpoint, { conversation }));
    for (const id of ['call_0', 'call_0_2', 'call_1']) expect(text.split(`"${id}"`)).toHaveLength(3);
  });

  it.each([
    ['cut', '{"prompt":"a f', '{"invalid_arguments":"{\\"prompt\\":\\"a f"}'],
    ['a list', '[1]', '{"invalid_arguments":"[1]"}'],
    ['an object', '{ "n": 12345678901234567890 }', '{ "n": 12345678901234567890 }'],
  ])('arguments that are %s are told back so that no upstream stumbles', async (_name, text, expected) => {
    const conversation = talk(
      { role: 'assistant', text: '', toolCalls: [called('a', text, 'no such tool!')] },
      { role: 'tool', callId: 'a', name: 'no such tool!', text: 'There is no such tool.' },
    );
    const call = turnsOf(await sent(endpoint, { conversation })).find((turn) =>
      JSON.stringify(turn).includes('"arguments"'),
    );
    const expectedCall = { name: 'no_such_tool_', arguments: expected };
    expect(call).toMatchObject(
      endpoint === 'chat' ? { tool_calls: [{ function: expectedCall }] } : expectedCall,
    );
  });
});

describe('what is read from chat completions', () => {
  it.each<[string, object, object]>([
    ['text alone', { content: 'Hello' }, { text: 'Hello', toolCalls: [] }],
    [
      'calls alone',
      { content: null, tool_calls: [chatCall('a', 'finish', '{}'), chatCall('b', 'finish', '{"x":1}')] },
      { text: '', toolCalls: [called('a', '{}', 'finish'), called('b', '{"x":1}', 'finish')] },
    ],
    [
      'both',
      { content: [{ type: 'text', text: 'Now' }], tool_calls: [chatCall('a', 'finish', '{}')] },
      { text: 'Now', toolCalls: [called('a', '{}', 'finish')] },
    ],
    [
      'arguments that are cut',
      { content: '', tool_calls: [chatCall('a', 'finish', '{"summary":"ha')] },
      { text: '', toolCalls: [called('a', '{"summary":"ha', 'finish')] },
    ],
    [
      'the call of an old gateway',
      { content: null, function_call: { name: 'finish', arguments: '{}' } },
      { text: '', toolCalls: [called('call_0', '{}', 'finish')] },
    ],
    [
      'calls without ids, or of one id',
      {
        tool_calls: [
          chatCall(undefined, 'finish', '{}'),
          chatCall('finish', 'finish', '{}'),
          chatCall('finish', 'finish', '{}'),
          chatCall('', 'finish', '{}'),
          chatCall(7, 'finish', '{}'),
          chatCall('x'.repeat(500), 'finish', '{}'),
        ],
      },
      { toolCalls: ['call_0', 'finish', 'call_2', 'call_3', '7', 'call_5'].map((id) => ({ id })) },
    ],
    [
      'arguments that are no text',
      {
        tool_calls: [
          chatCall('a', 'finish', { summary: 'x' }),
          chatCall('b', 'finish', null),
          chatCall('c', 'finish', ' '),
        ],
      },
      { toolCalls: [{ argumentsText: '{"summary":"x"}' }, { argumentsText: '{}' }, { argumentsText: '{}' }] },
    ],
    [
      'calls among what is none',
      { content: 'x', tool_calls: [null, 'x', {}, { function: 7 }, chatCall('a', '', '{}')] },
      { text: 'x', toolCalls: [called('a', '{}', '')] },
    ],
  ])('%s', async (_name, message, expected) => {
    const outcome = await create('chat', { json: completion(message) });
    expect(answerOf(outcome)).toMatchObject(expected);
    expect(outcome).toMatchObject({ usage: { inputTokens: 4, outputTokens: 5 } });
  });

  it.each(['stop', 'length', 'content_filter', 'tool_calls', 'function_call', ''])(
    'the calls count, whatever the end is called: %j',
    async (finish) => {
      const json = completion({ content: null, tool_calls: [chatCall('a', 'finish', '{"s')] }, finish);
      expect(answerOf(await create('chat', { json })).toolCalls).toEqual([called('a', '{"s', 'finish')]);
    },
  );

  it('one answer of several choices, so that nothing is called twice', async () => {
    const message = (id: string) => ({ content: null, tool_calls: [chatCall(id, 'finish', '{}')] });
    const choices = [{ message: { content: 'First' } }, { message: message('a') }, { message: message('b') }];
    expect(answerOf(await create('chat', { json: { choices } }))).toEqual({
      text: 'First',
      toolCalls: [called('a', '{}', 'finish')],
    });
  });

  it.each<[string, object, string, object]>([
    ['nothing at all', { content: '', tool_calls: [] }, 'stop', { type: 'uncertain' }],
    ['calls that are none', { content: null, tool_calls: [{}, null] }, 'tool_calls', { type: 'uncertain' }],
    ['a refusal', { refusal: 'I cannot' }, 'stop', { type: 'rejected', moderated: true, code: 'refused' }],
    ['a filter', { content: null }, 'content_filter', { type: 'rejected', code: 'content_filter' }],
  ])('%s ends as it does without a conversation', async (_name, message, finish, expected) => {
    expect(await create('chat', { json: completion(message, finish) })).toMatchObject(expected);
  });

  it('without a conversation an answer is its text, and calls are nothing', async () => {
    const json = completion({ content: 'Hi', tool_calls: [chatCall('a', 'finish', '{}')] });
    const outcome = await create('chat', { json }, { conversation: undefined });
    expect(outcome).toMatchObject({ type: 'done', artefacts: [{ type: 'text', text: 'Hi' }] });
  });
});

describe('what is read from responses', () => {
  const call = { type: 'function_call', id: 'fc_1', call_id: 'a', name: 'finish', arguments: '{}' };

  it.each<[string, object, object]>([
    ['text alone', responseOf([said('Hello')]), { text: 'Hello', toolCalls: [] }],
    [
      'text and calls',
      responseOf([{ type: 'reasoning' }, said('Now'), call, { ...call, call_id: 'b' }]),
      { text: 'Now', toolCalls: [called('a', '{}', 'finish'), called('b', '{}', 'finish')] },
    ],
    [
      'a cut call',
      responseOf([{ ...call, arguments: '{"s' }], 'incomplete'),
      { text: '', toolCalls: [called('a', '{"s', 'finish')] },
    ],
    [
      'a call without call_id, and one without any',
      responseOf([
        { ...call, call_id: undefined },
        { ...call, call_id: null, id: null },
      ]),
      { toolCalls: [{ id: 'fc_1' }, { id: 'call_1' }] },
    ],
  ])('%s, at once and later', async (_name, json, expected) => {
    expect(answerOf(await create('responses', { json }))).toMatchObject(expected);
    upstream.reply('get', '/responses/resp_1', { json });
    const polled = await upstream.poll('responses', 'resp_1', { conversation: true });
    expect(answerOf(polled)).toMatchObject(expected);
    expect(polled).toMatchObject({ usage: { inputTokens: 4, outputTokens: 5 } });
  });

  it('an accepted job remembers that its answer is one of a conversation', async () => {
    const json = { id: 'resp_1', status: 'queued' };
    expect(await create('responses', { json })).toMatchObject({
      type: 'accepted',
      pollRef: { id: 'resp_1', endpoint: 'responses', conversation: true },
    });
    const alone = await upstream.create(request('responses', { conversation: undefined }));
    expect(alone).toMatchObject({ pollRef: { id: 'resp_1', endpoint: 'responses' } });
    expect(JSON.stringify(alone)).not.toContain('conversation');
  });

  it.each<[string, object, object]>([
    ['nothing at all', responseOf([]), { type: 'succeeded', artefacts: [] }],
    [
      'a refusal',
      responseOf([{ type: 'message', content: [{ type: 'refusal', refusal: 'I cannot' }] }]),
      { type: 'failed', code: 'refused', moderated: true },
    ],
    [
      'cut before anything',
      { ...responseOf([], 'incomplete'), incomplete_details: { reason: 'max_output_tokens' } },
      { type: 'failed', code: 'max_output_tokens' },
    ],
    ['in progress', responseOf([call], 'in_progress'), { type: 'pending' }],
  ])('%s ends as it does without a conversation', async (_name, json, expected) => {
    upstream.reply('get', '/responses/resp_1', { json });
    expect(await upstream.poll('responses', 'resp_1', { conversation: true })).toMatchObject(expected);
  });
});

describe('what is kept', () => {
  it('no character that a database refuses, also not behind an escape of the arguments', async () => {
    const args = '{"a":"x\\u0000y","b":"\\ud83d\\ude00 \\ud800 \\\\u0000","c":"\\udc00"}';
    const message = { content: 'a\u0000b\ud800c', tool_calls: [chatCall('i\u0000', 'f\ud800', args)] };
    const answer = answerOf(await create('chat', { json: completion(message) }));
    expect(answer.text).toBe('a\ufffdb\ufffdc');
    expect(answer.toolCalls[0]).toMatchObject({ id: 'i\ufffd', name: 'f\ufffd' });
    expect(JSON.parse(answer.toolCalls[0]?.argumentsText ?? '')).toEqual({
      a: 'x\ufffdy',
      b: '😀 \ufffd \\u0000',
      c: '\ufffd',
    });
  });

  it('a long answer as a file, whole', async () => {
    const text = 'é'.repeat(200_000);
    const outcome = await create('chat', { json: completion({ content: text }) });
    expect(outcome).toMatchObject({ type: 'done', artefacts: [{ type: 'stored', mime: 'text/plain' }] });
    const kept = Buffer.from(upstream.storage.files.get('incoming/dispatch-1/0') ?? []).toString();
    expect(conversationAnswer.parse(JSON.parse(kept))).toEqual({ text, toolCalls: [] });
  });

  it('no key of the channel', async () => {
    const message = {
      content: null,
      tool_calls: [chatCall('a', 'finish', `{"s":"${upstream.access.apiKey}"}`)],
    };
    const outcome = await create('chat', { json: completion(message) });
    expect(JSON.stringify(outcome)).not.toContain(upstream.access.apiKey);
    expect(answerOf(outcome).toolCalls[0]?.argumentsText).toBe('{"s":"[redacted]"}');
  });
});

describe('an endpoint that takes no conversation', () => {
  it.each([
    ['openai', 'images', false],
    ['openai', 'chat', true],
    ['openai', 'responses', true],
    ['newapi', 'chat', true],
    ['newapi', 'responses', true],
    ['newapi', 'suno', false],
    ['custom', 'text', false],
    ['openai', 'no such', false],
    ['no such', 'chat', false],
  ])('%s/%s: %j', (protocol, endpoint, expected) => {
    expect(upstream.runtime.canConverse(protocol, endpoint)).toBe(expected);
  });

  it('refuses one before anything is sent', async () => {
    const access = { ...upstream.access, protocol: 'custom' };
    const options = { dispatchId: 'd', timeoutMs: 1_000, signal: new AbortController().signal };
    const outcome = await upstream.runtime.create(
      access,
      { ...request('chat'), endpoint: 'text', model: 'm', params: {}, references: [] } as CreateRequest,
      options,
    );
    expect(outcome).toMatchObject({ type: 'rejected', code: 'unsupported', scope: 'account' });
    expect(upstream.seen).toEqual([]);
  });
});

describe('whatever JSON comes', () => {
  const json = fuzzedJson(
    ['choices', 'message', 'content', 'tool_calls', 'function_call', 'function', 'name', 'arguments', 'type'],
    [
      'function_call',
      'message',
      'output_text',
      'completed',
      'incomplete',
      '{"a":',
      '{}',
      '\\u0000',
      '\\ud800',
    ],
  );
  /** A call with something odd in every place. */
  const call = fc.record(
    {
      id: json,
      call_id: json,
      type: fc.constant('function_call'),
      name: json,
      arguments: json,
      function: json,
    },
    { requiredKeys: ['type'] },
  );
  const calls = fc.array(fc.oneof(call, json), { maxLength: 6 });

  function textsIn(value: unknown): string[] {
    if (typeof value === 'string') return [value];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, item]) => [key, ...textsIn(item)]);
  }

  function expectAnswer(outcome: CreateOutcome | PollOutcome) {
    if (outcome.type !== 'done' && outcome.type !== 'succeeded') return;
    if (outcome.artefacts.length === 0) return;
    const { text, toolCalls } = answerOf(outcome);
    expect(text.trim() !== '' || toolCalls.length > 0).toBe(true);
    expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(toolCalls.length);
    const read = toolCalls.map(({ argumentsText }) => parseLosslessJson(argumentsText));
    expect(textsIn([text, toolCalls, read]).join('')).not.toMatch(/\0|\p{Surrogate}/u);
  }

  function changing(method: 'get' | 'post', path: string): (answer: Answer) => void {
    let current: Answer = {};
    upstream.reply(
      method,
      path,
      new Proxy({} as Answer, { get: (_target, key) => current[key as keyof Answer] }),
    );
    return (answer) => {
      current = answer;
    };
  }

  it('chat: never throws, and an artefact is an answer that can be gone on with', async () => {
    const answer = changing('post', PATHS.chat);
    const body = fc.oneof(
      json,
      fc.tuple(json, calls, json).map(([content, tool_calls, function_call]) => ({
        choices: [{ message: { content, tool_calls, function_call } }],
      })),
    );
    await fc.assert(
      fc.asyncProperty(body, fuzzedStatus, async (value, status) => {
        answer({ status, json: value });
        const outcome = await upstream.create(request('chat'));
        expect(['done', 'rejected', 'rate_limited', 'uncertain']).toContain(outcome.type);
        expectAnswer(outcome);
        expect(upstream.logs).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('responses: never throws, and an artefact is an answer that can be gone on with', async () => {
    const created = changing('post', PATHS.responses);
    const polled = changing('get', '/responses/job_1');
    const body = fc.oneof(
      json,
      fc.tuple(calls, fc.constantFrom('completed', 'incomplete', 'failed')).map(([output, status]) => ({
        id: 'resp_1',
        status,
        output,
      })),
    );
    await fc.assert(
      fc.asyncProperty(body, fuzzedStatus, async (value, status) => {
        created({ status, json: value });
        polled({ status, json: value });
        expectAnswer(await upstream.create(request('responses')));
        expectAnswer(await upstream.poll('responses', 'job_1', { conversation: true }));
        expect(upstream.logs).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
