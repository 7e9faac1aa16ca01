import { describe, expect, it } from 'vitest';
import { holdAgainstPolls, TRANSIENT_POLLS } from '#server/testing/msw/hostile-answers.ts';
import { type Answer, createMockUpstream, UPSTREAM_KEY } from '#server/testing/msw/upstream.ts';

const upstream = createMockUpstream({ protocol: 'runway', baseUrl: 'https://runway.example/v1' });

const MP4 = 'https://dnznrvs05pmza.cloudfront.net/a.mp4?_jwt=x';

async function poll(answer: Answer) {
  upstream.reply('get', '/tasks/job_1', answer);
  const outcome = await upstream.poll('video');
  expect(upstream.creates()).toHaveLength(0);
  return outcome;
}

const task = (status: unknown, more: object = {}): Answer => ({
  json: { id: 'job_1', createdAt: '2026-11-29T10:00:00.000Z', status, ...more },
});

describe('a poll', () => {
  it('names key and version, and is made every five seconds at most', async () => {
    await poll(task('PENDING'));
    expect(upstream.seen[0]?.headers.get('authorization')).toBe(`Bearer ${UPSTREAM_KEY}`);
    expect(upstream.seen[0]?.headers.get('x-runway-version')).toBe('2024-11-06');
    expect(upstream.runtime.traits('runway').minPollMs).toBe(5_000);
  });

  it.each<[string, Answer, object]>([
    ['a result', task('SUCCEEDED', { output: [MP4], cost: { credits: 25 } }), { vendorCredits: 25 }],
    ['a failure that was given back', task('FAILED', { cost: { credits: 0 } }), { vendorCredits: 0 }],
    ['a cancelled task', task('CANCELLED', { cost: { credits: 3.5 } }), { vendorCredits: 3.5 }],
  ])('tells how many credits it took: %s', async (_name, answer, usage) => {
    expect(await poll(answer)).toMatchObject({ usage });
  });

  it.each([undefined, null, {}, { credits: '25' }, { credits: -1 }])(
    'takes a cost of %j for one that was not told',
    async (cost) => {
      const outcome = await poll(task('SUCCEEDED', { output: [MP4], cost }));
      expect(outcome).toMatchObject({ type: 'succeeded' });
      expect((outcome as { usage?: object }).usage).toBeUndefined();
    },
  );

  it.each(TRANSIENT_POLLS)('%s is transient', async (_name, answer, errorClass) => {
    expect(await poll(answer)).toMatchObject({ type: 'transient', errorClass });
  });

  it('B30: a task that nobody knows is missing', async () => {
    expect(await poll({ status: 404, json: { error: 'Not found' } })).toMatchObject({ type: 'missing' });
  });

  it.each<[string, Answer, object]>([
    ['waiting', task('PENDING'), { known: true, status: 'PENDING' }],
    ['accepted and held back', task('THROTTLED'), { known: true, status: 'THROTTLED' }],
    ['running', task('RUNNING', { progress: 0.32 }), { known: true, progress: 32 }],
    ['at its end', task('RUNNING', { progress: 1 }), { known: true, progress: 99 }],
    ['at its beginning', task('RUNNING', { progress: 0 }), { known: true, progress: 0 }],
    ['with an odd progress', task('RUNNING', { progress: 'soon' }), { progress: undefined }],
    ['B15: in an unknown state', task('POLISHING'), { known: false, status: 'POLISHING' }],
    ['B15: without a state', task(null), { known: false }],
  ])('a task %s goes on', async (_name, answer, expected) => {
    expect(await poll(answer)).toMatchObject({ type: 'pending', ...expected });
  });

  it.each<[string, object, string[]]>([
    ['one result', { output: [MP4] }, [MP4]],
    ['B45: a result that is missing among others', { output: [MP4, null, `${MP4}2`] }, [MP4, `${MP4}2`]],
    ['B20: no result', {}, []],
    ['B20: an empty list', { output: [] }, []],
    ['B20: addresses that are none', { output: ['', 'file:///x', 7] }, []],
    ['an address elsewhere in the task', { output: [], url: MP4, error: { url: MP4 } }, []],
  ])('a success with %s', async (_name, more, urls) => {
    expect(await poll(task('SUCCEEDED', more))).toMatchObject({
      type: 'succeeded',
      status: 'SUCCEEDED',
      artefacts: urls.map((url) => ({ type: 'url', url })),
    });
  });

  it.each<[string, boolean]>([
    ['SAFETY.INPUT.TEXT', true],
    ['SAFETY.OUTPUT.VIDEO', true],
    ['INPUT_PREPROCESSING.SAFETY.TEXT', true],
    ['INTERNAL.BAD_OUTPUT.CODE01', false],
    ['INPUT_PREPROCESSING.INTERNAL', false],
    ['ASSET.INVALID', false],
    ['THIRD_PARTY.UNAVAILABLE', false],
    ['INTERNAL', false],
  ])('B23: the failure %s is a content decision: %j', async (failureCode, moderated) => {
    expect(await poll(task('FAILED', { failure: 'It did not work.', failureCode }))).toMatchObject({
      type: 'failed',
      code: failureCode,
      reason: 'It did not work.',
      moderated,
    });
  });

  it('B22: a failure without a reason is one', async () => {
    expect(await poll(task('FAILED'))).toMatchObject({ type: 'failed', code: 'upstream_failed' });
  });

  it('B16: a cancelled task is cancelled', async () => {
    expect(await poll(task('CANCELLED', { cost: { credits: 0 } }))).toMatchObject({ type: 'cancelled' });
  });

  it.each([400, 422])('a %i that names the failure is a verdict, any other is not', async (status) => {
    const json = { id: 'job_1', status: 'FAILED', failure: 'Bad input' };
    expect(await poll({ status, json })).toMatchObject({ type: 'failed', reason: 'Bad input' });
    expect(await poll({ status, json: { detail: 'x' } })).toMatchObject({ type: 'transient' });
  });

  it('holds whatever JSON comes back', () =>
    holdAgainstPolls(upstream, {
      paths: ['/tasks/job_1'],
      endpoint: 'video',
      fields: ['output', 'failure', 'failureCode', 'progress', 'id'],
      words: ['SUCCEEDED', 'FAILED', 'RUNNING', 'THROTTLED', MP4, 0.5],
      samples: [
        { id: 'job_1', status: 'SUCCEEDED', output: [MP4, MP4], cost: { credits: 1 } },
        { id: 'job_1', status: 'FAILED', failure: 'x', failureCode: 'SAFETY.INPUT.TEXT' },
        { id: 'job_1', status: 'RUNNING', progress: 0.5 },
      ],
      runs: 300,
    }));
});

