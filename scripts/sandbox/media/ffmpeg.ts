import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Long clips on a loaded machine take a while; a stuck encoder must not live for ever. */
const ENCODE_LIMIT_MS = 180_000;
const MAX_PROCESSES = 2;

const running = new Set<ChildProcess>();
const waiting: { go: () => void; stop: (error: Error) => void }[] = [];
let busy = 0;
let located: Promise<string> | undefined;

async function isRecentOnPath(): Promise<boolean> {
  try {
    const { stdout } = await run('ffmpeg', ['-version']);
    const major = /^ffmpeg version n?(\d+)\./.exec(stdout)?.[1];
    return major !== undefined && Number(major) >= 5;
  } catch {
    return false;
  }
}

async function locate(): Promise<string> {
  if (process.env.FFMPEG_PATH) return process.env.FFMPEG_PATH;
  if (await isRecentOnPath()) return 'ffmpeg';
  try {
    // Loaded late: the package throws at import where it has no binary for the platform.
    const installer = await import('@ffmpeg-installer/ffmpeg');
    return installer.default.path;
  } catch {
    throw new Error('No ffmpeg found. Install ffmpeg 5 or later, or set FFMPEG_PATH to a binary.');
  }
}

/** `FFMPEG_PATH`, else ffmpeg ≥ 5 on PATH, else the binary of `@ffmpeg-installer/ffmpeg`. */
export function locateFfmpeg(): Promise<string> {
  located ??= locate();
  return located;
}

async function takeSlot(): Promise<void> {
  // A slot is handed on, never freed in between, so nobody can slip in.
  if (busy >= MAX_PROCESSES) await new Promise<void>((go, stop) => waiting.push({ go, stop }));
  else busy += 1;
}

function freeSlot(): void {
  const next = waiting.shift();
  if (next) next.go();
  else busy -= 1;
}

/**
 * Runs ffmpeg once in a child process; two at a time at most.
 *
 * @throws Error with the last lines of ffmpeg when it fails, or when it is stopped
 */
export async function runFfmpeg(args: readonly string[]): Promise<void> {
  const binary = await locateFfmpeg();
  await takeSlot();
  try {
    await new Promise<void>((resolve, reject) => {
      const child = spawn(binary, ['-hide_banner', '-nostdin', '-loglevel', 'error', '-y', ...args], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      running.add(child);
      let tail = '';
      child.stderr.on('data', (chunk: Buffer) => {
        tail = (tail + chunk.toString()).slice(-2_000);
      });
      const limit = setTimeout(() => child.kill('SIGKILL'), ENCODE_LIMIT_MS);
      child.on('error', reject);
      child.on('close', (code, signal) => {
        clearTimeout(limit);
        running.delete(child);
        if (code === 0) resolve();
        else reject(new Error(`ffmpeg ended with ${signal ?? code}: ${tail.trim() || 'no message'}`));
      });
    });
  } finally {
    freeSlot();
  }
}

/** Ends every encoder this process started; used when the last sandbox closes. */
export function stopFfmpeg(): void {
  for (const waiter of waiting.splice(0)) waiter.stop(new Error('The sandbox was closed.'));
  for (const child of running) child.kill('SIGKILL');
}
