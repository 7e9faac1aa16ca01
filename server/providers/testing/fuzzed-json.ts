import fc from 'fast-check';

/** Keys that adapters look at, whatever their vendor. */
const KEYS = [
  ...['id', 'task_id', 'data', 'status', 'task_status', 'state', 'error', 'code', 'message', 'msg'],
  ...['success', 'output', 'url', 'video_url', 'metadata', 'result', 'progress', 'fail_reason', 'detail'],
  ...['__proto__', 'constructor'],
];
const WORDS = [
  ...['completed', 'failed', 'cancelled', 'queued', 'success', 'rate_limit_exceeded'],
  ...['https://x.example/a', 'data:image/png;base64,AA==', 'file:///etc/passwd', '//x.example/a'],
  ...['null', 'undefined', '[object Object]', '', '\u0000', '\ud800'],
];

/** JSON whose keys and words are those that an adapter looks at, with values of every type in every place. */
export function fuzzedJson(keys: readonly string[], words: readonly string[]): fc.Arbitrary<unknown> {
  const key = fc.constantFrom(...KEYS, ...keys);
  const word = fc.oneof(fc.constantFrom(...WORDS, ...words), fc.string());
  return fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { depthSize: 'medium' },
      word,
      fc.double(),
      fc.integer({ min: -1, max: 40 }),
      fc.bigInt().map(String),
      fc.constantFrom(null, true, false),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.array(fc.tuple(key, tie('json')), { maxLength: 8 }).map((entries) => Object.fromEntries(entries)),
    ),
  })).json;
}

/** Mostly answers that a mapping reads in full. */
export const fuzzedStatus = fc.constantFrom(200, 200, 200, 201, 400, 401, 404, 422, 429, 500);
