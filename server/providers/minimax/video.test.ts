import { describe, expect, it } from 'vitest';
import {
  holdAgainstCreates,
  holdAgainstPolls,
  TRANSIENT_POLLS,
  UNDECIDED_CREATES,
} from '#server/testing/msw/hostile-answers.ts';
import { type Answer, createMockUpstream } from '#server/testing/msw/upstream.ts';
import type { CreateRequest, ReferenceFile, ReferenceRole } from '../provider.ts';

const ORIGIN = 'https://minimax.example';
const upstream = createMockUpstream({ protocol: 'minimax', baseUrl: ORIGIN });

const CREATE = '/v1/video_generation';
const QUERY = '/v1/query/video_generation';
const FILE = '/v1/files/retrieve';
const CREATE2 = '/v2/video_generation';
const QUERY2 = '/v2/query/video_generation/job_1';
const JSON_TYPE = { 'content-type': 'application/json' };
const WEBHOOK = 'https://own.example/webhooks/c?ref=dispatch-1&sig=abc';

const video: Partial<CreateRequest> = { endpoint: 'video', kind: 'video', model: 'MiniMax-Hailuo-02' };
const h3: Partial<CreateRequest> = { ...video, model: 'MiniMax-H3' };

const file = (role: ReferenceRole, mime = 'image/png'): ReferenceFile => ({
  id: role,
  role,
  fileName: role,
  mime,
  bytes: 3,
  read: async () => Buffer.from('abc'),
});
const DATA_URI = 'data:image/png;base64,YWJj';
const coded = (status_code: number, status_msg = 'why', more = {}): Answer => ({
  json: { base_resp: { status_code, status_msg }, ...more },
});
const ok = (more: object) => coded(0, 'success', more);
/** The second version's refusals: the number stands at the end of the sentence. */
const refused = (status: number, type: string, message: string): Answer => ({
  status,
  json: { type: 'error', error: { type, message, http_code: String(status) }, request_id: 'r' },
});

async function create(answer: Answer, more: Partial<CreateRequest> = video, webhookUrl?: string) {
  upstream.reply('post', more.model === h3.model ? CREATE2 : CREATE, answer);
  const outcome = await upstream.create(more, { webhookUrl });
  expect(upstream.seen).toHaveLength(1);
  return outcome;
}
const bodySent = () => JSON.parse(upstream.seen[0]?.body ?? '');

describe('requests', () => {
  it('sends a text and its settings, lengths as numbers', async () => {
    const params = { seconds: '6', resolution: '768P', prompt_optimizer: false };
    const outcome = await create(ok({ task_id: '106916112212032' }), { ...video, params }, WEBHOOK);
    expect(bodySent()).toEqual({
      model: 'MiniMax-Hailuo-02',
      prompt: 'a cat',
      duration: 6,
      resolution: '768P',
      prompt_optimizer: false,
      callback_url: WEBHOOK,
    });
    expect(upstream.seen[0]?.headers.get('authorization')).toBe(`Bearer ${upstream.access.apiKey}`);
    expect(outcome).toMatchObject({
      type: 'accepted',
      upstreamId: '106916112212032',
      pollRef: { id: '106916112212032', endpoint: 'video' },
    });
  });

  it('sends frames as data URIs', async () => {
    const references = [file('first_frame'), file('last_frame')];
    await create(ok({ task_id: '1' }), { ...video, references });
    expect(bodySent()).toMatchObject({ first_frame_image: DATA_URI, last_frame_image: DATA_URI });
  });

  it('sends the picture of a subject model as its subject', async () => {
    await create(ok({ task_id: '1' }), { ...video, model: 'S2V-01', references: [file('reference')] });
    expect(bodySent()).toMatchObject({ subject_reference: [{ type: 'character', image: [DATA_URI] }] });
  });

  it('sends H3 models to the second version, material as a list', async () => {
    const references = [file('first_frame'), file('reference', 'video/mp4')];
    const params = { seconds: '5', aspect_ratio: '16:9', resolution: '2K' };
    const outcome = await create({ json: { task_id: '424010985738629' } }, { ...h3, references, params });
    expect(bodySent()).toEqual({
      model: 'MiniMax-H3',
      content: [
        { type: 'text', text: 'a cat' },
        { type: 'image_url', image_url: { url: DATA_URI }, role: 'first_frame' },
        { type: 'video_url', video_url: { url: 'data:video/mp4;base64,YWJj' }, role: 'reference_video' },
      ],
      duration: 5,
      ratio: '16:9',
      resolution: '2K',
    });
    expect(outcome).toMatchObject({
      pollRef: {
        id: '424010985738629',
        endpoint: 'video',
        pollUrl: `${ORIGIN}/v2/query/video_generation/424010985738629`,
      },
    });
  });

  it.each<[string, Partial<CreateRequest>]>([
    ['a video for the first version', { ...video, references: [file('reference', 'video/mp4')] }],
    ['two first frames', { ...video, references: [file('first_frame'), file('reference')] }],
    ['a last frame for a subject', { ...video, model: 'S2V-01', references: [file('last_frame')] }],
    ['a text file', { ...h3, references: [file('reference', 'text/plain')] }],
    ['a video as first frame', { ...h3, references: [file('first_frame', 'video/mp4')] }],
  ])('refuses %s before anything is sent', async (_name, request) => {
    expect(await upstream.create(request)).toMatchObject({ code: 'unsupported_reference' });
    expect(upstream.seen).toEqual([]);
  });

  it.each([ORIGIN, `${ORIGIN}/v1`, `${ORIGIN}/v1/`, `${ORIGIN}/v2`])(
    'takes the base URL %s',
    async (baseUrl) => {
      upstream.reply('get', `${ORIGIN}${QUERY}`, coded(2_013));
      expect(await upstream.runtime.check({ ...upstream.access, baseUrl })).toMatchObject({ ok: true });
    },
  );
});

