import { existsSync } from 'node:fs';
import { mkdtemp, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type LocalStack, startLocalStack } from '#scripts/lib/local-stack.ts';
import { connectControl } from '#scripts/sandbox/control-client.ts';
import type { SandboxControl } from '#scripts/sandbox/control-schemas.ts';
import { auditLedger } from '#server/billing/audit.ts';
import { processesNaming } from '#server/composition/testing/film-fixtures.ts';
import { newId } from '#server/lib/ids.ts';
import { DUE_CHANNEL } from '#server/maintenance/due-channel-queries.ts';
import { mediaTools } from '#server/storage/media-tools.ts';
import type { CrashPointName } from '#server/testing/crash-points.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createClient, type SidelaneClient } from '#server/trpc/client.ts';

/**
 * Real processes with agents and dramas: the web process is killed at every boundary of their steps, one after the other
 * in one run, and a daemon alone brings them to their end. Nothing is made twice and nothing is charged twice.
 */

const PRELOAD = fileURLToPath(new URL('../server/testing/crash-preload.mjs', import.meta.url));
/** Prices of the models that a local stack is seeded with. */
const CREDITS = { image: 4, audio: 3, text: 1 };

let t: TestDatabase;
let dir: string;
let stack: LocalStack;
let control: SandboxControl;
let client: SidelaneClient;

beforeAll(async () => {
  t = await createTestDatabase();
  dir = await mkdtemp(path.join(tmpdir(), 'sidelane-composites-'));
  stack = await startLocalStack({
    databaseUrl: t.url,
    storageDir: path.join(dir, 'files'),
    logDir: path.join(dir, 'logs'),
    mode: 'crashable',
    email: 'admin@example.com',
    password: 'a lamp in the fog',
    sandboxSpeed: 100,
    webEnv: {
      LEASE_SECONDS: '10',
      POLL_FIRST_MS: '50',
      POLL_CAP_MS: '200',
      RETRY_BASE_MS: '50',
      LOG_LEVEL: 'info',
    },
  });
  // Pictures are made of their prompts alone: how characters are drawn is for the tests of dramas.
  await t.sql`update models set max_references = 0 where slug = 'sandbox-image'`;
  control = connectControl(stack.sandboxUrl);
  client = createClient({ url: stack.webUrl, token: stack.login.apiToken });
});
afterAll(async () => {
  await stack?.stop();
  await t?.close();
  await rm(dir, { recursive: true, force: true });
});
afterEach(async () => {
  await control.removeRules();
  await control.release();
});

