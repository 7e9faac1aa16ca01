import fc from 'fast-check';

const WORDS = fc.oneof(
  fc.constantFrom(
    'completed',
    'COMPLETED',
    'succeeded',
    'failed',
    'cancelled',
    'queued',
    'https://x.example/a',
    'data:image/png;base64,AA==',
    'null',
    '[object Object]',
    'rate_limit_exceeded',
    'text',
    '',
    '\u0000',
    '\ud800',
  ),
  fc.string(),
);

/** JSON of any shape whose keys are mostly those that an adapter reads, with values of every type below them. */
export function hostileJson(fields: readonly string[]): fc.Arbitrary<unknown> {
  const keys = fc.constantFrom(...fields, '__proto__', 'constructor');
  return fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { depthSize: 'medium' },
      WORDS,
      fc.double(),
      fc.bigInt().map(String),
      fc.constantFrom(null, true, false),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.array(fc.tuple(keys, tie('json')), { maxLength: 8 }).map((entries) => Object.fromEntries(entries)),
    ),
  })).json;
}

/** HTTP statuses of answers, mostly good ones. */
export const hostileStatuses = fc.constantFrom(
  200,
  200,
  200,
  201,
  202,
  400,
  401,
  404,
  409,
  422,
  429,
  500,
  504,
);
