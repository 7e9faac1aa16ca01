import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Answer, createMockUpstream, UPSTREAM_KEY } from '#server/testing/msw/upstream.ts';
import type { CreateRequest, LookupOutcome, ReferenceFile } from '../provider.ts';
import type { CustomSettingsInput } from './schemas.ts';
import { DIRECT, STUDIO } from './testing/descriptions.ts';

/** What other descriptions than the usual one do on the wire. */

const upstream = createMockUpstream({
  protocol: 'custom',
  baseUrl: 'https://studio.example/api',
  settings: STUDIO,
});
const options = { dispatchId: 'dispatch-1', timeoutMs: 30_000, signal: new AbortController().signal };
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const access = (settings: CustomSettingsInput) => ({ ...upstream.access, settings });
const create = (settings: CustomSettingsInput, request: Partial<CreateRequest> = {}) =>
  upstream.runtime.create(
    access(settings),
    {
      kind: 'image',
      endpoint: 'image',
      model: 'm/1',
      prompt: 'a cat',
      params: {},
      references: [],
      ...request,
    },
    options,
  );
const poll = (settings: CustomSettingsInput) =>
  upstream.runtime.poll(access(settings), { id: 'job_1', endpoint: 'image' }, options);
const withFields = (fields: object): CustomSettingsInput => ({ ...DIRECT, fields });

describe('an answer that is the result', () => {
  it('keeps base64 as files, in order', async () => {
    const data = PNG.toString('base64');
    upstream.reply('post', '/paint/m/1', { json: { pictures: [{ data }, { data: null }, { data }] } });
    expect(await create(DIRECT, { params: { n: 2 } })).toMatchObject({
      type: 'done',
      artefacts: [{ type: 'stored' }, { type: 'stored' }],
    });
    expect(upstream.storage.files.size).toBe(2);
    expect([...upstream.storage.files.values()].every((file) => PNG.equals(Buffer.from(file)))).toBe(true);
  });

  it('finds addresses by itself, and texts where they are said to be', async () => {
    upstream.reply('post', '/paint/m/1', { json: { data: [{ url: 'https://cdn.example/1.png' }] } });
    expect(await create(withFields({}))).toMatchObject({
      type: 'done',
      artefacts: [{ type: 'url', url: 'https://cdn.example/1.png' }],
    });
    upstream.reply('post', '/paint/m/1', { json: { lines: ['one', ' ', 'two'] } });
    expect(await create(withFields({ encoding: 'text', result: ['lines'] }), { kind: 'text' })).toMatchObject(
      {
        type: 'done',
        artefacts: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
        ],
      },
    );
  });

  it('is refused by an explicit failure, and uncertain without a result', async () => {
    const settings = withFields({ status: ['state'], errorMessage: ['why'], errorCode: ['what'] });
    upstream.reply('post', '/paint/m/1', { json: { state: 'failed', why: 'No paint.', what: 'paint' } });
    expect(await create(settings)).toMatchObject({ type: 'rejected', code: 'paint', message: 'No paint.' });
    upstream.reply('post', '/paint/m/1', { json: { state: 'running' } });
    expect((await create(settings)).type).toBe('uncertain');
    upstream.reply('post', '/paint/m/1', { json: { why: 'No paint.' } });
    expect((await create(DIRECT)).type).toBe('uncertain');
  });

  it('may be the file itself, believed by its own signature only', async () => {
    const settings = withFields({ encoding: 'file', errorMessage: ['why'] });
    const bytes = { headers: { 'content-type': 'application/octet-stream' } };
    upstream.reply('post', '/paint/m/1', { ...bytes, bytes: PNG });
    expect(await create(settings)).toMatchObject({
      type: 'done',
      artefacts: [{ type: 'stored', mime: 'image/png' }],
    });
    expect((await create(settings, { kind: 'video', endpoint: 'video' })).type).toBe('uncertain');
    upstream.reply('post', '/paint/m/1', { text: '<html>', headers: { 'content-type': 'image/png' } });
    expect((await create(settings)).type).toBe('uncertain');
    upstream.reply('post', '/paint/m/1', { status: 400, json: { why: 'No paint.' } });
    expect(await create(settings)).toMatchObject({ type: 'rejected', message: 'No paint.' });
  });
});