describe('outcomes of a create', () => {
  it.each(UNDECIDED_CREATES)('%s is uncertain', async (_name, answer) => {
    expect((await create(answer)).type).toBe('uncertain');
  });

  it.each<[string, Answer]>([
    ['B10: success without a task', ok({})],
    ['B10: an empty task id', ok({ task_id: '' })],
    ['an unknown error of the vendor', coded(1_000)],
    ['a time-out inside the vendor', coded(1_001)],
    ['an internal error of the vendor', coded(1_013)],
    ['a code outside the table', coded(7_777)],
    ['a task beside an error', coded(1_008, 'x', { task_id: '1' })],
  ])('%s is uncertain', async (_name, answer) => {
    expect((await create(answer)).type).toBe('uncertain');
  });

  it.each([
    [1_004, 'account'],
    [1_008, 'account'],
    [2_049, 'account'],
    [2_056, 'account'],
    [2_013, 'request'],
  ])('code %i with HTTP 200 is an explicit refusal about the %s', async (code, scope) => {
    expect(await create(coded(code))).toMatchObject({
      type: 'rejected',
      code: String(code),
      scope,
      message: 'why',
    });
  });

  it('a webhook address that could not be called is about us, not about the request', async () => {
    expect(await create(coded(2_013, 'invalid params, fail to check callback url'))).toMatchObject({
      type: 'rejected',
      scope: 'account',
    });
  });

  it('1026 is a content decision', async () => {
    expect(await create(coded(1_026))).toMatchObject({ type: 'rejected', moderated: true });
  });

  it.each([1_002, 1_039, 1_041])('B28: code %i limits the rate', async (code) => {
    expect((await create(coded(code))).type).toBe('rate_limited');
  });

  it.each<[Answer, object]>([
    [refused(400, 'bad_request_error', 'invalid params (2013)'), { code: '2013', scope: 'request' }],
    [refused(401, 'authorized_error', 'login fail (1004)'), { scope: 'account' }],
    [refused(402, 'insufficient_balance_error', 'insufficient balance (1008)'), { scope: 'account' }],
    [refused(422, 'unprocessable_entity_error', 'sensitive content (1026)'), { moderated: true }],
  ])('the second version refuses by %j', async (answer, expected) => {
    expect(await create(answer, h3)).toMatchObject({ type: 'rejected', ...expected });
  });

  it('the second version limits the rate and has faults', async () => {
    expect((await create(refused(429, 'rate_limit_error', 'retry later (1002)'), h3)).type).toBe(
      'rate_limited',
    );
    upstream.reply('post', CREATE2, refused(500, 'server_error', 'internal error (1000)'));
    expect((await upstream.create(h3)).type).toBe('uncertain');
  });

  it('B12: keeps a numeric id digit for digit', async () => {
    const text = '{"task_id":9007199254740993,"base_resp":{"status_code":0,"status_msg":"success"}}';
    expect(await create({ text, headers: JSON_TYPE })).toMatchObject({ upstreamId: '9007199254740993' });
  });

  it('whatever JSON comes back', async () => {
    const vocabulary = {
      fields: ['task_id', 'base_resp', 'status_code', 'status_msg', 'type'],
      words: [0, 1_002, 1_008, 1_013, 2_013, 'insufficient balance (1008)'],
    };
    await holdAgainstCreates(upstream, { path: CREATE, request: video, ...vocabulary });
    await holdAgainstCreates(upstream, { path: CREATE2, request: h3, ...vocabulary, runs: 80 });
  });
});

