import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DaemonProcess, killDaemons, startDaemon } from './testing/daemon-process.ts';
import { FAKE_TOKEN, type FakeWebProcess, startFakeWebProcess } from './testing/fake-web-process.ts';

let web: FakeWebProcess;
beforeEach(async () => {
  web = await startFakeWebProcess();
});
afterEach(async () => {
  killDaemons();
  await web.stop().catch(() => undefined);
});

const quick = { BACKOFF_BASE_MS: '250', BACKOFF_CAP_MS: '250' };
const start = (env: Record<string, string> = {}): DaemonProcess =>
  startDaemon({ SIDELANE_ORIGIN: web.origin, MAINTENANCE_TOKEN: FAKE_TOKEN, ...quick, ...env });
const seen = (procedure: string) => web.knocks.filter((knock) => knock.procedure === procedure);
const patient = { timeout: 60_000, interval: 20 };

/** Sends the signal and tells the exit code and how long the end took, in milliseconds. */
async function end(daemon: DaemonProcess, signal: NodeJS.Signals = 'SIGTERM') {
  const startedAt = performance.now();
  daemon.child.kill(signal);
  const code = await daemon.exited;
  return { code, ms: performance.now() - startedAt };
}

/**
 * An idle daemon is gone within a second; the limit here is half of what a waiting call has left, so that a busy
 * machine does not decide. That no timer and no call is waited for is shown with fake timers in lane.test.ts.
 */
const AT_ONCE_MS = 10_000;

