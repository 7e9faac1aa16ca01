import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifyProcess, isProcessAlive, type ProcessIdentity } from './process-identity.ts';

export type FileLock = { release(): void };

function readOwner(path: string): { text: string; owner: ProcessIdentity } | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    return { text, owner: JSON.parse(text) as ProcessIdentity };
  } catch {
    return undefined;
  }
}

/**
 * Takes the lock file if it is free or its owner is dead. A hard link appears with its content and fails when the name
 * exists, so nobody sees a lock without an owner.
 */
function tryLock(path: string): FileLock | undefined {
  const mine = `${path}.${randomUUID()}`;
  writeFileSync(mine, JSON.stringify({ ...identifyProcess(process.pid), nonce: mine }));
  try {
    for (let round = 0; round < 3; round += 1) {
      try {
        linkSync(mine, path);
        return { release: () => rmSync(path, { force: true }) };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const seen = readOwner(path);
      if (!seen) continue;
      if (isProcessAlive(seen.owner)) return undefined;
      removeStale(path, seen.text);
    }
    return undefined;
  } finally {
    rmSync(mine, { force: true });
  }
}

/** Renaming is atomic, so of several processes that saw the same dead owner one removes it; a live one is put back. */
function removeStale(path: string, expected: string): void {
  const moved = `${path}.${randomUUID()}.stale`;
  try {
    renameSync(path, moved);
  } catch {
    return;
  }
  if (readOwner(moved)?.text !== expected) {
    try {
      linkSync(moved, path);
    } catch {
      // Somebody holds the name already: PostgreSQL's own interlock on the data directory is the last guard.
    }
  }
  rmSync(moved, { force: true });
}

/**
 * Waits for the lock.
 *
 * @throws Error when a live process holds it longer than `timeoutMs`
 */
export async function acquireLock(path: string, timeoutMs = 180_000): Promise<FileLock> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const lock = tryLock(path);
    if (lock) return lock;
    if (Date.now() > end) {
      throw new Error(
        `Process ${readOwner(path)?.owner.pid ?? '?'} holds ${path} too long; stop it and try again.`,
      );
    }
    await sleep(20);
  }
}

/**
 * The same without the event loop, for exit handlers: undefined when it cannot be had in time. A lock held by this
 * very process counts as had, since what took it will never go on.
 */
export function acquireLockSync(path: string, timeoutMs: number): FileLock | undefined {
  const end = Date.now() + timeoutMs;
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    const lock = tryLock(path);
    if (lock) return lock;
    if (readOwner(path)?.owner.pid === process.pid) return { release: () => rmSync(path, { force: true }) };
    if (Date.now() > end) return undefined;
    Atomics.wait(cell, 0, 0, 20);
  }
}