describe('outcomes of a poll, first version', () => {
  const poll = (answer: Answer, ...files: Answer[]) => {
    upstream.reply('get', QUERY, answer);
    upstream.reply('get', FILE, ...files);
    return upstream.poll('video', '9007199254740993');
  };
  const SUCCESS =
    '{"task_id":"1","status":"Success","file_id":9007199254740995,"base_resp":{"status_code":0}}';
  const success: Answer = { text: SUCCESS, headers: JSON_TYPE };
  const address = ok({ file: { file_id: 1, download_url: 'https://cdn.example/v.mp4?Expires=1' } });

  it('B12: reads state and file by ids that are kept digit for digit', async () => {
    expect(await poll(success, address)).toMatchObject({
      type: 'succeeded',
      status: 'Success',
      artefacts: [{ type: 'url', url: 'https://cdn.example/v.mp4?Expires=1' }],
    });
    expect(upstream.seen.map(({ path, query }) => `${path}?${query}`)).toEqual([
      `${QUERY}?task_id=9007199254740993`,
      `${FILE}?file_id=9007199254740995`,
    ]);
  });

  it('asks for the file anew at every poll, so an expired address gets a fresh one', async () => {
    const fresh = ok({ file: { download_url: 'https://cdn.example/fresh.mp4' } });
    await poll(success, address, fresh);
    expect(await upstream.poll('video', '9007199254740993')).toMatchObject({
      artefacts: [{ url: 'https://cdn.example/fresh.mp4' }],
    });
  });

  it.each<[string, Answer]>([
    ['no file id', ok({ status: 'Success' })],
    ['an empty file id', ok({ status: 'Success', file_id: '' })],
  ])('B20: success with %s has no artefacts, and no file is asked for', async (_name, answer) => {
    expect(await poll(answer)).toMatchObject({ type: 'succeeded', artefacts: [] });
    expect(upstream.seen).toHaveLength(1);
  });

  it.each<[string, Answer]>([
    ['is gone', { status: 404, json: {} }],
    ['is refused', coded(2_013)],
    ['has no address', ok({ file: {} })],
    ['has an address that is none', ok({ file: { download_url: 'file:///x' } })],
  ])('B20: success whose file %s has no artefacts', async (_name, fileAnswer) => {
    expect(await poll(success, fileAnswer)).toMatchObject({ type: 'succeeded', artefacts: [] });
  });

  it.each<[string, Answer, string]>([
    ['a fault', { status: 503, text: '' }, 'server_error'],
    ['a refused key', coded(1_004), 'unauthorized'],
    ['a rate limit', coded(1_002), 'rate_limited'],
    ['a time-out inside the vendor', coded(1_001), 'bad_body'],
    ['a broken connection', { broken: true }, 'network'],
  ])('%s at the third hop is no verdict', async (_name, fileAnswer, errorClass) => {
    expect(await poll(success, fileAnswer)).toMatchObject({ type: 'transient', errorClass });
  });

  it.each(['Preparing', 'Queueing', 'Processing'])('%s is pending', async (status) => {
    expect(await poll(ok({ status }))).toMatchObject({ type: 'pending', known: true, status });
  });

  it.each(['Cooking', '', null, 7])('B15: status %j is pending and not known', async (status) => {
    expect(await poll(ok({ status }))).toMatchObject({ type: 'pending', known: false });
  });

  it.each<[string, Answer, object]>([
    ['without a reason', ok({ status: 'Fail' }), { code: 'upstream_failed', moderated: false }],
    [
      'B23: for its output',
      coded(1_027, 'output sensitive', { status: 'Fail' }),
      { code: '1027', moderated: true },
    ],
    [
      'B23: for its output, without a status',
      coded(1_027, 'output sensitive'),
      { code: '1027', moderated: true },
    ],
  ])('a failure %s', async (_name, answer, expected) => {
    expect(await poll(answer)).toMatchObject({ type: 'failed', ...expected });
  });

  it.each(TRANSIENT_POLLS)('%s is transient', async (_name, answer, errorClass) => {
    expect(await poll(answer)).toMatchObject({ type: 'transient', errorClass });
  });

  it.each([
    [1_004, 'unauthorized'],
    [1_008, 'unauthorized'],
    [1_002, 'rate_limited'],
    [1_000, 'bad_body'],
    [2_013, 'bad_body'],
  ])('code %i without a status is transient', async (code, errorClass) => {
    expect(await poll(coded(code))).toMatchObject({ type: 'transient', errorClass });
  });

  it('whatever JSON comes back', async () => {
    await holdAgainstPolls(upstream, {
      paths: [QUERY, FILE],
      endpoint: 'video',
      fields: ['file_id', 'base_resp', 'status_code', 'status_msg', 'file', 'download_url'],
      words: ['Success', 'Fail', 'Processing', 0, 1_027, 1_004, '12345'],
    });
  });
});

