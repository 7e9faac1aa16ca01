import fc from 'fast-check';
import { expect } from 'vitest';
import type { ArtefactRef, CreateRequest, PollRef } from '#server/providers/provider.ts';
import { damagedJson } from './damaged-json.ts';
import type { Answer, createMockUpstream } from './upstream.ts';

/** What upstreams send on bad days, for the tests of every protocol. */

type MockUpstream = ReturnType<typeof createMockUpstream>;

/** Answers to a create that neither name a job nor refuse one, whatever the protocol. */
export const UNDECIDED_CREATES: readonly [string, Answer][] = [
  ['B02: a 502 in HTML', { status: 502, text: '<html>Bad gateway</html>' }],
  ['B02: a 504 in JSON', { status: 504, json: { error: { message: 'gateway timeout' } } }],
  ['B02: a 524', { status: 524, text: 'error code: 524' }],
  ['B02: a 500 with a code', { status: 500, json: { code: 'x', message: 'oops' } }],
  ['B02: a 408', { status: 408, json: { code: 'x', message: 'slow' } }],
  ['a 409', { status: 409, json: { code: 'x', message: 'in progress' } }],
  ['a 403 in HTML', { status: 403, text: '<html>Forbidden</html>' }],
  ['a redirect', { status: 302, headers: { location: 'https://upstream.example/login' }, text: '' }],
  ['B10: an empty object', { json: {} }],
  ['B10: an empty body', { text: '' }],
  ['B10: null', { json: null }],
  ['B10: a list', { json: [] }],
  ['B10: HTML with 200', { text: '<html>maintenance failed</html>' }],
  ['B10: a truncated body', { text: '{"id":"t', headers: { 'content-type': 'application/json' } }],
  ['B01: a broken connection', { broken: true }],
];

/** Answers to a poll that say nothing about the job, with the class of fault that they are. */
export const TRANSIENT_POLLS: readonly [string, Answer, string][] = [
  ['B28: a 429', { status: 429, headers: { 'retry-after': '7' }, json: {} }, 'rate_limited'],
  ['B28: a 503', { status: 503, text: 'x' }, 'server_error'],
  ['B28: a reset', { broken: true }, 'network'],
  ['B32: a 401', { status: 401, json: { message: 'bad key' } }, 'unauthorized'],
  ['B32: a 403', { status: 403, json: { message: 'disabled' } }, 'unauthorized'],
  ['B29: HTML with 200', { text: '<html>…failed…</html>' }, 'bad_body'],
  ['B29: an empty body', { text: '' }, 'bad_body'],
  ['B29: a truncated body', { text: '{"status":"failed' }, 'bad_body'],
  ['a list', { json: [] }, 'bad_body'],
  ['a 500 that claims a failure', { status: 500, json: { status: 'failed' } }, 'server_error'],
];

const CREATE_TYPES = ['accepted', 'done', 'rejected', 'rate_limited', 'uncertain'];
const POLL_TYPES = ['pending', 'succeeded', 'failed', 'cancelled', 'transient', 'missing'];
const COMMON_FIELDS = ['code', 'message', 'error', 'data', 'status', 'url', '__proto__', 'constructor'];
const COMMON_WORDS = [
  '',
  'null',
  'undefined',
  '[object Object]',
  'https://x.example/a',
  'file:///x',
  '\u0000',
  '\ud800',
];

type Vocabulary = {
  fields: readonly string[];
  words: readonly unknown[];
  /** Real answers, which come back with some of their places broken. */
  samples?: readonly unknown[];
};

/** JSON of a protocol's own fields and words, with values of every type in every place. */
function hostileJson({ fields, words, samples }: Vocabulary): fc.Arbitrary<unknown> {
  const field = fc.constantFrom(...COMMON_FIELDS, ...fields);
  const word = fc.oneof(fc.constantFrom(...COMMON_WORDS, ...words), fc.string());
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { depthSize: 'medium' },
      word,
      fc.double(),
      fc.bigInt().map(String),
      fc.constantFrom(null, true, false),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.array(fc.tuple(field, tie('json')), { maxLength: 8 }).map((entries) => Object.fromEntries(entries)),
    ),
  }));
  return samples ? fc.oneof(json, damagedJson(samples)) : json;
}

const hostileStatus = fc.constantFrom(200, 200, 200, 201, 400, 401, 404, 422, 429, 500);

/** Whatever JSON comes back, a create says something that may be believed, and nothing throws. */
export async function holdAgainstCreates(
  upstream: MockUpstream,
  setup: Vocabulary & { path: string; request: Partial<CreateRequest>; runs?: number },
): Promise<void> {
  const answers = scripted(upstream, 'post', [setup.path]);
  await fc.assert(
    fc.asyncProperty(hostileJson(setup), hostileStatus, async (json, status) => {
      answers.next = { status, json };
      const outcome = await upstream.create(setup.request);
      expect(CREATE_TYPES).toContain(outcome.type);
      expect(upstream.logs).toEqual([]);
      if (outcome.type === 'accepted') expect(outcome.upstreamId).toMatch(/^[\x21-\x7e]+$/);
      if (outcome.type === 'accepted' || outcome.type === 'done') expect(status).toBeLessThan(300);
      if (outcome.type === 'done') expectUsable(outcome.artefacts);
    }),
    { numRuns: setup.runs ?? 150 },
  );
}

/** Whatever JSON comes back, a poll never throws and never invents a result. */
export async function holdAgainstPolls(
  upstream: MockUpstream,
  setup: Vocabulary & { paths: readonly string[]; endpoint: string; ref?: Partial<PollRef>; runs?: number },
): Promise<void> {
  const answers = scripted(upstream, 'get', setup.paths);
  await fc.assert(
    fc.asyncProperty(hostileJson(setup), hostileStatus, async (json, status) => {
      answers.next = { status, json };
      const outcome = await upstream.poll(setup.endpoint, 'job_1', setup.ref);
      expect(POLL_TYPES).toContain(outcome.type);
      expect(upstream.logs).toEqual([]);
      if (outcome.type === 'failed') expect(outcome.reason).not.toBe('');
      if (outcome.type === 'succeeded') expectUsable(outcome.artefacts);
    }),
    { numRuns: setup.runs ?? 200 },
  );
}

function expectUsable(artefacts: readonly ArtefactRef[]): void {
  for (const artefact of artefacts) {
    if (artefact.type === 'url') expect(new URL(artefact.url).protocol).toMatch(/^https?:$/);
    if (artefact.type === 'stored') expect(artefact.storageKey).not.toBe('');
    if (artefact.type === 'text') expect(artefact.text).not.toBe('');
  }
}

/** Paths that give whatever `next` is at the time. */
function scripted(
  upstream: MockUpstream,
  method: 'get' | 'post',
  paths: readonly string[],
): { next: Answer } {
  const answers: { next: Answer } = { next: {} };
  const answer = new Proxy({} as Answer, { get: (_target, key) => answers.next[key as keyof Answer] });
  for (const path of paths) upstream.reply(method, path, answer);
  return answers;
}