describe('what counts as taken', () => {
  const settings: CustomSettingsInput = { ...STUDIO, accepted: { path: 'code', values: ['0', 'ok'] } };

  it.each<[unknown, string]>([
    [0, 'accepted'],
    ['ok', 'accepted'],
    [1, 'uncertain'],
    [undefined, 'uncertain'],
    [null, 'uncertain'],
  ])('code %j: %s', async (code, type) => {
    upstream.reply('post', '/renders', { json: { code, ticket: { no: 'r1' } } });
    expect((await create(settings)).type).toBe(type);
  });
});

describe('where the key goes', () => {
  it.each<[CustomSettingsInput['auth'], Record<string, string>, string | null]>([
    [{ style: 'bearer' }, { authorization: `Bearer ${UPSTREAM_KEY}` }, null],
    [{ style: 'header', name: 'X-Key' }, { 'x-key': UPSTREAM_KEY }, null],
    [
      { style: 'header', name: 'Authorization', prefix: 'Key ' },
      { authorization: `Key ${UPSTREAM_KEY}` },
      null,
    ],
    [{ style: 'header', name: 'X-Auth', prefix: 'key=' }, { 'x-auth': `key=${UPSTREAM_KEY}` }, null],
    [{ style: 'query', name: 'key' }, {}, UPSTREAM_KEY],
    [{ style: 'none' }, {}, null],
  ])('%o', async (auth, headers, query) => {
    const settings: CustomSettingsInput = { ...STUDIO, auth, headers: [{ name: 'X-Version', value: '2' }] };
    upstream.reply('post', '/renders', { json: { note: `key ${UPSTREAM_KEY}` } });
    upstream.reply('get', '/renders/job_1', { json: { render: { phase: 'waiting' } } });
    const outcome = await create(settings);
    await poll(settings);
    expect(JSON.stringify(outcome)).not.toContain(UPSTREAM_KEY);
    expect(upstream.seen).toHaveLength(2);
    for (const request of upstream.seen) {
      expect(Object.fromEntries(request.headers)).toMatchObject({ ...headers, 'x-version': '2' });
      expect(request.query.get('key')).toBe(query);
      if (query !== null || auth?.style === 'none')
        expect(JSON.stringify([...request.headers])).not.toContain(UPSTREAM_KEY);
    }
  });
});

describe('how a request is sent', () => {
  const image: ReferenceFile = {
    id: 'f1',
    role: 'reference',
    fileName: 'a.png',
    mime: 'image/png',
    bytes: PNG.byteLength,
    read: async () => PNG,
  };
  const template = '{"text":"{{prompt}}","n":"{{params.n}}","opts":{"a":1},"picture":"{{references}}"}';

  it('as a form, with files attached', async () => {
    upstream.reply('put', '/paint', { json: {} });
    const settings = {
      ...DIRECT,
      create: { method: 'PUT', path: '/paint', body: 'form', media: 'file', template },
    } as const;
    await create(settings, { params: { n: 2 }, references: [image, { ...image, id: 'f2' }] });
    const [sent] = upstream.seen;
    expect(sent?.method).toBe('PUT');
    expect(sent?.body).toMatch(/name="text"\r\n\r\na cat/);
    expect(sent?.body).toMatch(/name="n"\r\n\r\n2/);
    expect(sent?.body).toMatch(/name="opts"\r\n\r\n\{"a":1\}/);
    expect(sent?.body.match(/name="picture"; filename="a.png"/g)).toHaveLength(2);
  });

  it('as a query', async () => {
    upstream.reply('post', '/paint', { json: {} });
    const settings = {
      ...DIRECT,
      create: { path: '/paint?v=1', body: 'query', template: '{"text":"{{prompt}}","n":"{{params.n}}"}' },
    } as const;
    await create(settings, { prompt: 'a & b', params: { n: 2 } });
    expect(Object.fromEntries(upstream.seen[0]?.query ?? [])).toEqual({ v: '1', text: 'a & b', n: '2' });
    expect(upstream.seen[0]?.body).toBe('');
  });

  it('with raw base64 where a vendor wants it so', async () => {
    upstream.reply('post', '/paint', { json: {} });
    const settings = { ...DIRECT, create: { path: '/paint', media: 'base64', template } } as const;
    await create(settings, { references: [image] });
    expect(JSON.parse(upstream.seen[0]?.body ?? '')).toMatchObject({ picture: [PNG.toString('base64')] });
  });

  it('polls by POST with the id in the body', async () => {
    upstream.reply('post', '/query', { json: { render: { phase: 'painting' } } });
    const settings = {
      ...STUDIO,
      poll: { method: 'POST', path: '/query', template: '{"no":"{{id}}"}' },
    } as const;
    expect(await poll(settings)).toMatchObject({ type: 'pending', known: true });
    expect(JSON.parse(upstream.seen[0]?.body ?? '')).toEqual({ no: 'job_1' });
  });
});

