import { type ChildProcess, spawn } from 'node:child_process';

export type CommandLimits = { timeoutMs: number; maxOutputBytes: number; signal?: AbortSignal };

export type CommandResult =
  | { type: 'exited'; code: number; stdout: Buffer; stderr: string }
  /** Nothing was learned about the file: no such program, it could not start, or it was stopped by a limit. */
  | { type: 'unavailable'; reason: string };

const MAX_STDERR_CHARACTERS = 4_000;

const running = new Set<ChildProcess>();
let exitHook = false;

/** Runs a program without input under limits, and kills it when this process ends. Rejects only with the signal's reason. */
export function runCommand(command: readonly string[], options: CommandLimits): Promise<CommandResult> {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const [file = '', ...args] = command;
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    trackChild(child);
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
        settle({ type: 'unavailable', reason: `it was killed (${killedBy ?? 'unknown signal'})` });
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

function trackChild(child: ChildProcess): void {
  running.add(child);
  if (exitHook) return;
  exitHook = true;
  process.once('exit', () => {
    for (const orphan of running) orphan.kill('SIGKILL');
  });
}
