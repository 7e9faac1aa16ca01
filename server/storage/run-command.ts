import { type ChildProcess, spawn } from 'node:child_process';
import { constants, getPriority, setPriority } from 'node:os';

export type CommandLimits = { timeoutMs: number; maxOutputBytes: number; signal?: AbortSignal };

/** How a command that works for long differs from one that answers at once. */
export type CommandSettings = {
  cwd?: string;
  /** The whole environment of the child; ours when it is not given. */
  env?: Record<string, string | undefined>;
  /** Added to the child's scheduling priority, so that it takes only the time that nobody else wants. */
  niceness?: number;
  /** Is given what the child prints, as it comes, in place of the result's `stdout`. */
  onStdout?(chunk: Buffer): void;
};

export type CommandResult =
  | { type: 'exited'; code: number; stdout: Buffer; stderr: string }
  /** Nothing was learned about the file: no such program, it could not start, or it was stopped by a limit. */
  | { type: 'unavailable'; reason: string; killedBy?: NodeJS.Signals };

const MAX_STDERR_CHARACTERS = 4_000;

const running = new Set<ChildProcess>();
let exitHook = false;

/** Runs a program without input under limits, and kills it when this process ends. Rejects only with the signal's reason. */
export function runCommand(
  command: readonly string[],
  options: CommandLimits & CommandSettings,
): Promise<CommandResult> {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const [file = '', ...args] = command;
    const child = spawn(file, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
      cwd: options.cwd,
      env: options.env as NodeJS.ProcessEnv | undefined,
    });
    trackChild(child);
    if (options.niceness !== undefined) lowerPriority(child, options.niceness);
    const chunks: Buffer[] = [];
    let size = 0;
    let stderr = '';
    let stoppedBecause: string | undefined;
    const stop = (reason: string) => {
      stoppedBecause ??= reason;
      child.kill('SIGKILL');
    };
    const timer = setTimeout(() => stop('it took too long'), options.timeoutMs);
    const onAbort = () => stop('aborted');
    signal?.addEventListener('abort', onAbort, { once: true });

    child.stdout.on('data', (chunk: Buffer) => {
      if (options.onStdout) {
        options.onStdout(chunk);
        return;
      }
      size += chunk.byteLength;
      if (size > options.maxOutputBytes) stop('it printed too much');
      else chunks.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < MAX_STDERR_CHARACTERS) stderr += chunk.toString();
    });
    const settle = (result: CommandResult) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      running.delete(child);
      if (signal?.aborted) reject(signal.reason);
      else resolve(result);
    };
    child.once('error', (error: NodeJS.ErrnoException) =>
      settle({ type: 'unavailable', reason: `it could not start (${error.code ?? 'unknown error'})` }),
    );
    child.once('close', (code, killedBy) => {
      if (stoppedBecause) settle({ type: 'unavailable', reason: stoppedBecause });
      else if (code === null)
        settle({
          type: 'unavailable',
          reason: `it was killed (${killedBy ?? 'unknown signal'})`,
          killedBy: killedBy ?? undefined,
        });
      else
        settle({
          type: 'exited',
          code,
          stdout: Buffer.concat(chunks),
          stderr: stderr.slice(0, MAX_STDERR_CHARACTERS),
        });
    });
  });
}

/** Right after the start: threads that the child makes later inherit it. Not every system lets us. */
function lowerPriority(child: ChildProcess, niceness: number): void {
  if (child.pid === undefined) return;
  try {
    setPriority(child.pid, Math.min(getPriority() + niceness, constants.priority.PRIORITY_LOW));
  } catch {
    // It is then as fast as we are; its CPU limit still holds.
  }
}

function trackChild(child: ChildProcess): void {
  running.add(child);
  if (exitHook) return;
  exitHook = true;
  process.once('exit', () => {
    for (const orphan of running) orphan.kill('SIGKILL');
  });
}
