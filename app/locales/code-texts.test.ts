import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { CHECK_NAMES } from '#server/billing/audit-queries.ts';
import * as maintenance from '#server/maintenance/schemas.ts';
import { MODEL_TEMPLATES } from '#server/providers/channels/model-templates.ts';
import { CATALOGUE } from '#server/providers/channels/schemas.ts';
import admin from './zh-CN/admin.json';
import adminMoney from './zh-CN/admin-money.json';
import workbench from './zh-CN/workbench.json';

/** Names that reach pages as data: each has a text, though pages can do with the name of one that is new. */

/** Names as the source has them, where pages may not import it. */
const namesIn = (file: string, pattern: RegExp) =>
  [...readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8').matchAll(pattern)].map(
    (match) => match[1] ?? '',
  );

const sorted = (names: Iterable<string>) => [...new Set(names)].sort();

it('the checks of the books', () => {
  expect(sorted(Object.keys(adminMoney.books.checks))).toEqual(sorted(CHECK_NAMES));
});

it('the lanes of the daemon', () => {
  expect(sorted(Object.keys(admin.workers.lanes))).toEqual(
    sorted(namesIn('daemon/lanes.ts', /^ {6}name: '(\w+)'/gm)),
  );
});

it('the numbers that a knock brings home', () => {
  const outputs = Object.entries(maintenance).flatMap(([name, schema]) =>
    name.endsWith('Output') && typeof schema === 'object' && 'shape' in schema
      ? Object.keys(schema.shape)
      : [],
  );
  const rules = ['run-retention-batch.ts', 'closed-account-rules.ts'].flatMap((file) =>
    namesIn(`server/retention/${file}`, /(?:name: |forClosed\()'(\w+)'/g),
  );
  expect(rules.length).toBeGreaterThan(15);
  const noNumbers = ['message', 'nextDueAt', 'waitedMs', 'counts', 'accepted', 'serverTime'];
  expect(Object.keys(admin.workers.counts)).toEqual(
    expect.arrayContaining([...outputs, ...rules].filter((name) => !noNumbers.includes(name))),
  );
});

it('the parameters of ready-made models', () => {
  const labels = MODEL_TEMPLATES.flatMap(({ parameters }) =>
    Object.values(parameters).map(({ label }) => label),
  );
  expect(sorted(Object.keys(workbench.parameters.labels))).toEqual(sorted(labels));
});

it('the keys that vendors give', () => {
  const labels = Object.values(CATALOGUE).flatMap((entry) =>
    'webhookSecretLabel' in entry ? [entry.keyLabel, entry.webhookSecretLabel] : [entry.keyLabel],
  );
  expect(sorted(Object.keys(admin.protocols.keys))).toEqual(sorted(labels));
});
