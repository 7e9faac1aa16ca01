import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export type DaemonProcess = {
  readonly child: ChildProcess;
  /** Lines of stdout and stderr so far. */
  lines(): string[];
  /** Exit code, or the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals>;
};

const running = new Set<ChildProcess>();

/** A real daemon in a process of its own, with the environment given and nothing else. */
export function startDaemon(
  env: Record<string, string>,
  entry: readonly string[] = sourceEntry(),
): DaemonProcess {
  const child = spawn(process.execPath, entry, {
    env: env as NodeJS.ProcessEnv,
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const exited = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve(code ?? signal ?? 'SIGKILL');
    });
  });
  return { child, exited, lines: () => output.split('\n').filter(Boolean) };
}

/** Ends what a test left over. */
export function killDaemons(): void {
  for (const child of running) child.kill('SIGKILL');
}

function sourceEntry(): string[] {
  return ['--import', 'tsx', fileURLToPath(new URL('../main.ts', import.meta.url))];
}
