import { describe, expect, it } from 'vitest';
import { type Answer, createMockUpstream, UPSTREAM_KEY } from '#server/testing/msw/upstream.ts';
import type { ReferenceFile } from '../provider.ts';
import { STUDIO } from './testing/descriptions.ts';

const upstream = createMockUpstream({
  protocol: 'custom',
  baseUrl: 'https://studio.example/api',
  settings: STUDIO,
});

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const file = (role: ReferenceFile['role'], fileName = `${role}.png`): ReferenceFile => ({
  id: fileName,
  role,
  fileName,
  mime: 'image/png',
  bytes: PNG.byteLength,
  read: async () => PNG,
});

async function create(answer: Answer, request: object = {}, webhookUrl?: string) {
  upstream.reply('post', '/renders', answer);
  const outcome = await upstream.create({ endpoint: 'video', kind: 'video', ...request }, { webhookUrl });
  expect(upstream.creates().length).toBeLessThanOrEqual(1);
  return outcome;
}

async function poll(answer: Answer, id = 'job_1') {
  upstream.reply('get', `/renders/${encodeURIComponent(id)}`, answer);
  const outcome = await upstream.poll('video', id);
  expect(upstream.creates()).toHaveLength(0);
  return outcome;
}

describe('the request of a create', () => {
  it('is the filled-in template, with the key in its header and our reference', async () => {
    const webhookUrl = 'https://lane.example/webhooks/c1?ref=dispatch-1&sig=abc';
    await create(
      { json: { ticket: { no: 'r1' } } },
      { prompt: 'a "cat"', params: { size: '1:1', seconds: '5', n: 2 }, references: [file('first_frame')] },
      webhookUrl,
    );
    const [request] = upstream.seen;
    expect(request?.path).toBe('/api/renders');
    expect(JSON.parse(request?.body ?? '')).toEqual({
      input: {
        text: 'a "cat"',
        model: 'test-model',
        size: '1:1',
        seconds: 5,
        count: 2,
        images: [`data:image/png;base64,${PNG.toString('base64')}`],
      },
      ref: 'dispatch-1',
      callback: webhookUrl,
    });
    expect(request?.headers.get('x-studio-key')).toBe(UPSTREAM_KEY);
    expect(request?.headers.get('authorization')).toBeNull();
    expect(request?.headers.get('idempotency-key')).toBe('dispatch-1');
  });

  it('has no key for what was not given', async () => {
    await create({ json: { ticket: { no: 'r1' } } });
    expect(JSON.parse(upstream.seen[0]?.body ?? '')).toEqual({
      input: { text: 'a cat', model: 'test-model' },
      ref: 'dispatch-1',
    });
  });

  it.each<[string, ReferenceFile[]]>([
    ['a last frame', [file('last_frame')]],
    ['a second reference', [file('reference', 'a.png'), file('reference', 'b.png')]],
    ['two first frames', [file('first_frame', 'a.png'), file('first_frame', 'b.png')]],
  ])('is never sent without %s that the template has no place for', async (_name, references) => {
    expect(await create({}, { references })).toMatchObject({
      type: 'rejected',
      code: 'unsupported_reference',
    });
    expect(upstream.seen).toEqual([]);
  });

  it('is never sent with a value that cannot be converted', async () => {
    expect(await create({}, { params: { seconds: 'long' } })).toMatchObject({
      type: 'rejected',
      code: 'unsupported_parameter',
      message: expect.stringContaining('must be a number'),
    });
    expect(upstream.seen).toEqual([]);
  });
});

