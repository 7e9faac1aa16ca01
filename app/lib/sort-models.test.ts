import { expect, it } from 'vitest';
import { makeAdminModel } from '#app/testing/channel-fixtures.ts';
import { sortModels } from './sort-models.ts';

const models = [
  makeAdminModel({ id: 'b', title: 'Beta', price: { unit: 'call', credits: 9 } }),
  makeAdminModel({ id: 'a', title: 'alpha', price: { unit: 'call', credits: 5 } }),
  makeAdminModel({ id: 'c', title: 'Gamma', price: { unit: 'call', credits: 7 } }),
];
const counted = { title: '', kind: 'video' as const, succeeded: 1, failed: 0, p95Seconds: 90 };
const numbers = [
  { ...counted, modelId: 'a', submitted: 2, p50Seconds: 60 },
  { ...counted, modelId: 'c', submitted: 8, p50Seconds: 20 },
];

it.each([
  ['position', 'bac'],
  ['title', 'abc'],
  ['price', 'acb'],
  ['used', 'cab'],
  ['time', 'cab'],
] as const)('sorts by %s', (by, order) => {
  expect(
    sortModels(models, { by, numbers })
      .map(({ id }) => id)
      .join(''),
  ).toBe(order);
});
