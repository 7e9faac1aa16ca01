import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { assertDaemonAlone, assertNoCrashPoints, buildServer, crashPointNames } from './build-server.ts';

let outdir: string;

beforeAll(async () => {
  outdir = await mkdtemp(path.join(os.tmpdir(), 'sidelane-build-'));
  await buildServer(outdir);
});
afterAll(() => rm(outdir, { recursive: true, force: true }));

const built = (name: string) => readFile(path.join(outdir, name), 'utf8');

it('leaves nothing of the crash points in what goes to production', async () => {
  expect(crashPointNames()).toContain('dispatch.after-sent');
  for (const name of ['web-main.js', 'daemon.js']) {
    const code = await built(name);
    for (const name of crashPointNames()) expect(code).not.toContain(`"${name}"`);
    expect(code).not.toMatch(/CRASH_POINTS|setCrashHandler|crashPoint\(/);
    expect(() => assertNoCrashPoints(code)).not.toThrow();
  }
  expect(() => assertNoCrashPoints('await crashPoint("poll.after")')).toThrow('crashPoint(, "poll.after"');
});

it('puts the daemon into one file that needs only Node and holds no server code', async () => {
  const code = await built('daemon.js');
  const imports = [...code.matchAll(/^import [^;]*? from ["']([^"']+)["']/gm)].map((match) => match[1] ?? '');
  for (const name of imports) expect(name).toMatch(/^node:|^[a-z_/]+$/);
  for (const word of ['drizzle', 'postgres', 'generation_tasks', 'credit_ledger', 'argon2'])
    expect(code).not.toContain(word);
  expect(() =>
    assertDaemonAlone({ inputs: { 'server/lib/ids.ts': { bytes: 1, imports: [] } }, outputs: {} }),
  ).toThrow("The daemon's bundle holds server/lib/ids.ts");
});

it('sets the production mode before anything is loaded', async () => {
  expect(await built('web.js')).toBe(
    "process.env.NODE_ENV ??= 'production';\nawait import('./web-main.js');\n",
  );
});
