import { expect, test } from 'vitest';
import { makeModel } from '#app/testing/task-fixtures.ts';
import { followUpsOf } from './follow-ups.ts';

const picture = { kind: 'image', bytes: 1_000 } as const;
const film = (overrides: Parameters<typeof makeModel>[0]) =>
  makeModel({ kind: 'video', slug: 'film', ...overrides });

test('a picture goes on as what models take: a reference, a first and a last frame', () => {
  const models = [
    makeModel({ slug: 'paint', maxReferences: 2, referenceRoles: ['reference'] }),
    makeModel({ slug: 'blind', maxReferences: 0 }),
    film({ maxReferences: 2, referenceRoles: ['first_frame', 'last_frame'] }),
    // It takes one file only, so the second role cannot be reached.
    film({ slug: 'short', maxReferences: 1, referenceRoles: ['first_frame', 'last_frame'] }),
    makeModel({ slug: 'writer', kind: 'text', maxReferences: 4 }),
  ];
  const found = followUpsOf(picture, models, 10_000).map(({ make, model, role }) => [make, model.slug, role]);
  expect(found).toEqual([
    ['image', 'paint', 'reference'],
    ['video', 'film', 'first_frame'],
    ['video', 'film', 'last_frame'],
    ['video', 'short', 'first_frame'],
  ]);
});

test('nothing is offered for what no model takes, and for files too large to be copied', () => {
  const models = [makeModel({ maxReferences: 2 })];
  expect(followUpsOf({ kind: 'video', bytes: 1 }, models, 10_000)).toEqual([]);
  expect(followUpsOf({ kind: 'text', bytes: 1 }, models, 10_000)).toEqual([]);
  expect(followUpsOf({ ...picture, bytes: 10_001 }, models, 10_000)).toEqual([]);
});