describe('a cancel', () => {
  const deletes = () => upstream.seen.filter((request) => request.method === 'DELETE').length;

  it.each(['PENDING', 'THROTTLED', 'RUNNING', 'POLISHING'])(
    'of a task that is %s deletes it',
    async (status) => {
      upstream.reply('get', '/tasks/job_1', task(status));
      upstream.reply('delete', '/tasks/job_1', { status: 204, text: '' });
      expect(await upstream.cancel('video')).toBe('requested');
      expect(deletes()).toBe(1);
      expect(upstream.seen.at(-1)?.headers.get('x-runway-version')).toBe('2024-11-06');
    },
  );

  it.each(['SUCCEEDED', 'FAILED', 'CANCELLED'])(
    'B42: of a task that is %s never deletes it, because its result would go too',
    async (status) => {
      upstream.reply('get', '/tasks/job_1', task(status, { output: [MP4] }));
      expect(await upstream.cancel('video')).toBe('already_terminal');
      expect(deletes()).toBe(0);
    },
  );

  it.each<[string, Answer]>([
    ['a fault', { status: 503, text: '' }],
    ['a broken connection', { broken: true }],
    ['no such task', { status: 404, json: { error: 'Not found' } }],
    ['HTML', { text: '<html></html>' }],
  ])('B43: of a task whose state is not seen (%s) is unknown and deletes nothing', async (_name, answer) => {
    upstream.reply('get', '/tasks/job_1', answer);
    expect(await upstream.cancel('video')).toBe('unknown');
    expect(deletes()).toBe(0);
  });

  it('that upstream does not answer is unknown', async () => {
    upstream.reply('get', '/tasks/job_1', task('RUNNING'));
    upstream.reply('delete', '/tasks/job_1', { broken: true });
    expect(await upstream.cancel('video')).toBe('unknown');
  });
});

describe('check', () => {
  it.each<[string, Answer, boolean, RegExp]>([
    ['credits', { json: { creditBalance: 412, tier: {} } }, true, /412 credits are left/],
    ['a bad key', { status: 401, json: { error: 'x' } }, false, /refuses this key/],
    ['another service', { json: { ok: true } }, false, /Check the base URL/],
  ])('says what %s means', async (_name, answer, ok, message) => {
    upstream.reply('get', '/organization', answer);
    expect(await upstream.runtime.check(upstream.access)).toMatchObject({
      ok,
      message: expect.stringMatching(message),
    });
  });
});