describe('a result behind a second address', () => {
  const ready = { json: { render: { phase: 'ready' } } };
  const settings = { ...STUDIO, result: { path: '/renders/{id}/result' } } as const;

  it.each<[string, Answer, object]>([
    [
      'is read as the poll’s answer would be',
      { json: { render: { files: [{ href: 'https://cdn.example/a.png' }] } } },
      { type: 'succeeded', artefacts: [{ type: 'url', url: 'https://cdn.example/a.png' }] },
    ],
    [
      'may be missing: a success without a result',
      { status: 404, json: {} },
      { type: 'succeeded', artefacts: [] },
    ],
    ['may be out of order for a while', { status: 503, json: {} }, { type: 'transient' }],
    [
      'may be a failure after all',
      { status: 422, json: { render: { phase: 'broken', problem: { text: 'No.' } } } },
      { type: 'failed', reason: 'No.' },
    ],
  ])('%s', async (_name, answer, expected) => {
    upstream.reply('get', '/renders/job_1', ready);
    upstream.reply('get', '/renders/job_1/result', answer);
    expect(await poll(settings)).toMatchObject(expected);
  });

  it('may be the file itself, fetched with the key', async () => {
    upstream.reply('get', '/renders/job_1', ready);
    expect(await poll({ ...settings, result: { path: '/renders/{id}/file', as: 'file' } })).toMatchObject({
      type: 'succeeded',
      artefacts: [{ type: 'url', url: 'https://studio.example/api/renders/job_1/file', authenticated: true }],
    });
    expect(upstream.seen).toHaveLength(1);
  });
});

describe('a look-up in a list', () => {
  const settings: CustomSettingsInput = {
    ...STUDIO,
    lookup: { path: '/renders?ref={ref}', id: ['items.*.no'], echo: ['items.*.ref'], reliable: true },
  };
  const query = { clientRef: 'dispatch-1', endpoint: 'image', model: 'm', prompt: 'p', sentAt: new Date() };

  it.each<[string, unknown, LookupOutcome]>([
    [
      'takes the job that repeats our reference',
      [{ no: 'a', ref: 'other' }, { ref: 'x' }, { no: 'b', ref: 'dispatch-1' }],
      { type: 'found', upstreamId: 'b', pollRef: { id: 'b', endpoint: 'image' } },
    ],
    ['takes no job of another reference', [{ no: 'a', ref: 'other' }], { type: 'cannot_tell' }],
    ['takes no job without an id', [{ no: 'a' }, { ref: 'dispatch-1' }], { type: 'cannot_tell' }],
    ['proves nothing when it is empty', [], { type: 'cannot_tell' }],
  ])('%s', async (_name, items, expected) => {
    upstream.reply('get', '/renders', { json: { items } });
    const { signal } = options;
    expect(await upstream.runtime.lookup(access(settings), query, { signal })).toEqual(expected);
  });

  it('proves nothing by a 404 unless an administrator says so', async () => {
    upstream.reply('get', '/refs/dispatch-1', { status: 404, json: {} });
    const settings: CustomSettingsInput = { ...STUDIO, lookup: { path: '/refs/{ref}' } };
    const { signal } = options;
    expect(await upstream.runtime.lookup(access(settings), query, { signal })).toEqual({
      type: 'cannot_tell',
    });
  });
});

