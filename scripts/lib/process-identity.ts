import { readFileSync } from 'node:fs';

/** Enough to tell a process from a later one that got the same number. */
export type ProcessIdentity = {
  pid: number;
  /** Start time as the kernel counts it; empty where there is no /proc. */
  mark: string;
};

/** State letter and start time from /proc, or undefined where they cannot be read. */
function readStat(pid: number): { state: string; mark: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command in parentheses may hold blanks, so fields are counted from the last parenthesis.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', mark: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

export function identifyProcess(pid: number): ProcessIdentity {
  return { pid, mark: readStat(pid)?.mark ?? '' };
}

/** Whether that very process still runs. A zombie is dead: nobody may ever reap it in a container without an init. */
export function isProcessAlive(identity: ProcessIdentity): boolean {
  if (!Number.isInteger(identity.pid) || identity.pid <= 0) return false;
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const stat = readStat(identity.pid);
  if (!stat) return true;
  if (stat.state === 'Z' || stat.state === 'X') return false;
  return identity.mark === '' || identity.mark === stat.mark;
}
