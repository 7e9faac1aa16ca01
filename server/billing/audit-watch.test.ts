import { expect, it } from 'vitest';
import { CHECK_NAMES } from './audit-queries.ts';
import { createAuditWatch } from './audit-watch.ts';

function watch() {
  const audits: { resolve(found: { check: string }[]): void; reject(error: Error): void }[] = [];
  const errors: unknown[] = [];
  const clock = { ms: 0 };
  const { look } = createAuditWatch({
    audit: () => new Promise((resolve, reject) => void audits.push({ resolve, reject })),
    everyMs: 300_000,
    onError: (error) => void errors.push(error),
    nowMs: () => clock.ms,
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { audits, errors, clock, look, settled };
}

it('audits once for many looks, and again only when five minutes have passed since the last began', async () => {
  const { audits, clock, look, settled } = watch();
  const check = CHECK_NAMES[0] ?? '';
  expect([look(), look(), look()]).toEqual([undefined, undefined, undefined]);
  expect(audits).toHaveLength(1);
  clock.ms = 400_000;
  look();
  expect(audits).toHaveLength(1);
  audits[0]?.resolve([{ check }, { check }]);
  await settled();
  const first = look();
  expect(first?.ageSeconds).toBe(400);
  expect([...(first?.counts ?? [])]).toEqual(CHECK_NAMES.map((name) => [name, name === check ? 2 : 0]));
  expect(audits).toHaveLength(2);
  audits[1]?.resolve([]);
  await settled();
  clock.ms = 699_999;
  expect(look()?.counts.get(check)).toBe(0);
  expect(audits).toHaveLength(2);
  clock.ms = 700_000;
  look();
  expect(audits).toHaveLength(3);
});

it('keeps the last result while audits fail, and its age tells', async () => {
  const { audits, errors, clock, look, settled } = watch();
  look();
  audits[0]?.resolve([]);
  await settled();
  clock.ms = 300_000;
  look();
  audits[1]?.reject(new Error('gone'));
  await settled();
  clock.ms = 301_000;
  expect(look()).toMatchObject({ ageSeconds: 301 });
  expect(errors).toEqual([new Error('gone')]);
});