describe('without the optional parts', () => {
  const { cancel: _cancel, check: _check, lookup: _lookup, ...plain } = STUDIO;

  it('cancels and looks up nothing, and tests the address alone', async () => {
    const ref = { id: 'job_1', endpoint: 'image' };
    const { runtime } = upstream;
    expect(await runtime.cancel(access(plain), ref, options)).toBe('unsupported');
    expect(upstream.seen).toEqual([]);
    upstream.reply('get', '/', { status: 404, text: 'x' });
    expect(await runtime.check(access(plain))).toMatchObject({
      ok: true,
      message: expect.stringContaining('the key could not be checked'),
    });
  });
});

describe('whatever JSON an upstream sends', () => {
  const keys = fc.constantFrom(
    ...['ticket', 'no', 'render', 'phase', 'percent', 'files', 'href', 'problem', 'text', 'kind', 'wait'],
    ...[
      'verdict',
      'error',
      'message',
      'code',
      'pictures',
      'data',
      'status',
      'url',
      '__proto__',
      'constructor',
    ],
  );
  const words = fc.oneof(
    fc.constantFrom('ready', 'broken', 'stopped', 'painting', 'refused', 'https://x.example/a', '/x', ''),
    fc.constantFrom('null', 'undefined', '[object Object]', '\u0000', '\ud800', 'data:image/png;base64,AA=='),
    fc.string(),
  );
  const { json: fuzz } = fc.letrec((tie) => ({
    json: fc.oneof(
      { depthSize: 'medium' },
      words,
      fc.double(),
      fc.constantFrom(null, true, false),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.array(fc.tuple(keys, tie('json')), { maxLength: 8 }).map((entries) => Object.fromEntries(entries)),
    ),
  }));
  const statuses = fc.constantFrom(200, 200, 200, 201, 400, 401, 404, 422, 429, 500);
  const scripted = (answer: { now: Answer }) =>
    new Proxy({} as Answer, { get: (_target, key) => answer.now[key as keyof Answer] });

  it.each<[string, CustomSettingsInput, string]>([
    ['a job', STUDIO, '/renders'],
    ['a result', DIRECT, '/paint/m/1'],
    ['a result found by itself', withFields({}), '/paint/m/1'],
  ])('the create of %s never throws and is never taken for our own fault', async (_name, settings, path) => {
    const answer: { now: Answer } = { now: {} };
    upstream.reply('post', path, scripted(answer));
    await fc.assert(
      fc.asyncProperty(fuzz, statuses, async (json, status) => {
        answer.now = { status, json };
        const outcome = await create(settings);
        expect(['accepted', 'done', 'rejected', 'rate_limited', 'uncertain']).toContain(outcome.type);
        if (status < 300 && outcome.type === 'rejected') expect(JSON.stringify(json)).toMatch(/"refused"/);
        expect(upstream.logs).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('a poll never throws, and succeeds with complete addresses or stored files only', async () => {
    const answer: { now: Answer } = { now: {} };
    upstream.reply('get', '/renders/job_1', scripted(answer));
    await fc.assert(
      fc.asyncProperty(fuzz, statuses, async (json, status) => {
        answer.now = { status, json };
        const outcome = await poll(STUDIO);
        expect(['pending', 'succeeded', 'failed', 'cancelled', 'transient', 'missing']).toContain(
          outcome.type,
        );
        expect(upstream.logs).toEqual([]);
        for (const artefact of outcome.type === 'succeeded' ? outcome.artefacts : []) {
          if (artefact.type === 'url') expect(new URL(artefact.url).protocol).toMatch(/^https?:$/);
          else expect(artefact.type).toBe('stored');
        }
        if (outcome.type === 'failed') expect(outcome.reason).not.toBe('');
      }),
      { numRuns: 250 },
    );
  });
});
