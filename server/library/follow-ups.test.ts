import { expect, test } from 'vitest';
import { makeModel } from '#app/testing/task-fixtures.ts';
import { followUpsOf } from './follow-ups.ts';

const picture = { kind: 'image', bytes: 1_000 } as const;
const waysOf = (
  ...[output, models]: [Parameters<typeof followUpsOf>[0], Parameters<typeof followUpsOf>[1]]
) => followUpsOf(output, models, 10_000).followUps.map(({ make, model, role }) => [make, model.slug, role]);
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
  const found = waysOf(picture, models);
  expect(found).toEqual([
    ['image', 'paint', 'reference'],
    ['video', 'film', 'first_frame'],
    ['video', 'film', 'last_frame'],
    ['video', 'short', 'first_frame'],
  ]);
});

test('sound and video go on with the models that take them', () => {
  const models = [
    makeModel({ maxReferences: 2 }),
    film({ takes: { first_frame: ['image'], reference: ['image', 'video', 'audio'] } }),
    makeModel({ kind: 'audio', slug: 'dub', takes: { reference: ['audio'] } }),
  ];
  expect(waysOf({ kind: 'video', bytes: 1 }, models)).toEqual([['video', 'film', 'reference']]);
  expect(waysOf({ kind: 'audio', bytes: 1 }, models)).toEqual([
    ['video', 'film', 'reference'],
    ['audio', 'dub', 'reference'],
  ]);
});

test('nothing is offered for what no model takes, and for files too large to be copied; and it is said why', () => {
  const models = [makeModel({ maxReferences: 2 })];
  const none = { followUps: [] };
  expect(followUpsOf({ kind: 'video', bytes: 1 }, models, 10_000)).toEqual({
    ...none,
    noFollowUps: { why: 'no_model' },
  });
  expect(followUpsOf({ kind: 'text', bytes: 1 }, models, 10_000)).toEqual({ ...none, noFollowUps: null });
  expect(followUpsOf({ ...picture, bytes: 10_001 }, models, 10_000)).toEqual({
    ...none,
    noFollowUps: { why: 'too_large', maxBytes: 10_000 },
  });
  expect(followUpsOf(picture, models, 10_000).noFollowUps).toBeNull();
});
