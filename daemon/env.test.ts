import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigurationError, readDaemonEnv } from './env.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';
const good = { SIDELANE_ORIGIN: 'http://127.0.0.1:3000', MAINTENANCE_TOKEN: TOKEN };
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'sidelane-env-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** The one line that a bad environment gives. */
function problem(source: Record<string, string | undefined>): string {
  try {
    readDaemonEnv(source);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  throw new Error('The environment was accepted');
}

describe('readDaemonEnv', () => {
  it('has defaults for all but origin and token', () => {
    expect(readDaemonEnv(good)).toMatchObject({
      origin: 'http://127.0.0.1:3000',
      token: TOKEN,
      generationLanes: 2,
      heartbeatMs: 15_000,
      knockLimit: 100,
      longPollMs: 20_000,
      generation: { busyMs: 250, idleMs: 2_000 },
      refunds: { busyMs: 1_000, idleMs: 10_000 },
      orders: { busyMs: 1_000, idleMs: 10_000 },
      invites: { busyMs: 1_000, idleMs: 10_000 },
      retention: { busyMs: 1_000, idleMs: 60_000 },
      backoffCapMs: 60_000,
      systemd: { notifySocket: undefined, watchdogMs: undefined },
    });
  });

  it('makes a worker id of host, process and chance, unless one is given', () => {
    const first = readDaemonEnv(good).workerId;
    expect(first).toMatch(new RegExp(`^[\\w.-]+-${process.pid}-[0-9a-f]{8}$`));
    expect(readDaemonEnv(good).workerId).not.toBe(first);
    expect(readDaemonEnv({ ...good, WORKER_ID: 'lane-1' }).workerId).toBe('lane-1');
  });

  it('takes an origin with a final slash and treats empty values as not set', () => {
    expect(
      readDaemonEnv({ ...good, SIDELANE_ORIGIN: 'https://lane.example/', KNOCK_LIMIT: '  ' }),
    ).toMatchObject({
      origin: 'https://lane.example',
      knockLimit: 100,
    });
  });

  it.each([
    ['SIDELANE_ORIGIN', undefined, 'is not set'],
    ['SIDELANE_ORIGIN', 'lane.example', 'must be an http(s) origin'],
    ['SIDELANE_ORIGIN', 'ftp://lane.example', 'must be an http(s) origin'],
    ['SIDELANE_ORIGIN', 'http://lane.example/app', 'must be an http(s) origin'],
    ['SIDELANE_ORIGIN', 'http://me@lane.example', 'must be an http(s) origin'],
    ['GENERATION_LANES', '0', 'must be at least 1'],
    ['GENERATION_LANES', '9', 'must be at most 8'],
    ['GENERATION_LANES', 'two', 'must be a number'],
    ['GENERATION_LANES', '1.5', 'must be a whole number'],
    ['HEARTBEAT_SECONDS', '0', 'must be at least 1'],
    ['KNOCK_LIMIT', '501', 'must be at most 500'],
    ['LONG_POLL_MS', '20001', 'must be at most 20000'],
    ['GENERATION_IDLE_MS', '249', 'must be at least 250'],
    ['ORDER_BUSY_MS', '60001', 'must be at most 60000'],
    ['ORDER_IDLE_MS', '0', 'must be at least 250'],
    ['INVITE_BUSY_MS', '-1', 'must be at least 0'],
    ['INVITE_IDLE_MS', '600001', 'must be at most 600000'],
    ['WEBHOOK_BUSY_MS', '-1', 'must be at least 0'],
    ['WEBHOOK_IDLE_MS', '600001', 'must be at most 600000'],
    ['RETENTION_BUSY_MS', 'soon', 'must be a number'],
    ['RETENTION_IDLE_MS', '3600001', 'must be at most 3600000'],
    ['WORKER_ID', 'no spaces', 'must have 1 to 100 letters'],
    ['MAINTENANCE_TOKEN', undefined, 'is not set'],
    ['MAINTENANCE_TOKEN', 'x'.repeat(31), 'must have at least 32 characters'],
    ['MAINTENANCE_TOKEN', `${TOKEN}\u00e4`, 'must have visible ASCII characters only'],
    ['MAINTENANCE_TOKEN', `${TOKEN} x`, 'must have visible ASCII characters only'],
  ])('refuses %s = %j in one line that names it', (name, value, text) => {
    const message = problem({ ...good, [name]: value });
    expect(message).toContain(`${name} ${text}`);
    expect(message).not.toContain('\n');
    expect(message).not.toContain(TOKEN);
  });

  it('names every problem in the same line', () => {
    const message = problem({ SIDELANE_ORIGIN: 'x', MAINTENANCE_TOKEN: 'short', GENERATION_LANES: '99' });
    expect(message).toMatch(
      /^The daemon cannot start: .*SIDELANE_ORIGIN.*GENERATION_LANES.*MAINTENANCE_TOKEN.*\.$/,
    );
    expect(message).not.toContain('short');
  });

  it('reads the token from a file or from a systemd credential; the variable comes first', () => {
    const file = join(directory, 'token');
    writeFileSync(file, `${TOKEN}-file\n`);
    writeFileSync(join(directory, 'maintenance-token'), `${TOKEN}-credential\n`);
    const origin = { SIDELANE_ORIGIN: good.SIDELANE_ORIGIN };
    expect(readDaemonEnv({ ...origin, CREDENTIALS_DIRECTORY: directory }).token).toBe(`${TOKEN}-credential`);
    const both = { ...origin, CREDENTIALS_DIRECTORY: directory, MAINTENANCE_TOKEN_FILE: file };
    expect(readDaemonEnv(both).token).toBe(`${TOKEN}-file`);
    expect(readDaemonEnv({ ...both, MAINTENANCE_TOKEN: TOKEN }).token).toBe(TOKEN);
  });

  it('says when the token file cannot be read or holds a short token', () => {
    const origin = { SIDELANE_ORIGIN: good.SIDELANE_ORIGIN };
    expect(problem({ ...origin, MAINTENANCE_TOKEN_FILE: join(directory, 'absent') })).toContain(
      'MAINTENANCE_TOKEN_FILE cannot be read (ENOENT)',
    );
    const short = join(directory, 'short');
    writeFileSync(short, 'too-short\n');
    expect(problem({ ...origin, MAINTENANCE_TOKEN_FILE: short })).toContain(
      'MAINTENANCE_TOKEN_FILE must have at least 32 characters',
    );
  });

  it('reads the watchdog of systemd in milliseconds', () => {
    expect(readDaemonEnv({ ...good, NOTIFY_SOCKET: '/run/s', WATCHDOG_USEC: '180000000' }).systemd).toEqual({
      notifySocket: '/run/s',
      watchdogMs: 180_000,
    });
  });
});
