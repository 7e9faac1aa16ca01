import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readDaemonEnv } from '#daemon/env.ts';
import { readEnv } from '#server/env.ts';

/** Every variable of `.env.example` with the comment above it. */
const documented = new Map(
  [...readFileSync('.env.example', 'utf8').matchAll(/^# (.+)\n#?([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(
    ([, comment = '', name = '', value = '']) => [name, { comment, value }] as const,
  ),
);

const sources = ['server/env.ts', 'daemon/env.ts'].map((file) => readFileSync(file, 'utf8')).join('\n');

test('names every variable of web process and daemon, with a line of meaning', () => {
  const names = [...sources.matchAll(/^ {2}([A-Z][A-Z0-9_]*): /gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name) => !documented.has(name))).toEqual([]);
});

test('states the bounds of every number', () => {
  const numbers = [...sources.matchAll(/^ {2}([A-Z0-9_]+): integer\(([\d_]+), ([\d_]+),/gm)].map(
    ([, name = '', low = '', high = '']) => ({ name, bounds: `${low} to ${high}.`.replaceAll('_', '') }),
  );
  expect(numbers.length).toBeGreaterThan(15);
  expect(numbers.filter(({ name, bounds }) => !documented.get(name)?.comment.endsWith(bounds))).toEqual([]);
});

test('shows the presets that hold', () => {
  const shown = Object.fromEntries([...documented].map(([name, { value }]) => [name, value]));
  const needed = {
    DATABASE_URL: 'postgres://127.0.0.1/sidelane',
    ENCRYPTION_KEY: '0'.repeat(64),
    MAINTENANCE_TOKEN: '0'.repeat(32),
    SIDELANE_ORIGIN: 'http://127.0.0.1:3000',
    WORKER_ID: 'daemon-1',
  };
  expect(readEnv({ ...shown, ...needed })).toEqual(readEnv(needed));
  expect(readDaemonEnv({ ...shown, ...needed })).toEqual(readDaemonEnv(needed));
});
