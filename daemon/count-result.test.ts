import { expect, it } from 'vitest';
import { countsOf } from './count-result.ts';

it('keeps whole numbers by name, those of an inner record too, and nothing else', () => {
  const answer = {
    claimed: 3,
    failed: 0,
    found: true,
    nextDueAt: new Date(0),
    message: 'not migrated',
    rate: 0.5,
    counts: { events: 7, deeper: { lost: 1 } },
  };
  expect(countsOf(answer)).toEqual({ claimed: 3, failed: 0, events: 7 });
});

it('stays small, whatever is answered', () => {
  const many = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`${'n'.repeat(99)}${index}`, index]),
  );
  const names = Object.keys(
    countsOf({ ...many, ...Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`c${i}`, i])) }),
  );
  expect(names.length).toBeLessThanOrEqual(20);
  for (const name of names) expect(name.length).toBeLessThanOrEqual(40);
});
