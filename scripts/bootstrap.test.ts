import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let root: string;
const inRoot = (name: string) => path.join(root, name);

/** A checkout whose npm is a script that counts its calls and installs one package with a command of that name. */
beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'sidelane-bootstrap-'));
  mkdirSync(inRoot('scripts'));
  cpSync('scripts/bootstrap.mjs', inRoot('scripts/bootstrap.mjs'));
  writeFileSync(inRoot('package.json'), '{"type":"module"}');
  writeLock('1.0.0');
  writeFileSync(
    inRoot('npm.js'),
    `import fs from 'node:fs';
    fs.appendFileSync('npm-calls', process.argv.slice(2).join(' ') + '\\n');
    if (fs.existsSync('npm-fails')) process.exit(7);
    const lock = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));
    fs.rmSync('node_modules', { recursive: true, force: true });
    fs.mkdirSync('node_modules/tool', { recursive: true });
    fs.writeFileSync('node_modules/tool/package.json', JSON.stringify({ type: 'module', bin: { tool: 'tool.js' } }));
    fs.copyFileSync('tool.js', 'node_modules/tool/tool.js');
    fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify(lock));`,
  );
  writeFileSync(
    inRoot('tool.js'),
    'console.log("ran " + process.argv.slice(2)); process.exit(Number(process.argv[2] ?? 0));',
  );
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function writeLock(version: string): void {
  const packages = {
    '': {},
    'node_modules/tool': { version },
    'node_modules/other-platform': { version, optional: true },
  };
  writeFileSync(inRoot('package-lock.json'), JSON.stringify({ packages }));
}

const npmCalls = () =>
  existsSync(inRoot('npm-calls')) ? readFileSync(inRoot('npm-calls'), 'utf8').trim().split('\n') : [];

function start(...args: string[]) {
  const child = spawn(process.execPath, [inRoot('scripts/bootstrap.mjs'), ...args], {
    cwd: os.tmpdir(),
    env: { ...process.env, npm_execpath: inRoot('npm.js') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const collect = (data: Buffer) => {
    output += String(data);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const ended = new Promise<{ code: number | null; output: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, output })),
  );
  return { child, ended, output: () => output };
}

test('installs once in a fresh clone, then runs the command and exits with its code', async () => {
  const first = await start('tool', '3').ended;
  expect(first.output).toContain('ran 3');
  expect(first.code).toBe(3);
  expect(npmCalls()).toEqual(['ci --include=dev --no-audit --no-fund']);
  const second = await start('tool').ended;
  expect(second).toEqual({ code: 0, output: 'ran \n' });
  expect(npmCalls()).toHaveLength(1);
});

test('installs again when the lock file has changed', async () => {
  await start('tool').ended;
  writeLock('2.0.0');
  await start('tool').ended;
  expect(npmCalls()).toHaveLength(2);
});

test('packages installed by hand count, without those of other platforms', async () => {
  await start('tool').ended;
  rmSync(inRoot('node_modules/.sidelane-lock-hash'));
  const record = { packages: { 'node_modules/tool': { version: '1.0.0' } } };
  writeFileSync(inRoot('node_modules/.package-lock.json'), JSON.stringify(record));
  await start('tool').ended;
  expect(npmCalls()).toHaveLength(1);
});

test('of two that start at once one installs and both run', async () => {
  const runs = await Promise.all([start('tool').ended, start('tool').ended]);
  expect(runs.map(({ code }) => code)).toEqual([0, 0]);
  expect(npmCalls()).toHaveLength(1);
});

test('says in one line that the installation failed, or that a command is unknown', async () => {
  writeFileSync(inRoot('npm-fails'), '');
  const failed = await start('tool').ended;
  expect(failed.code).toBe(1);
  expect(failed.output).toContain('npm ci failed: see its lines above, then run the command again.');
  rmSync(inRoot('npm-fails'));
  const unknown = await start('no-such-tool').ended;
  expect(unknown.code).toBe(1);
  expect(unknown.output).toContain('The command no-such-tool is not among the packages of this project.');
});

test('forwards signals and answers with 128 + the number of the signal', async () => {
  writeFileSync(inRoot('tool.js'), 'console.log("up"); setInterval(() => {}, 1000);');
  const run = start('tool');
  await expect.poll(run.output, { timeout: 60_000 }).toContain('up');
  run.child.kill('SIGTERM');
  expect((await run.ended).code).toBe(143);

  writeFileSync(
    inRoot('node_modules/tool/tool.js'),
    'process.on("SIGINT", () => { console.log("tidy"); process.exit(5); }); console.log("up"); setInterval(() => {}, 1000);',
  );
  const tidy = start('tool');
  await expect.poll(tidy.output, { timeout: 60_000 }).toContain('up');
  tidy.child.kill('SIGINT');
  expect(await tidy.ended).toMatchObject({ code: 5, output: expect.stringContaining('tidy') });
});
