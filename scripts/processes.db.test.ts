import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type LocalStack, startLocalStack } from '#scripts/lib/local-stack.ts';
import { connectControl } from '#scripts/sandbox/control-client.ts';
import type { SandboxControl } from '#scripts/sandbox/control-schemas.ts';
import { auditLedger } from '#server/billing/audit.ts';
import type { TaskDetailView } from '#server/generation/schemas.ts';
import { newId } from '#server/lib/ids.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createClient, type SidelaneClient } from '#server/trpc/client.ts';

/**
 * Real processes: web processes and daemons are started, killed and stopped; upstream is the sandbox over HTTP. The
 * hanging calls of the sandbox are released by the tests, so that no test depends on how fast the machine is.
 */

const PRELOAD = fileURLToPath(new URL('../server/testing/crash-preload.mjs', import.meta.url));

let t: TestDatabase;
let dir: string;
let stack: LocalStack;
let control: SandboxControl;
let client: SidelaneClient;

beforeAll(async () => {
  t = await createTestDatabase();
  dir = await mkdtemp(path.join(tmpdir(), 'sidelane-processes-'));
  stack = await startLocalStack({
    databaseUrl: t.url,
    storageDir: path.join(dir, 'files'),
    logDir: path.join(dir, 'logs'),
    mode: 'crashable',
    email: 'admin@example.com',
    sandboxSpeed: 20,
    webEnv: {
      LEASE_SECONDS: '3',
      POLL_FIRST_MS: '100',
      POLL_CAP_MS: '300',
      RETRY_BASE_MS: '50',
      LOG_LEVEL: 'info',
    },
  });
  control = connectControl(stack.sandboxUrl);
  client = createClient({ url: stack.webUrl, token: stack.login.apiToken });
});
afterAll(async () => {
  await stack?.stop();
  await t?.close();
  await rm(dir, { recursive: true, force: true });
});
afterEach(async () => {
  await control.release();
});

const submit = (kind: 'image' | 'video' | 'text', prompt: string) =>
  client.generation.submit
    .mutate({ kind, model: `sandbox-${kind}`, prompt, params: {}, references: [], requestKey: newId() })
    .then((submitted) => submitted.taskId);

/** The row itself: reading it over the API would push it on. */
async function row(taskId: string) {
  const [found] = await t.sql<{ status: string; version: string; leased: boolean; money: string }[]>`
    select t.status, t.version, t.lease_until is not null as leased, h.status as money
    from generation_tasks t join credit_holds h on h.task_id = t.id where t.id = ${taskId}`;
  if (!found) throw new Error('no such task');
  return found;
}

