import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { connectControl } from './control-client.ts';
import { startTestSandbox } from './test-client.ts';

const script = fileURLToPath(new URL('main.ts', import.meta.url));
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function launch(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  started.push(child);
  return child;
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('The child has no stdout.');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return line;
}

async function exitCode(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

async function errorsOf(child: ChildProcess): Promise<string> {
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(child, 'close');
  return text;
}

test('prints its address, serves, and ends with 0 on SIGTERM', async () => {
  const child = launch('--port', '0', '--speed', '1000', '--exit-with-parent');
  const line = await firstLine(child);
  expect(line).toMatch(/^Sandbox upstream: http:\/\/127\.0\.0\.1:\d+$/);
  const url = line.split(': ')[1] ?? '';
  expect(await connectControl(url).creates()).toMatchObject({ total: { received: 0 } });
  const code = exitCode(child);
  child.kill('SIGTERM');
  expect(await code).toBe(0);
});

test('ends when its parent closes stdin', async () => {
  const child = launch('--exit-with-parent');
  await firstLine(child);
  const code = exitCode(child);
  child.stdin?.end();
  expect(await code).toBe(0);
});

test('ends when the IPC channel closes', async () => {
  const child = fork(script, [], { execArgv: ['--import', 'tsx'], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  started.push(child);
  await firstLine(child);
  const code = exitCode(child);
  child.disconnect();
  expect(await code).toBe(0);
});

test('plays payments when it is told where the shop hears of them, and is given a secret', async () => {
  const hook = ['--payments-webhook', 'http://127.0.0.1:1/hook'];
  const child = launch(...hook, '--payments-secret', 'a-shared-secret');
  const url = (await firstLine(child)).split(': ')[1] ?? '';
  const call = (secret: string) =>
    fetch(`${url}/pay/v1/checkouts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: '{}',
    });
  // Refused for what it lacks, not for the secret.
  expect([(await call('another')).status, (await call('a-shared-secret')).status]).toEqual([401, 400]);
  expect(await errorsOf(launch(...hook))).toContain('--payments-webhook needs --payments-secret');
});

test('one clear line when the port is in use, and for a bad option', async () => {
  const taken = await startTestSandbox();
  const inUse = launch('--port', String(taken.port));
  expect(await errorsOf(inUse)).toBe(
    'The port of the sandbox is in use. Stop what listens there, or choose another with --port.\n',
  );
  expect(inUse.exitCode).toBe(1);
  await taken.close();
  const bad = launch('--port', 'many');
  expect(await errorsOf(bad)).toContain('--port must be a number from 0 to 65535.');
  expect(bad.exitCode).toBe(1);
});