describe('the answer to a create', () => {
  it.each<[unknown, string]>([
    ['r1', 'r1'],
    ['9007199254740993123', '9007199254740993123'],
    [42, '42'],
  ])('with the id %j is accepted', async (no, id) => {
    expect(await create({ json: { ticket: { no } } })).toMatchObject({
      type: 'accepted',
      upstreamId: id,
      pollRef: { id, endpoint: 'video' },
    });
  });

  it('keeps a long number digit for digit', async () => {
    const text = '{"ticket":{"no":9007199254740993123}}';
    const outcome = await create({ text, headers: { 'content-type': 'application/json' } });
    expect(outcome).toMatchObject({ type: 'accepted', upstreamId: '9007199254740993123' });
  });

  it.each<[string, Answer, object]>([
    [
      'the described refusal',
      { json: { verdict: 'refused', problem: { text: 'Too dark.', kind: 'dark' } } },
      { type: 'rejected', code: 'dark', message: 'Too dark.', scope: 'request' },
    ],
    [
      'a described refusal of the content',
      { json: { verdict: 'refused', problem: { text: 'No.', kind: 'content_policy' } } },
      { type: 'rejected', moderated: true },
    ],
    [
      'a 4xx in the vendor’s own words',
      { status: 422, json: { problem: { text: 'Unknown size.', kind: 'size' } } },
      { type: 'rejected', code: 'size', message: 'Unknown size.', scope: 'request' },
    ],
    [
      'a 4xx in common words',
      { status: 400, json: { error: { message: 'bad', code: 'invalid_size' } } },
      { type: 'rejected', code: 'invalid_size', message: 'bad' },
    ],
    [
      '401',
      { status: 401, json: { problem: { text: 'Who are you?' } } },
      { type: 'rejected', code: 'unauthorized', scope: 'account' },
    ],
    [
      '402',
      { status: 402, json: { problem: { text: 'Empty.' } } },
      { type: 'rejected', code: 'quota', scope: 'account' },
    ],
    [
      'an empty account by its code',
      { status: 400, json: { problem: { text: 'x', kind: 'insufficient_balance' } } },
      { type: 'rejected', code: 'quota', scope: 'account' },
    ],
    [
      '429 with a header',
      { status: 429, headers: { 'retry-after': '7' }, json: {} },
      { type: 'rate_limited', retryAfterMs: 7_000 },
    ],
    [
      '429 with the described wait',
      { status: 429, json: { render: { wait: '37s' }, problem: { text: 'Slow down.' } } },
      { type: 'rate_limited', retryAfterMs: 37_000, message: 'Slow down.' },
    ],
  ])('%s is read', async (_name, answer, expected) => {
    expect(await create(answer)).toMatchObject(expected);
  });

  it.each<[string, Answer]>([
    ['no id', { json: { ticket: {} } }],
    ['a null id', { json: { ticket: { no: null } } }],
    ['"undefined" for an id', { json: { ticket: { no: 'undefined' } } }],
    ['an error that the description does not call a refusal', { json: { error: { message: 'no' } } }],
    ['a refusal that names a job', { json: { verdict: 'refused', ticket: { no: 'r1' } } }],
    ['a page', { text: '<html></html>' }],
    ['a list', { json: [] }],
    ['an empty body', { text: '' }],
    ['500 with a refusal in it', { status: 500, json: { problem: { text: 'no', kind: 'x' } } }],
    ['502', { status: 502, text: 'x' }],
    ['408', { status: 408, json: { problem: { text: 'late' } } }],
    ['409', { status: 409, json: { problem: { text: 'twice' } } }],
    ['a time-out in the vendor’s words', { status: 400, json: { problem: { kind: 'upstream_timeout' } } }],
    ['a reset', { broken: true }],
  ])('B01–B05: %s is uncertain', async (_name, answer) => {
    expect((await create(answer)).type).toBe('uncertain');
  });
});

describe('a poll', () => {
  it.each<[string, unknown, object]>([
    [
      'a described word',
      { phase: 'painting', percent: 40 },
      { status: 'painting', known: true, progress: 40 },
    ],
    ['a shared word', { phase: 'WAITING' }, { status: 'WAITING', known: true }],
    ['the described wait', { phase: 'painting', wait: 12 }, { retryAfterMs: 12_000 }],
    ['B15: an unknown word', { phase: 'varnishing' }, { status: 'varnishing', known: false }],
    ['B15: no word', {}, { status: '', known: false }],
  ])('%s is pending', async (_name, render, expected) => {
    expect(await poll({ json: { render } })).toMatchObject({ type: 'pending', ...expected });
  });

  it('gives every address of a list, and leaves out what upstream could not make', async () => {
    const files = [{ href: 'https://cdn.example/1.png' }, { href: null }, {}, { href: '/files/3.png' }, 'x'];
    expect(await poll({ json: { render: { phase: 'ready', files } } })).toMatchObject({
      type: 'succeeded',
      status: 'ready',
      artefacts: [
        { type: 'url', url: 'https://cdn.example/1.png' },
        { type: 'url', url: 'https://studio.example/files/3.png' },
      ],
    });
  });

  it('takes no address that is none', async () => {
    const files = [
      '//evil.example/x',
      'ftp://x.example/a',
      'javascript:alert(1)',
      '/\\evil.example',
      ' ',
    ].map((href) => ({ href }));
    expect(await poll({ json: { render: { phase: 'ready', files } } })).toMatchObject({
      type: 'succeeded',
      artefacts: [],
    });
  });

  it('ends by explicit verdicts only', async () => {
    const problem = { text: 'The brush broke.', kind: 'brush' };
    expect(await poll({ json: { render: { phase: 'broken', problem } } })).toMatchObject({
      type: 'failed',
      code: 'brush',
      reason: 'The brush broke.',
    });
    expect(await poll({ status: 422, json: { render: { phase: 'broken', problem } } })).toMatchObject({
      type: 'failed',
    });
    expect(await poll({ json: { render: { phase: 'stopped' } } })).toMatchObject({ type: 'cancelled' });
    const moderated = { phase: 'broken', problem: { text: 'Blocked by our content policy.' } };
    expect(await poll({ json: { render: moderated } })).toMatchObject({ type: 'failed', moderated: true });
    expect(await poll({ json: { render: { phase: 'broken' } } })).toMatchObject({
      type: 'failed',
      reason: expect.stringMatching(/\S/),
    });
  });

  it.each<[string, Answer, object]>([
    ['B30: 404', { status: 404, json: {} }, { type: 'missing' }],
    ['B32: 401', { status: 401, json: {} }, { type: 'transient', errorClass: 'unauthorized' }],
    ['B28: 429', { status: 429, json: {} }, { type: 'transient', errorClass: 'rate_limited' }],
    [
      'B28: 503 that claims a failure',
      { status: 503, json: { render: { phase: 'broken' } } },
      { type: 'transient', errorClass: 'server_error' },
    ],
    ['B29: a page', { text: '<html>broken</html>' }, { type: 'transient', errorClass: 'bad_body' }],
    ['an error without a status', { json: { error: { message: 'x' } } }, { type: 'transient' }],
  ])('%s is no verdict', async (_name, answer, expected) => {
    expect(await poll(answer)).toMatchObject(expected);
  });

  it('asks for an odd id below its own path', async () => {
    await poll({ json: { render: { phase: 'waiting' } } }, 'a/b?c');
    expect(upstream.seen[0]?.path).toBe('/api/renders/a%2Fb%3Fc');
    expect((await upstream.poll('video', '..')).type).toBe('transient');
    expect(upstream.seen).toHaveLength(1);
  });
});