describe('second version', () => {
  const ref = { pollUrl: `${ORIGIN}${QUERY2}` };
  const poll = (answer: Answer) => {
    upstream.reply('get', QUERY2, answer);
    return upstream.poll('video', 'job_1', ref);
  };
  const task = (status: unknown, more = {}): Answer => ({ json: { task: { id: 'job_1', status, ...more } } });

  it('is known by its model where only the id is', async () => {
    upstream.reply('get', QUERY2, task('queued'));
    expect(await upstream.poll('video', 'job_1', { model: 'MiniMax-H3' })).toMatchObject({ type: 'pending' });
    expect(upstream.seen).toHaveLength(1);
  });

  it('reads the video and its length in one hop', async () => {
    const more = { content: { url: 'https://cdn.example/v.mp4' }, duration: 5 };
    expect(await poll(task('succeeded', more))).toMatchObject({
      type: 'succeeded',
      artefacts: [{ type: 'url', url: 'https://cdn.example/v.mp4' }],
      usage: { units: 5 },
    });
    expect(upstream.seen).toHaveLength(1);
  });

  it.each<[Answer, object]>([
    [task('queued'), { type: 'pending', known: true }],
    [task('running'), { type: 'pending', known: true }],
    [task('baking'), { type: 'pending', known: false }],
    [task('succeeded'), { type: 'succeeded', artefacts: [] }],
    [
      task('failed', { error: { code: '1026', message: 'sensitive content' } }),
      { type: 'failed', code: '1026', moderated: true },
    ],
    [task('expired'), { type: 'failed' }],
    [task('cancelled'), { type: 'cancelled' }],
    [{ status: 404, json: {} }, { type: 'missing' }],
    [
      refused(401, 'authorized_error', 'login fail (1004)'),
      { type: 'transient', errorClass: 'unauthorized' },
    ],
  ])('reads %j', async (answer, expected) => {
    expect(await poll(answer)).toMatchObject(expected);
  });

  it('whatever JSON comes back', async () => {
    await holdAgainstPolls(upstream, {
      paths: [QUERY2],
      endpoint: 'video',
      ref,
      fields: ['task', 'content', 'duration'],
      words: ['succeeded', 'failed', 'queued'],
    });
  });

  it.each<[string, Answer, string, number]>([
    ['a queued job', task('queued'), 'requested', 1],
    ['a running job', task('running'), 'unsupported', 0],
    ['B42: a finished job, whose record the call would delete', task('succeeded'), 'already_terminal', 0],
    ['a failed job', task('failed'), 'already_terminal', 0],
    ['a job whose state cannot be read', { status: 503, text: '' }, 'unknown', 0],
  ])('cancel of %s', async (_name, answer, expected, deletes) => {
    upstream.reply('get', QUERY2, answer);
    upstream.reply('delete', `${CREATE2}/job_1`, { json: { task_id: 'job_1', action: 'cancelled' } });
    expect(await upstream.cancel('video', 'job_1', ref)).toBe(expected);
    expect(upstream.seen.filter((request) => request.method === 'DELETE')).toHaveLength(deletes);
  });

  it('B43: jobs of the first version cannot be cancelled, and nothing is sent', async () => {
    expect(await upstream.cancel('video', 'job_1')).toBe('unsupported');
    expect(upstream.seen).toEqual([]);
  });
});

describe('webhooks', () => {
  const read = (json: unknown, query = {}) =>
    upstream.readWebhook({
      rawBody: Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)),
      query,
    });

  it('answers the question that the vendor asks before it takes a job', async () => {
    expect(await read({ challenge: '1a3cs1j-601a' })).toEqual({
      type: 'challenge',
      contentType: 'application/json',
      body: '{"challenge":"1a3cs1j-601a"}',
    });
  });

  it.each([
    '{"task_id":9007199254740993,"status":"Success","file_id":"1"}',
    '{"task":{"id":9007199254740993,"status":"Success"}}',
  ])('B12: reads %s as a hint', async (text) => {
    expect(await read(text, { ref: 'd1' })).toEqual({
      type: 'hint',
      verified: false,
      upstreamId: '9007199254740993',
      clientRef: 'd1',
      status: 'Success',
    });
  });

  it.each(['', '[]', '{}', '{"challenge":""}'])('refuses %j', async (text) => {
    expect((await read(text)).type).toBe('refused');
  });
});

describe('check', () => {
  it.each<[string, Answer, boolean, RegExp]>([
    ['a job that nobody has', coded(2_013), true, /key is accepted/],
    ['a refused key with 200', coded(2_049), false, /refuses this key/],
    ['a page', { text: '<html></html>' }, false, /Check the base URL/],
  ])('says what %s means', async (_name, answer, isOk, message) => {
    upstream.reply('get', QUERY, answer);
    expect(await upstream.runtime.check(upstream.access)).toMatchObject({
      ok: isOk,
      message: expect.stringMatching(message),
    });
  });
});
