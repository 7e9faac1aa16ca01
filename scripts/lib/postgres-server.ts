import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresError, executable } from './postgres-binaries.ts';
import { type Cluster, lastLine, spawnOptions } from './postgres-cluster.ts';
import { identifyProcess, isProcessAlive } from './process-identity.ts';

/** The server that runs on this data directory, by its pid file; undefined when there is none or the file is stale. */
export function runningServer(cluster: Cluster): { pid: number; port: number; ready: boolean } | undefined {
  let lines: string[];
  try {
    lines = readFileSync(path.join(cluster.data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
  const pid = Number(lines[0]);
  if (!isProcessAlive({ pid, mark: '' }) || !servesData(cluster, pid)) return undefined;
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}

/** Process numbers are used again: the server is the one whose working directory is the data directory. */
function servesData(cluster: Cluster, pid: number): boolean {
  if (process.platform === 'linux') {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === cluster.data;
    } catch {
      return false;
    }
  }
  if (process.platform === 'win32') {
    return /postgres\.exe/i.test(
      spawnSync('tasklist', ['/FI', `PID eq ${pid}`], { encoding: 'utf8' }).stdout ?? '',
    );
  }
  return (spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '').includes(
    cluster.data,
  );
}

async function freePort(wanted: number | undefined): Promise<number> {
  const listen = (port: number) =>
    new Promise<number | undefined>((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(undefined));
      server.listen(port, '127.0.0.1', () => {
        const address = server.address();
        server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
      });
    });
  const port = (wanted && (await listen(wanted))) || (await listen(0));
  if (!port) throw new EmbeddedPostgresError('No port is free on 127.0.0.1.');
  return port;
}

/**
 * Starts the server on a free port, the last one if it still is free, and waits until it accepts connections, however
 * long a recovery takes.
 *
 * @throws EmbeddedPostgresError with the last line of the server's log
 */
export async function launchServer(cluster: Cluster): Promise<{ pid: number; port: number }> {
  const portFile = path.join(cluster.folder, 'port');
  let wanted = existsSync(portFile) ? Number(readFileSync(portFile, 'utf8')) : undefined;
  let problem = '';
  for (let round = 0; round < 8; round += 1) {
    // Nobody runs on it (see runningServer), but PostgreSQL would refuse a file whose number now names another process.
    rmSync(path.join(cluster.data, 'postmaster.pid'), { force: true });
    const port = await freePort(wanted);
    const child = spawnServer(cluster, port);
    const pid = await waitUntilReady(cluster, child);
    if (pid !== undefined) {
      writeFileSync(portFile, String(port));
      return { pid, port };
    }
    problem = lastLine(readFileSync(path.join(cluster.folder, 'server.log'), 'utf8'));
    const log = readFileSync(path.join(cluster.folder, 'server.log'), 'utf8');
    // Both pass: somebody took the port, or the backends of a killed server are still ending.
    if (!/could not bind|shared memory|lock file/i.test(log)) break;
    wanted = undefined;
    await sleep(50 * (round + 1));
  }
  throw new EmbeddedPostgresError(`The embedded PostgreSQL did not start (${problem}).`);
}

function spawnServer(cluster: Cluster, port: number): ChildProcess {
  const log = openSync(path.join(cluster.folder, 'server.log'), 'w', 0o600);
  const settings: Record<string, string> = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: cluster.durable ? '100' : '300',
    shared_buffers: '128MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(cluster.durable
      ? {}
      : {
          fsync: 'off',
          synchronous_commit: 'off',
          full_page_writes: 'off',
          wal_level: 'minimal',
          max_wal_senders: '0',
        }),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // Detached: Ctrl-C in the terminal must reach us alone, so that we can finish our work on a living database.
  const child = spawn(executable(cluster.native, 'postgres'), ['-D', cluster.data, ...flags], {
    ...spawnOptions(cluster),
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.unref();
  return child;
}

async function waitUntilReady(cluster: Cluster, child: ChildProcess): Promise<number | undefined> {
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  child.once('error', () => {
    ended = true;
  });
  while (!ended) {
    const server = runningServer(cluster);
    if (server?.ready && server.pid === child.pid) return server.pid;
    await sleep(10);
  }
  return undefined;
}

/** Asks for a fast shutdown: sessions are ended, data are written. */
export function signalServer(cluster: Cluster, pid: number, signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): void {
  if (process.platform === 'win32') {
    spawnSync(executable(cluster.native, 'pg_ctl'), ['kill', signal.slice(3), String(pid)]);
    return;
  }
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Stops the server if it runs, within 30 s in order, else at once. */
export async function stopServer(cluster: Cluster): Promise<void> {
  const server = runningServer(cluster);
  if (!server) return;
  const identity = identifyProcess(server.pid);
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    signalServer(cluster, server.pid, signal);
    const end = Date.now() + 30_000;
    while (Date.now() < end) {
      if (!isProcessAlive(identity)) return;
      await sleep(10);
    }
  }
  throw new Error(`The embedded PostgreSQL (process ${server.pid}) does not stop.`);
}
