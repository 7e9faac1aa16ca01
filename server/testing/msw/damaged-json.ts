import fc from 'fast-check';

/** Values that upstreams have been seen to put where something else belongs. */
const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  0.5,
  1e21,
  '',
  ' ',
  'null',
  'undefined',
  '[object Object]',
  '..',
  '../../models/x',
  '9007199254740993',
  'success',
  'completed',
  'SUCCEEDED',
  'failed',
  'unknown',
  'https://files.example/a.mp4',
  '//files.example/a.mp4',
  'file:///etc/passwd',
  'data:image/png;base64,iVBORw0KGgo=',
  'iVBORw0KGgo=',
  '\u0000',
  '\ud800',
  'x'.repeat(9_000),
  [],
  {},
  [null],
  [[]],
  ['https://files.example/a.mp4', null],
  { url: 'https://files.example/a.mp4' },
  { error: { message: 'no', code: 13 } },
];

/**
 * Real answers with one to three places of them replaced by something odd or left out: what breaks a mapping is
 * seldom noise, mostly a known shape with one field of a wrong type.
 */
export function damagedJson(samples: readonly unknown[]): fc.Arbitrary<unknown> {
  const damage = fc.record({
    place: fc.nat(),
    value: fc.oneof(fc.constantFrom(...ODD_VALUES, undefined), fc.jsonValue({ maxDepth: 2 })),
  });
  return fc
    .record({
      sample: fc.constantFrom(...samples),
      damages: fc.array(damage, { minLength: 1, maxLength: 3 }),
    })
    .map(({ sample, damages }) =>
      damages.reduce((body, { place, value }) => replaceAt(body, place, value), structuredClone(sample)),
    );
}

type Place = { holder: Record<string, unknown>; key: string };

/** Replaces the value at the place of this number, counted modulo the number of places; `undefined` leaves it out. */
function replaceAt(body: unknown, number: number, value: unknown): unknown {
  const root = { body };
  const places = placesOf(root);
  const place = places[number % places.length];
  if (place) place.holder[place.key] = structuredClone(value);
  return root.body;
}

function placesOf(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesOf(holder[key])]);
}
