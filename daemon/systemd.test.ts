import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Log } from './log.ts';
import { createSystemd } from './systemd.ts';

let directory: string;
let written: string;
let log: Log;

/** A stand-in for the program `systemd-notify`, which writes down its arguments. */
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sidelane-notify-'));
  written = join(directory, 'written');
  const program = join(directory, 'systemd-notify');
  writeFileSync(program, `#!/bin/sh\necho "$@" >> ${written}\n`);
  chmodSync(program, 0o755);
  vi.stubEnv('PATH', `${directory}:${process.env.PATH}`);
  log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
});

const lines = () => (existsSync(written) ? readFileSync(written, 'utf8').trim().split('\n') : []);

describe('createSystemd', () => {
  it('reports ready and stopping', async () => {
    const systemd = createSystemd({ notifySocket: '/run/notify', watchdogMs: undefined, log });
    systemd.ready('2 lanes');
    await expect.poll(lines).toEqual(['READY=1 STATUS=2 lanes']);
    systemd.stopping();
    await expect.poll(lines).toEqual(['READY=1 STATUS=2 lanes', 'STOPPING=1']);
  });

  it('feeds the watchdog while every loop turns and stops when one hangs', async () => {
    let alive = true;
    const systemd = createSystemd({ notifySocket: '/run/notify', watchdogMs: 60, log });
    const stop = systemd.startWatchdog(() => alive);
    await expect.poll(() => lines().filter((line) => line === 'WATCHDOG=1').length).toBeGreaterThan(1);
    alive = false;
    await expect.poll(() => vi.mocked(log.error).mock.calls.length).toBe(1);
    stop();
  });

  it('does nothing without a socket', async () => {
    const systemd = createSystemd({ notifySocket: undefined, watchdogMs: 30, log });
    systemd.ready('x');
    const isAlive = vi.fn(() => true);
    systemd.startWatchdog(isAlive)();
    const marker = createSystemd({ notifySocket: '/run/notify', watchdogMs: undefined, log });
    marker.stopping();
    await expect.poll(lines).toEqual(['STOPPING=1']);
    expect(isAlive).not.toHaveBeenCalled();
  });

  it('complains once when the program fails', async () => {
    writeFileSync(join(directory, 'systemd-notify'), '#!/bin/sh\nexit 1\n');
    const systemd = createSystemd({ notifySocket: '/run/notify', watchdogMs: undefined, log });
    systemd.ready('x');
    systemd.stopping();
    await expect.poll(() => vi.mocked(log.warn).mock.calls.length).toBe(1);
  });
});
