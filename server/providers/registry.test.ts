import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '#server/testing/msw/memory-store.ts';
import {
  type Answer,
  collectingLogger,
  createMockUpstream,
  UPSTREAM_KEY,
} from '#server/testing/msw/upstream.ts';
import type { CallContext, ChannelAccess, CreateRequest, ProviderAdapter } from './provider.ts';
import { createProviderRuntime } from './registry.ts';

const upstream = createMockUpstream();

const PATHS = {
  images: '/images/generations',
  videos: '/videos',
  speech: '/audio/speech',
  responses: '/responses',
  chat: '/chat/completions',
};
const ENDPOINTS = Object.keys(PATHS) as (keyof typeof PATHS)[];

/** JSON whose keys and words are those that the adapter looks at, with values of every type. */
const fields = fc.constantFrom(
  ...[
    'id',
    'task_id',
    'data',
    'status',
    'task_status',
    'state',
    'error',
    'code',
    'message',
    'msg',
    'success',
    'output',
    'url',
    'video_url',
    'metadata',
  ],
  ...[
    'content',
    'choices',
    'text',
    'type',
    'refusal',
    'usage',
    'input_tokens',
    'seconds',
    'progress',
    'fail_reason',
    'b64_json',
    'output_text',
    'detail',
  ],
  ...[
    'incomplete_details',
    'reason',
    'finish_reason',
    'videos',
    'object',
    'result',
    '__proto__',
    'constructor',
  ],
);
const words = fc.oneof(
  fc.constantFrom(
    'completed',
    'failed',
    'incomplete',
    'cancelled',
    'queued',
    'message',
    'output_text',
    'refusal',
    'https://x.example/a',
    'data:image/png;base64,AA==',
  ),
  fc.constantFrom(
    'null',
    'undefined',
    '[object Object]',
    'success',
    'rate_limit_exceeded',
    '',
    '\u0000',
    '\ud800',
  ),
  fc.string(),
);
const { json: fuzz } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: 'medium' },
    words,
    fc.double(),
    fc.bigInt().map(String),
    fc.constantFrom(null, true, false),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.array(fc.tuple(fields, tie('json')), { maxLength: 8 }).map((entries) => Object.fromEntries(entries)),
  ),
}));
const statuses = fc.constantFrom(200, 200, 200, 201, 400, 401, 404, 422, 429, 500);

const CREATE_TYPES = ['accepted', 'done', 'rejected', 'rate_limited', 'uncertain'];
const POLL_TYPES = ['pending', 'succeeded', 'failed', 'cancelled', 'transient', 'missing'];

describe('whatever JSON an upstream sends', () => {
  it.each(ENDPOINTS)('a create of %s never throws and is never taken for our own fault', async (endpoint) => {
    let answer: Answer = {};
    upstream.reply(
      'post',
      PATHS[endpoint],
      ...[new Proxy({} as Answer, { get: (_target, key) => answer[key as keyof Answer] })],
    );
    await fc.assert(
      fc.asyncProperty(fuzz, statuses, async (json, status) => {
        answer = { status, json };
        const outcome = await upstream.create({ endpoint });
        expect(CREATE_TYPES).toContain(outcome.type);
        expect(upstream.logs).toEqual([]);
        if (outcome.type === 'accepted')
          expect(['null', 'undefined', '[object Object]', '']).not.toContain(outcome.upstreamId);
        const stored = JSON.stringify(outcome);
        expect(stored).not.toContain('\\u0000');
        expect(stored).not.toMatch(/\\ud[89a-f]/i);
      }),
      { numRuns: 150 },
    );
  });

  it.each(['videos', 'responses'] as const)(
    'a poll of %s never throws and is never taken for our own fault',
    async (endpoint) => {
      let answer: Answer = {};
      upstream.reply(
        'get',
        `/${endpoint}/job_1`,
        new Proxy({} as Answer, { get: (_target, key) => answer[key as keyof Answer] }),
      );
      await fc.assert(
        fc.asyncProperty(fuzz, statuses, async (json, status) => {
          answer = { status, json };
          const outcome = await upstream.poll(endpoint);
          expect(POLL_TYPES).toContain(outcome.type);
          expect(upstream.logs).toEqual([]);
          if (outcome.type === 'failed') expect(outcome.reason).not.toBe('');
        }),
        { numRuns: 200 },
      );
    },
  );
});

