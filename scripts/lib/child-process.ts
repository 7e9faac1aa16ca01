import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import path from 'node:path';

export type RunningProcess = {
  name: string;
  child: ChildProcess;
  /** The first match of the ready line. */
  ready: RegExpExecArray;
  /** What it printed last, for error messages. */
  tail(): string;
  /** Ends it by a signal and waits; by SIGKILL after `graceMs`. Resolves with its exit code. */
  stop(signal?: NodeJS.Signals, graceMs?: number): Promise<number | null>;
  exited: Promise<number | null>;
};

export type ProcessOptions = {
  name: string;
  command: string;
  args: readonly string[];
  env?: Record<string, string | undefined>;
  /** The process is ready once a line matches. */
  readyLine: RegExp;
  /** All output goes there. */
  logFile?: string;
  onLine?: (line: string) => void;
};

const TAIL_LINES = 15;

/**
 * Starts a child process and waits until it says that it is ready.
 *
 * @throws Error with its last lines when it ends before
 */
export async function startProcess(options: ProcessOptions): Promise<RunningProcess> {
  const child = spawn(options.command, options.args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
  });
  const lines: string[] = [];
  const log = options.logFile ? openLog(options.logFile) : undefined;
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? (signal ? null : 1)));
    child.once('error', () => resolve(1));
  });
  const ready = await new Promise<RegExpExecArray>((resolve, reject) => {
    const take = (line: string) => {
      lines.push(line);
      if (lines.length > TAIL_LINES) lines.shift();
      options.onLine?.(line);
      const match = options.readyLine.exec(line);
      if (match) resolve(match);
    };
    for (const stream of [child.stdout, child.stderr]) {
      let rest = '';
      stream?.on('data', (chunk: Buffer) => {
        log?.write(chunk);
        const parts = (rest + chunk.toString()).split('\n');
        rest = parts.pop() ?? '';
        for (const line of parts) take(line);
      });
    }
    child.once('error', reject);
    void exited.then((code) =>
      reject(new Error(`The ${options.name} process ended with ${code}:\n${lines.join('\n')}`)),
    );
  });
  return {
    name: options.name,
    child,
    ready,
    tail: () => lines.join('\n'),
    exited,
    async stop(signal = 'SIGTERM', graceMs = 20_000) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      const code = await exited;
      clearTimeout(timer);
      log?.end();
      return code;
    },
  };
}

function openLog(file: string) {
  mkdirSync(path.dirname(file), { recursive: true });
  return createWriteStream(file, { flags: 'a' });
}