async function until<T>(look: () => Promise<T>, good: (value: T) => boolean, what: string): Promise<T> {
  const end = Date.now() + 500_000;
  for (;;) {
    const value = await look();
    if (good(value)) return value;
    if (Date.now() > end) throw new Error(`${what}: still ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A daemon that does not wait long for a web process that a test has killed. */
const startDaemon = (env: Record<string, string> = {}) =>
  stack.startDaemon({ BACKOFF_BASE_MS: '250', BACKOFF_CAP_MS: '500', ...env });

type Row = { status: string; phase: string; waitingFor: string | null; money: string | null; last: string };

/** The row itself: reading it over the API would push it on. */
async function row(taskId: string): Promise<Row | undefined> {
  const [found] = await t.sql<Row[]>`
    select t.status, c.phase, t.waiting_for as "waitingFor", h.status as money, coalesce(t.last_error_class, '') as last
    from generation_tasks t join composite_tasks c on c.task_id = t.id
    left join credit_holds h on h.task_id = t.id where t.id = ${taskId}`;
  return found;
}

const ended = (taskId: string) =>
  until(
    () => row(taskId),
    (task) => task !== undefined && task.money !== null && task.money !== 'held',
    `composite ${taskId} should end`,
  );

type Child = { id: string; kind: string; status: string; captured: number; source: string };

const children = (taskId: string) =>
  t.sql<Child[]>`
    select t.id, t.kind, t.status, h.captured_credits::int as captured, h.source
    from generation_tasks t join credit_holds h on h.task_id = t.id where t.parent_id = ${taskId} order by t.id`;

async function creates(taskId: string): Promise<number[]> {
  const rows = await t.sql<
    { id: string }[]
  >`select id from dispatches where task_id = ${taskId} order by number`;
  return Promise.all(rows.map(async ({ id }) => (await control.createsOf(id)).received));
}

/** Every child was made by one create, what was charged is what they cost, and the books are right. */
async function expectMadeOnce(taskId: string, kinds: readonly (keyof typeof CREDITS)[]): Promise<void> {
  const made = await children(taskId);
  expect(made.map(({ kind, status }) => [kind, status])).toEqual(kinds.map((kind) => [kind, 'succeeded']));
  for (const { id } of made) expect(await creates(id)).toEqual([1]);
  for (const { kind, captured } of made) expect(captured).toBe(CREDITS[kind as keyof typeof CREDITS]);
  const drawn = made.filter(({ source }) => source === 'parent');
  const spent = drawn.reduce((sum, { captured }) => sum + captured, 0);
  const [hold] = await t.sql<{ captured: number }[]>`
    select captured_credits::int as captured from credit_holds where task_id = ${taskId}`;
  expect(hold?.captured).toBe(spent);
  expect(await auditLedger(t.db)).toEqual([]);
}

const agentOrder = (goal: string) => ({
  goal,
  model: 'sandbox-text',
  allowed: [
    { kind: 'image' as const, model: 'sandbox-image' },
    { kind: 'audio' as const, model: 'sandbox-speech' },
  ],
  budgetCredits: 60,
  maxSteps: 12,
  approval: 'none' as const,
  requestKey: newId(),
});

const dramaOrder = (text: string, overrides: { shots: number; voice?: boolean }) => ({
  source: 'idea' as const,
  text: `A lamp [[shots=${overrides.shots}]] [[seconds=1]] ${text}`,
  models: {
    storyboard: 'sandbox-text',
    picture: 'sandbox-image',
    ...(overrides.voice ? { voice: 'sandbox-speech' } : {}),
  },
  ratio: '9:16' as const,
  shots: overrides.shots,
  titleCard: false,
  startBelowCredits: 300,
  requestKey: newId(),
});

/** The web process may die before its answer is out: what it had accepted is in the database then. */
async function acceptedTask(requestKey: string, answer: Promise<unknown>): Promise<string> {
  await answer.catch(() => undefined);
  const [found] = await t.sql<
    { id: string }[]
  >`select task_id as id from request_keys where key = ${requestKey}`;
  if (!found) throw new Error('The order was not accepted');
  return found.id;
}

const CRASH_AT = (point: CrashPointName) => ({
  NODE_OPTIONS: `--import ${PRELOAD}`,
  SIDELANE_CRASH_AT: point,
});

/** The web process is gone, so nobody holds a lease; nothing comes due before the next one is up. */
const putOff = () => t.sql`
  update generation_tasks set
    next_poll_at = case when lease_until > now() then now() else next_poll_at end + interval '1 day',
    lease_until = case when lease_until > now() then now() - interval '1 second' else lease_until end
  where finished_at is null`;

async function goOn(): Promise<void> {
  await t.sql`update generation_tasks set next_poll_at = next_poll_at - interval '1 day' where finished_at is null`;
  await t.sql.notify(DUE_CHANNEL, '');
}

async function restart(env: Record<string, string> = {}): Promise<void> {
  await putOff();
  stack.web = await stack.restartWeb(env);
  await goOn();
}

/** The web process dies at each of the points in turn, and is started again to die at the next. */
async function dieAt(points: readonly CrashPointName[], env: Record<string, string> = {}): Promise<void> {
  for (const point of points) {
    await restart({ ...env, ...CRASH_AT(point) });
    await stack.web.exited;
    expect(stack.web.child.signalCode, point).toBe('SIGKILL');
  }
}

// A process that starts takes its time on a busy machine, and here many do.
describe('kill -9 of the web process at every boundary of the steps', { timeout: 600_000 }, () => {
  it('of an agent: a daemon alone brings it to the end that it would have had', async () => {
    const order = agentOrder('Two postcards [[agent:steps=2]]');
    await stack.web.stop();
    stack.web = await stack.restartWeb(CRASH_AT('composite.before-step'));
    const taskId = await acceptedTask(order.requestKey, client.agents.submit.mutate(order));
    await stack.web.exited;
    const daemon = await startDaemon();
    // In the order in which the run gets there; a child's create is never under way at one of them.
    await dieAt([
      'composite.after-record',
      'child.after-task',
      'draw.after-budget',
      'child.after-commit',
      'child.after-wake',
      'composite.after-action',
      'composite.after-settle',
    ]);
    await restart();
    await ended(taskId);
    await daemon.stop();
    expect(await row(taskId)).toMatchObject({ status: 'succeeded', money: 'captured' });
    await expectMadeOnce(taskId, ['text', 'image', 'text', 'image', 'text']);
  });

  it('of a drama, and while its ffmpeg is at work: the film is made, and no ffmpeg is left', async () => {
    // One part after the other, so that no create is under way when another part's step is cut.
    const env = { COMPOSITE_IMAGES: '1' };
    const order = dramaOrder('in the harbour', { shots: 2 });
    await stack.web.stop();
    stack.web = await stack.restartWeb({ ...env, ...CRASH_AT('hold.after-entry') });
    const daemon = await startDaemon();
    const taskId = await acceptedTask(order.requestKey, client.dramas.submit.mutate(order));
    await stack.web.exited;
    await dieAt(['child.after-step', 'child.before-commit', 'draw.after-return', 'compose.before'], env);

    await restart(env);
    const encoders = await until(
      () => encodersOf(taskId),
      (ids) => ids.length > 0,
      'ffmpeg should work on the film',
    );
    await stack.web.stop('SIGKILL');
    await expectGone(taskId, encoders);

    await dieAt(['compose.after-film', 'compose.after-store', 'composite.after-commit'], env);
    await restart();
    await ended(taskId);
    await daemon.stop();
    expect(await row(taskId)).toMatchObject({ status: 'succeeded', money: 'captured' });
    await expectMadeOnce(taskId, ['text', 'image', 'image']);
    const outputs = await t.sql<{ ordinal: number }[]>`
      select ordinal from outputs where task_id = ${taskId} order by ordinal`;
    expect(outputs.map(({ ordinal }) => ordinal)).toEqual([0, 1, 2, 3]);
    expect(await encodersOf(taskId)).toEqual([]);
  });
});

/** Processes that encode this film, where the system tells in which directory a process works; else those that encode. */
async function encodersOf(taskId: string): Promise<string[]> {
  const ids = await processesNaming('pipe:1');
  if (!existsSync('/proc/self')) return ids;
  const places = await Promise.all(ids.map((id) => readlink(`/proc/${id}/cwd`).catch(() => '')));
  return ids.filter((_, index) => places[index]?.includes(taskId));
}

async function expectGone(taskId: string, encoders: readonly string[]): Promise<void> {
  const isBound = (await mediaTools().find('ffmpeg'))?.[0] === 'setpriv';
  // Where nothing binds a child to its parent, what is left writes into files of its own and is ended here.
  if (!isBound) for (const id of encoders) process.kill(Number.parseInt(id, 10), 'SIGKILL');
  await until(
    () => encodersOf(taskId),
    (ids) => ids.length === 0,
    'no ffmpeg should be left',
  );
}

describe('several of everything', { timeout: 600_000 }, () => {
  it('two web processes and two daemons on one agent and one drama: every part is made once', async () => {
    const second = await stack.startWeb();
    const daemons = await Promise.all([startDaemon(), startDaemon({ SIDELANE_ORIGIN: second.url })]);
    const agent = await client.agents.submit.mutate(agentOrder('Two postcards of the pier'));
    const drama = await client.dramas.submit.mutate(dramaOrder('on the pier', { shots: 2, voice: true }));
    await ended(agent.taskId);
    await ended(drama.taskId);
    await Promise.all(daemons.map((daemon) => daemon.stop()));
    await second.process.stop();
    expect(await row(agent.taskId)).toMatchObject({ status: 'succeeded', money: 'captured' });
    expect(await row(drama.taskId)).toMatchObject({ status: 'succeeded', money: 'captured' });
    const kindsOf = async (taskId: string) => (await children(taskId)).map(({ kind }) => kind as 'image');
    expect((await kindsOf(agent.taskId)).sort()).toEqual(['audio', 'image', 'text', 'text']);
    expect((await kindsOf(drama.taskId)).sort()).toEqual(['audio', 'audio', 'image', 'image', 'text']);
    await expectMadeOnce(agent.taskId, await kindsOf(agent.taskId));
    await expectMadeOnce(drama.taskId, await kindsOf(drama.taskId));
  });
});

const failedParts = (taskId: string) =>
  until(
    () => row(taskId),
    (task) => task?.phase === 'failed_parts' && task.waitingFor === 'user',
    'the drama should ask about its failed parts',
  );

describe('what goes wrong in the middle of a drama', { timeout: 600_000 }, () => {
  it('a part that costs more than when its budget was held fails, and what was returned is told', async () => {
    const daemon = await startDaemon();
    const order = dramaOrder('in the rain [[child:1 delay:3600000]]', { shots: 1, voice: true });
    const { taskId } = await client.dramas.submit.mutate(order);
    const picture = await until(
      () => children(taskId),
      (made) => made.some(({ kind }) => kind === 'image'),
      'the picture should be started',
    );
    expect(picture.map(({ kind }) => kind)).toEqual(['text', 'image']);
    await t.sql`update models set price = '{"unit":"call","credits":9}' where slug = 'sandbox-speech'`;
    // Its create may still be on the way when the child is there, so it is let go until it has been.
    await until(
      async () => {
        await control.release();
        return children(taskId);
      },
      (made) => made.some(({ kind, status }) => kind === 'image' && status === 'succeeded'),
      'the picture should be let go',
    );
    await failedParts(taskId);
    const [voice] = await t.sql<{ status: string; problem: string }[]>`
      select status, result->>'problem' as problem from composite_steps where task_id = ${taskId} and kind = 'voice'`;
    expect(voice).toEqual({
      status: 'failed',
      problem: 'It costs 9 credits now, more than is left of the budget.',
    });
    await client.dramas.failedParts.mutate({ taskId, decision: 'finish_without' });
    await ended(taskId);
    await daemon.stop();
    await t.sql`update models set price = '{"unit":"call","credits":3}' where slug = 'sandbox-speech'`;
    expect(await row(taskId)).toMatchObject({ status: 'succeeded', money: 'captured' });
    await expectMadeOnce(taskId, ['text', 'image']);
  });

  it('parts whose create nobody can know: one create each though the web process dies, and a retry makes only them', async () => {
    await control.addRules(
      { match: { promptIncludes: '[[lost]]' }, behaviours: [{ type: 'drop_after_accept' }], count: 1 },
      { match: { promptIncludes: '[[slow]]' }, behaviours: [{ type: 'hang' }], count: 1 },
    );
    const daemon = await startDaemon();
    const order = dramaOrder('at night [[child:1 lost]] [[child:2 slow]]', { shots: 3 });
    const { taskId } = await client.dramas.submit.mutate(order);
    const statuses = async () =>
      (await children(taskId)).filter(({ kind }) => kind === 'image').map(({ status }) => status);
    await until(
      statuses,
      (all) => all.join() === 'uncertain,dispatching,succeeded',
      'one lost, one under way, one made',
    );
    await stack.web.stop('SIGKILL');
    await restart();
    await until(statuses, (all) => all.join() === 'uncertain,uncertain,succeeded', 'two are lost');
    expect(await row(taskId)).toMatchObject({ status: 'waiting', waitingFor: 'children' });

    const before = await children(taskId);
    const operator = createClient({
      url: stack.webUrl,
      headers: { cookie: await signIn(), origin: stack.webUrl },
    });
    for (const { id, status } of before) {
      if (status !== 'uncertain') continue;
      expect(await creates(id)).toEqual([1]);
      const reason = 'Upstream has no trace of it.';
      await operator.adminTasks.resolve.mutate({ taskId: id, verdict: 'failed', reason });
    }
    await failedParts(taskId);
    await client.dramas.failedParts.mutate({ taskId, decision: 'retry' });
    await ended(taskId);
    await daemon.stop();
    expect(await row(taskId)).toMatchObject({ status: 'succeeded', money: 'captured' });
    const after = await children(taskId);
    expect(after.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      'text succeeded',
      'image failed',
      'image failed',
      'image succeeded',
      'image succeeded',
      'image succeeded',
    ]);
    for (const { id } of after) expect(await creates(id)).toEqual([1]);
    expect(after.reduce((sum, { captured }) => sum + captured, 0)).toBe(CREDITS.text + 3 * CREDITS.image);
    expect(await auditLedger(t.db)).toEqual([]);
  });
});

/** @returns the session cookie of the administrator */
async function signIn(): Promise<string> {
  const response = await fetch(`${stack.webUrl}/api/trpc/auth.signIn`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: stack.webUrl },
    body: JSON.stringify({ json: { email: stack.login.email, password: stack.login.password } }),
  });
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0];
  if (!response.ok || !cookie) throw new Error(`Signing in answered ${response.status}.`);
  return cookie;
}