describe('the daemon process', () => {
  it('says that it started and knocks with its id, protocol and token', async () => {
    const daemon = start({
      WORKER_ID: 'lane-test',
      GENERATION_LANES: '3',
      KNOCK_LIMIT: '7',
      LONG_POLL_MS: '5000',
    });
    await expect.poll(() => seen('generation').length, patient).toBeGreaterThanOrEqual(3);
    await expect.poll(() => seen('heartbeat').length, patient).toBeGreaterThan(0);
    await expect.poll(() => seen('refunds').length, patient).toBeGreaterThan(0);
    expect(daemon.lines()[0]).toBe('Generation worker started: lane-test');
    expect(
      seen('generation')
        .slice(0, 3)
        .map((knock) => knock.input),
    ).toEqual([0, 1, 2].map((lane) => ({ lane, limit: 7, waitMs: 5_000 })));
    for (const { headers } of web.knocks) {
      expect(headers).toMatchObject({
        authorization: `Bearer ${FAKE_TOKEN}`,
        'x-sidelane-worker-id': 'lane-test',
        'x-sidelane-protocol': '1',
      });
    }
    expect(await end(daemon)).toMatchObject({ code: 0 });
  });

  it('exits at once when it is idle, ending its long polls', async () => {
    const daemon = start();
    await expect.poll(() => seen('generation').length, patient).toBe(2);
    const { code, ms } = await end(daemon);
    expect(code).toBe(0);
    expect(ms).toBeLessThan(AT_ONCE_MS);
    const goodbye = seen('heartbeat').at(-1)?.input as { lanes: { name: string; state: string }[] };
    expect(goodbye.lanes.map((lane) => [lane.name, lane.state])).toEqual([
      ['generation', 'stopped'],
      ['generation', 'stopped'],
      ['refunds', 'stopped'],
      ['orders', 'stopped'],
      ['invites', 'stopped'],
      ['webhooks', 'stopped'],
      ['retention', 'stopped'],
    ]);
  });

  it('exits at once on SIGINT while it backs off', async () => {
    await web.stop();
    const daemon = start({ BACKOFF_BASE_MS: '60000', BACKOFF_CAP_MS: '60000' });
    await expect.poll(() => daemon.lines().length, patient).toBeGreaterThanOrEqual(2);
    const { code, ms } = await end(daemon, 'SIGINT');
    expect(code).toBe(0);
    expect(ms).toBeLessThan(AT_ONCE_MS);
  });

  it('lets a knock at work finish before it exits', async () => {
    let answer = (): void => {};
    let givenUp = false;
    web.answers.refunds = (signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          givenUp = true;
        });
        answer = () => resolve({ claimed: 1, settled: 1 });
      });
    const daemon = start();
    await expect.poll(() => seen('refunds').length, patient).toBe(1);
    daemon.child.kill('SIGTERM');
    await expect.poll(() => daemon.lines(), patient).toContain('Stopping signal="SIGTERM"');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(givenUp).toBe(false);
    answer();
    expect(await daemon.exited).toBe(0);
  });

  it('gives a knock that does not end only its grace', async () => {
    web.answers.refunds = () => new Promise(() => {});
    const daemon = start({ STOP_GRACE_MS: '300' });
    await expect.poll(() => seen('refunds').length, patient).toBe(1);
    const { code, ms } = await end(daemon);
    expect(code).toBe(0);
    expect(ms).toBeGreaterThanOrEqual(290);
  });

  it('exits at once on a second signal', async () => {
    web.answers.refunds = () => new Promise(() => {});
    const daemon = start({ STOP_GRACE_MS: '60000' });
    await expect.poll(() => seen('refunds').length, patient).toBe(1);
    daemon.child.kill('SIGTERM');
    await expect.poll(() => daemon.lines().length, patient).toBeGreaterThanOrEqual(2);
    expect(await end(daemon, 'SIGTERM')).toMatchObject({ code: 1 });
  });

  it('knocks on through an outage of the web process, and says once that it is away and once that it is back', async () => {
    const daemon = start({ LONG_POLL_MS: '0', GENERATION_IDLE_MS: '250' });
    await expect.poll(() => seen('generation').length, patient).toBeGreaterThan(0);
    await web.stop();
    await expect
      .poll(() => daemon.lines().some((line) => line.includes('cannot be reached')), patient)
      .toBe(true);
    const before = web.knocks.length;
    await new Promise((resolve) => setTimeout(resolve, 50));
    await web.start();
    await expect.poll(() => seen('generation').length, patient).toBeGreaterThan(before);
    await expect
      .poll(() => daemon.lines().filter((line) => line.includes('answers again')).length, patient)
      .toBe(1);
    expect(daemon.lines().filter((line) => line.includes('cannot be reached'))).toHaveLength(1);
    expect((await end(daemon)).code).toBe(0);
  });

  it('keeps trying with a wrong token, says so once and never prints it', async () => {
    const wrong = 'wrong-service-token-0123456789abcdef';
    const daemon = start({ MAINTENANCE_TOKEN: wrong, HEARTBEAT_SECONDS: '1' });
    const refusals = () => daemon.lines().filter((line) => line.includes('refused the service token'));
    await expect.poll(() => refusals().length, patient).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(refusals()).toHaveLength(1);
    expect(web.knocks).toEqual([]);
    expect(daemon.lines().join('\n')).not.toContain(wrong);
    expect((await end(daemon)).code).toBe(0);
  });

  it('knocks in every lane and comes back to retention at once while there is more to remove', async () => {
    let left = 3;
    web.answers.retention = async () => {
      left -= 1;
      return { counts: { sessions: 7 }, hasMore: left > 0, nextDueAt: new Date() };
    };
    const daemon = start({ KNOCK_LIMIT: '7', RETENTION_BUSY_MS: '0', RETENTION_IDLE_MS: '600000' });
    await expect.poll(() => seen('retention').length, patient).toBe(3);
    for (const lane of ['orders', 'invites', 'webhooks', 'retention'] as const) {
      await expect.poll(() => seen(lane)[0]?.input, patient).toEqual({ limit: 7 });
    }
    expect(await end(daemon)).toMatchObject({ code: 0 });
    expect(seen('retention')).toHaveLength(3);
  });

  it('works with an older web process: says once per lane what it does not know, and does not spin', async () => {
    const older = await startFakeWebProcess({ isOlder: true });
    try {
      const daemon = start({
        SIDELANE_ORIGIN: older.origin,
        HEARTBEAT_SECONDS: '1',
        BACKOFF_BASE_MS: '250',
        BACKOFF_CAP_MS: '60000',
      });
      const unknown = () => daemon.lines().filter((line) => line.includes('update the web process'));
      await expect.poll(() => unknown().length, patient).toBe(4);
      type Beat = { lanes: { name: string; state: string; knocks: number }[] };
      const beats = () => older.knocks.filter((knock) => knock.procedure === 'heartbeat');
      const seenBeats = beats().length;
      await expect.poll(() => beats().length, patient).toBeGreaterThanOrEqual(seenBeats + 2);
      const lanes = (beats().at(-1)?.input as Beat | undefined)?.lanes ?? [];
      for (const name of ['orders', 'invites', 'webhooks', 'retention']) {
        expect(lanes.find((lane) => lane.name === name)).toMatchObject({ state: 'backing_off', knocks: 1 });
      }
      expect(unknown()).toHaveLength(4);
      expect(older.knocks.some((knock) => knock.procedure === 'refunds')).toBe(true);
      expect(await end(daemon)).toMatchObject({ code: 0 });
    } finally {
      await older.stop();
    }
  });

  it.each([
    [{ MAINTENANCE_TOKEN: 'too-short' }, 'MAINTENANCE_TOKEN must have at least 32 characters'],
    [{ MAINTENANCE_TOKEN: '' }, 'MAINTENANCE_TOKEN is not set'],
    [{ SIDELANE_ORIGIN: 'nonsense' }, 'SIDELANE_ORIGIN must be an http(s) origin'],
    [{ GENERATION_LANES: '9' }, 'GENERATION_LANES must be at most 8'],
  ])('exits 78 with one clear line for %j', async (env, text) => {
    const daemon = start(env);
    expect(await daemon.exited).toBe(78);
    expect(daemon.lines()).toHaveLength(1);
    expect(daemon.lines()[0]).toContain(text);
    expect(web.knocks).toEqual([]);
  });
});
