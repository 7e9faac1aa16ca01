import { expect, it } from 'vitest';
import { makeModel } from '#app/testing/task-fixtures.ts';
import type { PrefillView } from '#server/generation/prompts/schemas.ts';
import { chooseComposer, composerAction, readPrefillInput } from './composer-query.ts';

const ID = '0190a0b0-0000-7000-8000-000000000001';
const BLIND = makeModel({ slug: 'blind', kind: 'video', maxReferences: 0 });
const LOOKS = makeModel({ slug: 'looks', kind: 'video', referenceRoles: ['reference'] });
const FRAMES = makeModel({ slug: 'frames', kind: 'video', referenceRoles: ['first_frame', 'last_frame'] });
const PAINT = makeModel();
const ORDER: PrefillView = {
  order: { kind: 'video', model: 'looks', prompt: 'A pier', params: {} },
  references: [],
  missingReferences: 0,
};

it.each([
  ['', null],
  ['from=x&reference=1', null],
  [`from=${ID}`, { from: ID, reference: undefined }],
  [`from=drop&reference=${ID}`, { from: undefined, reference: ID }],
])('%s brings %j along', (query, expected) => {
  expect(readPrefillInput(new URLSearchParams(query))).toEqual(expected);
});

it.each([
  ['', null, 'paint'],
  ['make=video', null, 'blind'],
  ['make=video&model=frames', null, 'frames'],
  ['make=video&model=gone', null, 'blind'],
  // An earlier order decides kind and model where the address does not.
  [`from=${ID}`, ORDER, 'looks'],
  [`from=${ID}&make=image`, ORDER, 'paint'],
  // A reference goes to a model that takes it in this role, else to one that takes any.
  [`make=video&reference=${ID}&role=last_frame`, null, 'frames'],
  [`make=video&reference=${ID}`, null, 'looks'],
  [`make=video&reference=${ID}&role=odd`, null, 'looks'],
])('%s shows %s', (query, prefill, slug) => {
  const found = chooseComposer([PAINT, BLIND, LOOKS, FRAMES], new URLSearchParams(query), prefill);
  expect(found.model?.slug).toBe(slug);
  expect(found.isReferenceLost).toBe(false);
});

it('says that a reference has no model to go to', () => {
  const params = new URLSearchParams(`make=video&reference=${ID}&role=first_frame`);
  expect(chooseComposer([BLIND], params, null)).toMatchObject({ isReferenceLost: true, model: BLIND });
});

it('a form without scripts comes back to what was brought along', () => {
  const params = new URLSearchParams(`from=${ID}&kind=audio&cursor=${ID}`);
  expect(composerAction(params, PAINT)).toBe(`/workbench?index=&make=image&model=paint&from=${ID}`);
});