describe('B73: an upstream that echoes the key', () => {
  const echo = {
    error: {
      message: `Incorrect API key provided: ${UPSTREAM_KEY}`,
      code: UPSTREAM_KEY,
      request: { authorization: `Bearer ${UPSTREAM_KEY}` },
    },
  };

  it.each<[string, Answer]>([
    ['a refusal', { status: 401, json: echo }],
    ['a rate limit', { status: 429, json: echo }],
    ['an uncertain answer', { status: 500, json: echo }],
    [
      'an uncertain answer in HTML',
      { status: 502, text: `<html>${encodeURIComponent(UPSTREAM_KEY)} ${UPSTREAM_KEY}</html>` },
    ],
    ['an accepted job', { json: { id: 'v1', note: UPSTREAM_KEY } }],
  ])('never leaves in %s of a create', async (_name, answer) => {
    upstream.reply('post', '/videos', answer);
    const outcome = await upstream.create({ endpoint: 'videos', kind: 'video' });
    expect(JSON.stringify(outcome)).not.toContain(UPSTREAM_KEY);
    expect(upstream.logs.join()).not.toContain(UPSTREAM_KEY);
  });

  it.each<[string, Answer]>([
    ['a failure', { json: { status: 'failed', ...echo } }],
    ['a transient answer', { status: 401, json: echo }],
    ['a status', { json: { status: UPSTREAM_KEY } }],
    ['a missing job', { status: 404, json: echo }],
  ])('never leaves in %s of a poll', async (_name, answer) => {
    upstream.reply('get', '/videos/job_1', answer);
    expect(JSON.stringify(await upstream.poll('videos'))).not.toContain(UPSTREAM_KEY);
  });

  it('never leaves in the answer of a channel test', async () => {
    upstream.reply('get', '/models', { status: 401, json: echo });
    const answer = await upstream.runtime.check(upstream.access);
    expect(answer.ok).toBe(false);
    expect(JSON.stringify(answer)).not.toContain(UPSTREAM_KEY);
  });
});

