import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type Account, EmbeddedPostgresError, executable, type PostgresPlace } from './postgres-binaries.ts';

/** One data directory and what is known about it. The caller holds the cluster's lock around every function here. */
export type Cluster = {
  folder: string;
  data: string;
  native: string;
  account: Account;
  /** False: no fsync; a crash of the machine may cost the data, so for tests only. */
  durable: boolean;
};

export type Credentials = { user: string; password: string };

export function openCluster(place: PostgresPlace, name: string, durable: boolean): Cluster {
  mkdirSync(path.join(place.clusters, name), { recursive: true });
  const folder = realpathSync(path.join(place.clusters, name));
  if (place.account) chmodSync(folder, 0o755);
  const data = path.join(folder, 'data');
  return {
    folder,
    data,
    native: place.native,
    account: place.account && ownerOf(data, place.account),
    durable,
  };
}

/** Data made earlier by an ordinary account stay with that account. */
function ownerOf(data: string, preset: NonNullable<Account>): Account {
  if (!existsSync(data)) return preset;
  const { uid, gid } = statSync(data);
  return uid === 0 || uid === preset.uid ? preset : { uid, gid, name: `uid ${uid}` };
}

/** How the server's programs are run. */
export const spawnOptions = (cluster: Cluster) => ({
  cwd: cluster.account ? '/' : cluster.folder,
  // Only what the server needs: PGDATA, PGPORT and the like of the caller must not reach it.
  env: {
    PATH: process.env.PATH,
    SystemRoot: process.env.SystemRoot,
    LC_ALL: 'C',
    TZ: 'UTC',
  } as Partial<NodeJS.ProcessEnv> as NodeJS.ProcessEnv,
  ...(cluster.account ? { uid: cluster.account.uid, gid: cluster.account.gid } : {}),
});

/** Creates the data directory unless it is there. A half-made one of a killed process has another name. */
export function initCluster(cluster: Cluster): Credentials {
  const secret = path.join(cluster.folder, 'password');
  for (const entry of readdirSync(cluster.folder)) {
    if (entry.startsWith('data.new'))
      rmSync(path.join(cluster.folder, entry), { recursive: true, force: true });
  }
  if (existsSync(cluster.data)) {
    const made = readFileSync(path.join(cluster.data, 'PG_VERSION'), 'utf8').trim();
    const ours = serverMajor(cluster);
    if (made === ours) return { user: 'sidelane', password: readFileSync(secret, 'utf8').trim() };
    if (cluster.durable) {
      throw new EmbeddedPostgresError(
        `The data in ${cluster.data} were made by PostgreSQL ${made}, the embedded one is ${ours}: move that folder away.`,
      );
    }
    rmSync(cluster.data, { recursive: true, force: true });
  }
  const fresh = path.join(cluster.folder, 'data.new');
  const passwordFile = path.join(cluster.folder, 'data.new.password');
  const password = randomBytes(24).toString('hex');
  mkdirSync(fresh, { mode: 0o700 });
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (cluster.account) {
    chownSync(fresh, cluster.account.uid, cluster.account.gid);
    chownSync(passwordFile, cluster.account.uid, cluster.account.gid);
  }
  const made = spawnSync(
    executable(cluster.native, 'initdb'),
    [
      `--pgdata=${fresh}`,
      '--username=sidelane',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-sync',
      // The password has 192 random bits: stretching it would only slow each connection down.
      '--set=scram_iterations=1',
    ],
    { ...spawnOptions(cluster), encoding: 'utf8' },
  );
  rmSync(passwordFile, { force: true });
  if (made.error || made.status !== 0) {
    const reason = made.error?.message ?? lastLine(made.stderr);
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL could not create its data directory (${reason}).`,
    );
  }
  writeFileSync(secret, `${password}\n`, { mode: 0o600 });
  renameSync(fresh, cluster.data);
  return { user: 'sidelane', password };
}

function serverMajor(cluster: Cluster): string {
  const run = spawnSync(executable(cluster.native, 'postgres'), ['--version'], {
    ...spawnOptions(cluster),
    encoding: 'utf8',
  });
  return /(\d+)\.\d+/.exec(run.stdout ?? '')?.[1] ?? '';
}

/** The line of a log that says what went wrong. */
export function lastLine(text: string): string {
  const lines = text.trim().split('\n').filter(Boolean);
  return (lines.findLast((line) => /FATAL|PANIC|error/i.test(line)) ?? lines.at(-1) ?? 'no output').trim();
}
