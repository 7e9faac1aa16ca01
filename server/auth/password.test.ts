import { readFile } from 'node:fs/promises';
import * as argon2 from '@node-rs/argon2';
import { expect, it, vi } from 'vitest';
import { hashPassword, verifyPassword } from './password.ts';

vi.mock('@node-rs/argon2', async (original) => {
  const real = await original<typeof argon2>();
  return { ...real, verify: vi.fn(real.verify) };
});

it('verifies a hash also when there is no user, so that both answers cost the same', async () => {
  const stored = await hashPassword('a quiet long password');
  for (const hash of [stored, undefined]) {
    vi.mocked(argon2.verify).mockClear();
    expect(await verifyPassword(hash, 'not the password')).toBe(false);
    expect(argon2.verify).toHaveBeenCalledTimes(1);
  }
});

it('hashes with argon2id, under the very parameters of the dummy hash', async () => {
  const source = await readFile(new URL('./password.ts', import.meta.url), 'utf8');
  const parameters = /\$argon2id\$v=19\$[^$]*\$/.exec(source)?.[0] ?? 'none';
  expect(await hashPassword('a quiet long password')).toContain(parameters);
});

it('takes one password in any Unicode spelling', async () => {
  const stored = await hashPassword('cafe\u0301 au lait');
  expect(await verifyPassword(stored, 'caf\u00e9 au lait')).toBe(true);
  expect(await verifyPassword(stored, 'cafe au lait')).toBe(false);
});