describe('check', () => {
  it.each<[string, Answer, boolean, RegExp]>([
    ['models', { json: { data: [{ id: 'a' }, { id: 'b' }] } }, true, /2 models are offered/],
    ['a refused key', { status: 401, json: {} }, false, /refuses this key/],
    ['a page', { text: '<html></html>' }, false, /Check the base URL/],
    ['a fault', { status: 503, text: '' }, false, /fault of its own/],
    ['no list', { status: 404, json: { error: 'x' } }, true, /lists no models/],
    ['a broken connection', { broken: true }, false, /no usable answer/],
  ])('says in a sentence what %s means', async (_name, answer, ok, message) => {
    upstream.reply('get', '/models', answer);
    expect(await upstream.runtime.check(upstream.access)).toMatchObject({
      ok,
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ['https://upstream.example', '/v1/models'],
    ['https://upstream.example/', '/v1/models'],
    ['https://upstream.example/v1', '/v1/models'],
    ['https://upstream.example/v1/', '/v1/models'],
    ['https://upstream.example/openai', '/openai/v1/models'],
    ['https://upstream.example/api/v3', '/api/v3/models'],
    ['https://upstream.example/v1beta/openai', '/v1beta/openai/models'],
  ])('reads the base URL %s with or without its version', async (baseUrl, path) => {
    upstream.reply('get', `https://upstream.example${path}`, { json: { data: [] } });
    expect(await upstream.runtime.check({ ...upstream.access, baseUrl })).toMatchObject({ ok: true });
    expect(upstream.seen[0]?.path).toBe(path);
  });

  it('explains a refused address', async () => {
    const answer = await upstream.runtime.check({ ...upstream.access, baseUrl: 'http://192.168.1.10/v1' });
    expect(answer).toMatchObject({
      ok: false,
      message: expect.stringMatching(/not on the public Internet.*OUTBOUND_ALLOW_HOSTS/),
    });
  });
});

describe('faults of an adapter', () => {
  const request: CreateRequest = {
    kind: 'image',
    endpoint: 'images',
    model: 'm',
    prompt: 'p',
    params: {},
    references: [],
  };
  const access: ChannelAccess = {
    protocol: 'odd',
    baseUrl: 'https://upstream.example/v1',
    apiKey: UPSTREAM_KEY,
  };
  const options = { dispatchId: 'd', timeoutMs: 30_000, signal: new AbortController().signal };

  function runtimeWith(create: (ctx: CallContext) => Promise<never>) {
    const adapter: ProviderAdapter = {
      protocol: 'odd',
      endpoints: { images: { kind: 'image', cancellable: true } },
      canLookup: false,
      credentials: () => ({}),
      create: (_request, ctx) => create(ctx),
      poll: () => Promise.reject(new TypeError(`cannot read ${UPSTREAM_KEY}`)),
      cancel: () => Promise.reject(new Error('x')),
      check: () => Promise.reject(new Error('x')),
    };
    const lines: string[] = [];
    const storage = createMemoryStore();
    const runtime = createProviderRuntime({
      storage,
      logger: collectingLogger(lines),
      adapters: [adapter],
      fetch: (input, init) => globalThis.fetch(input, init),
    });
    return { runtime, lines, storage };
  }

  it('before the request are "not sent", after it uncertain', async () => {
    const early = runtimeWith(() => Promise.reject(new Error(`bug with ${UPSTREAM_KEY}`)));
    const outcome = await early.runtime.create(access, request, options);
    expect(outcome).toMatchObject({ type: 'not_sent', phase: 'prepare' });
    expect(JSON.stringify(outcome) + early.lines.join()).not.toContain(UPSTREAM_KEY);

    upstream.reply('post', '/x', { json: {} });
    const late = runtimeWith(async (ctx) => {
      await ctx.request({ method: 'POST', url: '/x', json: {} });
      throw new Error('bug');
    });
    expect(await late.runtime.create(access, request, options)).toMatchObject({
      type: 'uncertain',
      evidence: { reason: 'internal' },
    });
  });

  it('a second request of a create is stopped, and the outcome is uncertain', async () => {
    upstream.reply('post', '/x', { json: {} });
    const { runtime } = runtimeWith(async (ctx) => {
      await ctx.request({ method: 'POST', url: '/x', json: {} });
      return (await ctx.request({ method: 'POST', url: '/x', json: {} })) as never;
    });
    expect((await runtime.create(access, request, options)).type).toBe('uncertain');
    expect(upstream.creates()).toHaveLength(1);
  });

  it('in polls, cancels and checks are no verdict', async () => {
    const { runtime, lines } = runtimeWith(() => Promise.reject(new Error()));
    const ref = { id: '1', endpoint: 'images' };
    const polled = await runtime.poll(access, ref, options);
    expect(polled).toMatchObject({ type: 'transient', errorClass: 'internal' });
    expect(await runtime.cancel(access, ref, options)).toBe('unknown');
    expect(await runtime.check(access)).toMatchObject({ ok: false });
    expect(JSON.stringify(polled) + lines.join()).not.toContain(UPSTREAM_KEY);
  });

  it('an unknown protocol or endpoint never reaches the network', async () => {
    const { runtime } = upstream;
    expect(runtime.has('openai', 'images')).toBe(true);
    expect(runtime.has('openai', 'toString')).toBe(false);
    expect(runtime.has('nope', 'images')).toBe(false);
    expect(runtime.canLookup('openai')).toBe(false);
    expect(await runtime.create({ ...access, protocol: 'nope' }, request, options)).toMatchObject({
      type: 'rejected',
      code: 'unsupported',
    });
    expect(await upstream.lookup()).toEqual({ type: 'cannot_tell' });
    expect(
      await runtime.poll({ ...access, protocol: 'nope' }, { id: '1', endpoint: 'x' }, options),
    ).toMatchObject({ type: 'transient' });
  });

  it('B63: a result that storage refuses for good is uncertain, not lost as a refusal', async () => {
    upstream.reply('post', '/images/generations', {
      json: { data: [{ b64_json: Buffer.alloc(2_000, 1).toString('base64') }] },
    });
    const lines: string[] = [];
    const runtime = createProviderRuntime({
      storage: createMemoryStore(),
      logger: collectingLogger(lines),
      maxKeptBytes: 1_000,
      fetch: (input, init) => globalThis.fetch(input, init),
    });
    expect((await runtime.create(upstream.access, request, options)).type).toBe('uncertain');
    expect(upstream.creates()).toHaveLength(1);
  });
});

describe('B06: one call is one request', () => {
  it('polls are not repeated inside a call', async () => {
    upstream.reply('get', '/videos/job_1', { status: 500, json: {} });
    for (let turn = 0; turn < 3; turn += 1) await upstream.poll('videos');
    expect(upstream.seen.map((request) => request.method)).toEqual(['GET', 'GET', 'GET']);
  });
});
