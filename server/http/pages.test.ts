import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLogger } from '#server/lib/logger.ts';
import { StartupError } from '#server/lib/startup-error.ts';
import { limitKeyOfAddress } from './client-address.ts';
import { openBuiltPages } from './pages.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'sidelane-pages-'));
});
afterAll(() => rm(root, { recursive: true }));

it('says what to run when there is no build', async () => {
  const opening = openBuiltPages(root, createLogger('silent'));
  await expect(opening).rejects.toThrow(StartupError);
  await expect(opening).rejects.toThrow('The pages are not built. Run: npm run build');
});

it('keeps the rest alive when a build cannot be loaded: pages answer that it is broken', async () => {
  await mkdir(path.join(root, 'build', 'server'), { recursive: true });
  await writeFile(path.join(root, 'build', 'server', 'index.js'), "throw new Error('half written');");
  const { source } = await openBuiltPages(root, createLogger('silent'));
  if (typeof source.build !== 'function') throw new Error('A broken build was taken for a good one');
  await expect(source.build()).rejects.toMatchObject({ code: 'unavailable' });
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:a:b:1:2:3:4', '2001:db8:a:b::/64'],
  ['not-an-address', 'unknown'],
  [undefined, 'unknown'],
])('counts the address %s as %s', (address, key) => {
  expect(limitKeyOfAddress(address)).toBe(key);
});