describe('cancel', () => {
  it.each<[Answer, string]>([
    [{ json: {} }, 'requested'],
    [{ status: 409, json: { message: 'already finished' } }, 'already_terminal'],
    [{ status: 405, json: {} }, 'unsupported'],
    [{ status: 500, json: {} }, 'unknown'],
  ])('reads %o', async (answer, outcome) => {
    upstream.reply('delete', '/renders/job_1', answer);
    expect(await upstream.cancel('video')).toBe(outcome);
  });
});

describe('look-up by our reference', () => {
  it.each<[string, Answer, object]>([
    [
      'a job',
      { json: { render: { no: 'r9' } } },
      { type: 'found', upstreamId: 'r9', pollRef: { id: 'r9', endpoint: 'video' } },
    ],
    ['404', { status: 404, json: {} }, { type: 'absent' }],
    ['410', { status: 410, json: {} }, { type: 'cannot_tell' }],
    ['no id', { json: {} }, { type: 'cannot_tell' }],
    ['500', { status: 500, json: {} }, { type: 'cannot_tell' }],
    ['401', { status: 401, json: {} }, { type: 'cannot_tell' }],
    ['a page', { text: '<html>' }, { type: 'cannot_tell' }],
    ['a reset', { broken: true }, { type: 'cannot_tell' }],
  ])('%s', async (_name, answer, outcome) => {
    upstream.reply('get', '/refs/dispatch-1', answer);
    expect(await upstream.lookup()).toEqual(outcome);
  });
});

describe('B64: a delivery is a hint', () => {
  const deliver = (body: string, query: Record<string, string> = {}) =>
    upstream.readWebhook({ rawBody: Buffer.from(body), query });

  it('names the job by the described place, and our dispatch by our own address', async () => {
    expect(
      await deliver('{"about":{"no":9007199254740993123},"render":{"phase":"ready"}}', { ref: 'd1' }),
    ).toEqual({
      type: 'hint',
      verified: false,
      upstreamId: '9007199254740993123',
      clientRef: 'd1',
      status: 'ready',
    });
  });

  it('is a hint without a body too, as long as it names something', async () => {
    expect(await deliver('no=1', { ref: 'd1' })).toEqual({ type: 'hint', verified: false, clientRef: 'd1' });
    expect((await deliver('no=1')).type).toBe('refused');
    expect((await deliver('{}')).type).toBe('refused');
  });
});

describe('check', () => {
  it.each<[string, Answer, boolean, RegExp]>([
    ['an answer', { text: 'pong' }, true, /It works/],
    ['a refused key', { status: 403, json: {} }, false, /refuses this key/],
    ['another service', { status: 404, json: {} }, false, /Check the base URL/],
    ['a fault', { status: 503, json: {} }, false, /fault of its own/],
    ['a reset', { broken: true }, false, /no usable answer/],
  ])('%s', async (_name, answer, ok, message) => {
    upstream.reply('get', '/ping', answer);
    expect(await upstream.runtime.check(upstream.access)).toMatchObject({
      ok,
      message: expect.stringMatching(message),
    });
  });
});

describe('a description that was broken by hand', () => {
  const access = { ...upstream.access, settings: { create: { path: 7 } } };
  const options = { dispatchId: 'd', timeoutMs: 30_000, signal: new AbortController().signal };
  const ref = { id: '1', endpoint: 'video' };

  it('sends nothing and is no verdict', async () => {
    const { runtime } = upstream;
    const request = {
      kind: 'video',
      endpoint: 'video',
      model: 'm',
      prompt: 'p',
      params: {},
      references: [],
    } as const;
    expect(await runtime.create(access, request, options)).toMatchObject({
      type: 'not_sent',
      phase: 'prepare',
      message: expect.stringContaining('cannot be read'),
    });
    expect(await runtime.poll(access, ref, options)).toMatchObject({
      type: 'transient',
      errorClass: 'internal',
    });
    expect(await runtime.cancel(access, ref, options)).toBe('unknown');
    expect(await runtime.check(access)).toMatchObject({ ok: false });
    expect(upstream.seen).toEqual([]);
    expect(upstream.logs).toEqual([]);
  });
});
