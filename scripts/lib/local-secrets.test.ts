import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readLocalSecrets } from './local-secrets.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'sidelane-secrets-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('makes secrets once, readable by the owner alone', () => {
  const first = readLocalSecrets(root);
  expect(first.MAINTENANCE_TOKEN.length).toBeGreaterThanOrEqual(32);
  expect(first.ENCRYPTION_KEY).toMatch(/^[0-9a-f]{64}$/);
  expect(readLocalSecrets(root)).toEqual(first);
  expect(statSync(path.join(root, 'secrets.json')).mode & 0o777).toBe(0o600);
});

test('never replaces a damaged file, and does not quote it', () => {
  writeFileSync(path.join(root, 'secrets.json'), '{"ENCRYPTION_KEY":"hush');
  expect(() => readLocalSecrets(root)).toThrow(/is damaged: restore it/);
  expect(() => readLocalSecrets(root)).not.toThrow(/hush/);
});