async function until<T>(look: () => Promise<T>, good: (value: T) => boolean, what: string): Promise<T> {
  const end = Date.now() + 500_000;
  for (;;) {
    const value = await look();
    if (good(value)) return value;
    if (Date.now() > end) throw new Error(`${what}: still ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const ended = (taskId: string) =>
  until(
    () => row(taskId),
    (task) => ['captured', 'refunded'].includes(task.money),
    `task ${taskId} should end`,
  );

async function creates(taskId: string): Promise<number> {
  const rows = await t.sql<{ id: string }[]>`select id from dispatches where task_id = ${taskId}`;
  const counts = await Promise.all(rows.map(({ id }) => control.createsOf(id)));
  return counts.reduce((sum, count) => sum + count.received, 0);
}

async function createArrived(taskId: string): Promise<string> {
  const [dispatch] = await until(
    () => t.sql<{ id: string }[]>`select id from dispatches where task_id = ${taskId} and phase = 'sent'`,
    (rows) => rows.length > 0,
    'a create should be sent',
  );
  await control.waitForRequests({ clientRef: dispatch?.id ?? '', call: 'create' }, { timeoutMs: 60_000 });
  return dispatch?.id ?? '';
}

/** A daemon that does not wait long for a web process that a test has killed. */
const startDaemon = (env: Record<string, string> = {}) =>
  stack.startDaemon({ BACKOFF_BASE_MS: '250', BACKOFF_CAP_MS: '500', ...env });

const kill = (running: { stop(signal: NodeJS.Signals): Promise<unknown> }) => running.stop('SIGKILL');

describe('who takes a task on', () => {
  it('page open, no daemon ⇒ it ends; page closed ⇒ it stays; daemon started ⇒ it ends', async () => {
    const watched = await submit('video', 'seen from the pier');
    const last = await new Promise<TaskDetailView['status']>((resolve, reject) => {
      const stream = client.generation.watch.subscribe(
        { taskIds: [watched] },
        {
          onData(message) {
            const task = message.tasks.find((item) => item.id === watched);
            if (!task?.finishedAt) return;
            stream.unsubscribe();
            resolve(task.status);
          },
          onError: reject,
        },
      );
    });
    expect(last).toBe('succeeded');

    const left = await submit('video', 'left alone');
    await until(
      () => row(left),
      (task) => task.status === 'running' && !task.leased,
      'the kick should send it',
    );
    await t.sql`update generation_tasks set next_poll_at = now() where id = ${left}`;
    const before = await row(left);
    // A whole knock of somebody else's task goes by, and this one has not moved.
    const other = await submit('image', 'something else');
    await until(
      () => row(other),
      (task) => task.status === 'archiving' && !task.leased,
      'the kick should send the other',
    );
    expect(await row(left)).toEqual(before);

    const daemon = await startDaemon();
    await ended(left);
    await ended(other);
    await daemon.stop();
    expect(await row(left)).toMatchObject({ status: 'succeeded' });
    expect(await creates(left)).toBe(1);
  });
});

describe('a long create', () => {
  it('a knock that is cut and a SIGTERM change nothing: it succeeds with one create', async () => {
    const daemon = await startDaemon();
    const taskId = await submit('image', 'slowly developed [[delay:3600000]]');
    const dispatchId = await createArrived(taskId);
    await kill(daemon);
    const stopped = stack.web.stop('SIGTERM', 60_000);
    await until(
      async () => stack.web.tail(),
      (text) => text.includes('Shutting down'),
      'the web process should drain',
    );
    await control.release({ clientRef: dispatchId });
    expect(await stopped).toBe(0);
    stack.web = await stack.restartWeb();
    const next = await startDaemon();
    await ended(taskId);
    await next.stop();
    expect(await row(taskId)).toMatchObject({ status: 'succeeded' });
    expect(await creates(taskId)).toBe(1);
  });

  it('kill -9 during it: uncertain, not created again; the operator’s word ends it', async () => {
    const taskId = await submit('video', 'never answered [[hang]]');
    await createArrived(taskId);
    await kill(stack.web);
    stack.web = await stack.restartWeb();
    const daemon = await startDaemon();
    await until(
      () => row(taskId),
      (task) => task.status === 'uncertain',
      'nobody can know',
    );
    expect(await creates(taskId)).toBe(1);
    await t.sql`update generation_tasks set uncertain_until = now(), next_poll_at = now() where id = ${taskId}`;
    await ended(taskId);
    await daemon.stop();
    expect(await row(taskId)).toMatchObject({ status: 'failed', money: 'refunded' });
    expect(await creates(taskId)).toBe(1);
  });
});

describe('kill -9 of the web process at', () => {
  it.each<[string, string, 'succeeded' | 'failed' | 'uncertain']>([
    ['dispatch.after-intent', 'a chest', 'succeeded'],
    ['dispatch.after-sent', 'a chest', 'uncertain'],
    ['dispatch.after-evidence', 'a chest', 'succeeded'],
    ['archive.after-store', 'a chest', 'succeeded'],
    ['settle.before-commit', 'a chest', 'succeeded'],
    ['refund.before-commit', 'a chest [[fail]]', 'failed'],
  ])('%s', async (point, prompt, expected) => {
    await stack.web.stop();
    stack.web = await stack.restartWeb({ NODE_OPTIONS: `--import ${PRELOAD}`, SIDELANE_CRASH_AT: point });
    const daemon = await startDaemon();
    const taskId = await submit('video', prompt);
    await stack.web.exited;
    stack.web = await stack.restartWeb();
    if (expected === 'uncertain') {
      await until(
        () => row(taskId),
        (task) => task.status === 'uncertain',
        'nobody can know',
      );
      await t.sql`update generation_tasks set uncertain_until = now(), next_poll_at = now() where id = ${taskId}`;
    }
    await ended(taskId);
    await daemon.stop();
    expect((await row(taskId)).status).toBe(expected === 'succeeded' ? 'succeeded' : 'failed');
    expect(await creates(taskId)).toBeLessThanOrEqual(1);
    expect(await auditLedger(t.db)).toEqual([]);
  });
});

describe('several of everything', () => {
  it('two web processes and two daemons on one database: each task is created once, the books are right', async () => {
    const second = await stack.startWeb();
    const daemons = await Promise.all([startDaemon(), startDaemon({ SIDELANE_ORIGIN: second.url })]);
    const ids: string[] = [];
    for (let index = 0; index < 16; index += 1) {
      ids.push(await submit(index % 2 ? 'image' : 'text', `a shoal, number ${index}`));
    }
    for (const id of ids) await ended(id);
    await Promise.all(daemons.map((daemon) => daemon.stop()));
    await second.process.stop();
    for (const id of ids) {
      expect(await row(id)).toMatchObject({ status: 'succeeded', money: 'captured' });
      expect(await creates(id)).toBe(1);
    }
    expect(await auditLedger(t.db)).toEqual([]);
  });
});
