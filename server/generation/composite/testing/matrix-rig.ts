import { connect, createServer, type Server } from 'node:net';
import { hashPassword } from '#server/auth/password.ts';
import { runRefundBatch } from '#server/billing/run-refund-batch.ts';
import { newId } from '#server/lib/ids.ts';
import { createChannel } from '#server/providers/channels/manage-channels.ts';
import { closeAccount } from '#server/retention/close-account.ts';
import { createModel, createUser } from '#server/testing/factories.ts';
import { submitAgent } from '../../agent/submit-agent.ts';
import { cancelTask } from '../../cancel-task.ts';
import { decideFailedParts } from '../../drama/decide-failed-parts.ts';
import { dramaInput } from '../../drama/schemas.ts';
import { submitDrama } from '../../drama/submit-drama.ts';
import { createDramaRig, type DramaRig } from '../../drama/testing/drama-rig.ts';
import type { Executor } from '../../executor.ts';
import { type CompositeKind, isTerminal, type Status } from '../../status.ts';

/**
 * Agents that have a picture and a clip made, and dramas of two shots, each a picture and a clip. One child, of a drama in
 * its first shot, meets its fate. Pictures are answered at once, clips are jobs that are polled. Each has a user of its own.
 */

export type Fate = {
  name: string;
  child: 'image' | 'video';
  /** What the sandbox does to that child; `refused`: its channel cannot be reached for the first try. */
  upstream: string;
  race: 'one' | 'two' | 'cancel' | 'close';
  /** How that child may end. */
  ends: readonly Status[];
};

export type MatrixRun = {
  kind: CompositeKind;
  fate: Fate;
  userId: string;
  taskId: string;
  executors: readonly Executor[];
  /** Every task of the user that was seen terminal, with how. */
  ends: Map<string, Status>;
  /** A terminal task was seen with another status. */
  changed: string[];
  wasUncertain: boolean;
  hasActed: boolean;
  hasDecided: boolean;
};

export type MatrixRig = Awaited<ReturnType<typeof createMatrixRig>>;

const PASSWORD = 'correct horse';
export const START_CREDITS = 500;
/** Of one run; far more than any needs. */
const MOST_MS = 100_000;

export async function createMatrixRig() {
  const gates = { agent: await closedGate(), drama: await closedGate() };
  const rig = await createDramaRig({ allowHosts: Object.values(gates).map(({ host }) => host) });
  const passwordHash = await hashPassword(PASSWORD);
  const other = rig.anotherProcess();

  /** A model of pictures whose channel refuses connections until its gate is opened. */
  async function createRefused(kind: CompositeKind): Promise<string> {
    const { channelId } = await createChannel(rig.deps, {
      name: `Behind a gate (${kind})`,
      protocol: 'openai',
      baseUrl: `http://${gates[kind].host}/v1`,
      apiKey: rig.sandbox.apiKey,
      maxInFlight: 100,
      templates: [],
    });
    const { endpoint, upstreamModel, parameters, price } = rig.models.image;
    const common = { endpoint, upstreamModel, parameters, price };
    return (await createModel(rig.db, { ...common, kind: 'image', channelId })).slug;
  }
  const refused = { agent: await createRefused('agent'), drama: await createRefused('drama') };

  async function start(kind: CompositeKind, fate: Fate): Promise<MatrixRun> {
    const { id: userId } = await createUser(rig.db, { balanceCredits: START_CREDITS, passwordHash });
    const { text, video } = rig.models;
    const picture = fate.upstream === 'refused' ? refused[kind] : rig.models.image.slug;
    const { taskId } = await (kind === 'agent'
      ? submitAgent(rig.deps, {
          userId,
          model: text.slug,
          allowed: [
            { kind: 'image', model: picture },
            { kind: 'video', model: video.slug },
          ],
          budgetCredits: 60,
          maxSteps: 12,
          goal: `A picture and a clip ${directive(fate, { image: '1', video: '2' })}`,
          references: [],
          approval: 'none',
          requestKey: newId(),
        })
      : submitDrama(rig.deps, {
          ...dramaInput.parse({
            source: 'idea',
            text: `A lamp [[shots=2]] [[seconds=1]] ${directive(fate, { image: '1', video: '1.clip' })}`,
            models: { storyboard: text.slug, picture, clip: video.slug },
            shots: 2,
            titleCard: false,
            startBelowCredits: 100,
            requestKey: newId(),
          }),
          userId,
        }));
    return {
      kind,
      fate,
      userId,
      taskId,
      executors: fate.race === 'two' ? [rig.executor, other.executor] : [rig.executor],
      ends: new Map(),
      changed: [],
      wasUncertain: false,
      hasActed: false,
      hasDecided: false,
    };
  }

  return {
    ...rig,
    start,
    /** Knocks, people and time, until it has ended and its money is settled. @throws Error when it does not end */
    async drive(run: MatrixRun): Promise<void> {
      const end = Date.now() + MOST_MS;
      for (;;) {
        await knock(run);
        const tasks = await look(rig, run);
        if (tasks.every(({ isOver }) => isOver)) return;
        if (Date.now() > end) throw new Error(`It does not end: ${JSON.stringify(tasks)}`);
        await act(rig, run, { tasks, openGate: () => gates[run.kind].open(rig.sandbox.url) });
        await age(rig, run);
      }
    },
    /** Upstream goes on after the end, and is listened to as far as the product still listens. */
    async goOnAfterwards(run: MatrixRun): Promise<void> {
      await releaseAll(rig, run);
      await rig.t.sql`
        update dispatches set next_watch_at = now() where next_watch_at is not null
          and task_id in (select id from generation_tasks where user_id = ${run.userId})`;
      for (let round = 0; round < 3; round += 1) await knock(run);
      await rig.executor.run({ limit: 100, budgetMs: 30, workerId: 'watch' });
      await look(rig, run);
    },
    async close() {
      for (const gate of Object.values(gates)) gate.close();
      await rig.close();
    },
  };
}

const directive = ({ child, upstream }: Fate, places: Record<Fate['child'], string>): string =>
  upstream === '' || upstream === 'refused' ? '' : `[[child:${places[child]} ${upstream}]]`;

const knock = (run: MatrixRun) =>
  Promise.all(
    run.executors.map((executor) =>
      executor.run({ limit: 100, budgetMs: 30, workerId: 'matrix', userId: run.userId }),
    ),
  );

type Seen = {
  id: string;
  kind: string;
  status: Status;
  phase: string | null;
  waitingFor: string | null;
  /** Of the composite's step that it is the child of. */
  key: string | null;
  isOver: boolean;
};

/** The child that meets its fate. */
export const isFated = ({ kind, fate }: MatrixRun, task: { kind: string; key: string | null }): boolean =>
  task.kind === fate.child && (kind === 'agent' || /^shot:[^:]*1:/.test(task.key ?? ''));

async function look(rig: DramaRig, run: MatrixRun): Promise<Seen[]> {
  const tasks = await rig.t.sql<(Omit<Seen, 'isOver'> & { money: string | null })[]>`
    select t.id, t.kind, t.status, t.waiting_for as "waitingFor", c.phase, h.status as money, s.key
    from generation_tasks t left join composite_tasks c on c.task_id = t.id
    left join credit_holds h on h.task_id = t.id left join composite_steps s on s.child_task_id = t.id
    where t.user_id = ${run.userId} order by t.id`;
  for (const { id, kind, status } of tasks) {
    const before = run.ends.get(id);
    if (before !== undefined && before !== status) run.changed.push(`${kind} from ${before} to ${status}`);
    if (isTerminal(status)) run.ends.set(id, status);
    if (status === 'uncertain') run.wasUncertain = true;
  }
  return tasks.map(({ money, ...task }) => ({
    ...task,
    isOver: isTerminal(task.status) && (money === null || money === 'captured' || money === 'refunded'),
  }));
}

/** What people do beside the executors, each once. */
async function act(
  rig: DramaRig,
  run: MatrixRun,
  { tasks, openGate }: { tasks: readonly Seen[]; openGate(): Promise<void> },
): Promise<void> {
  const { taskId, userId, fate } = run;
  const child = tasks.find((task) => isFated(run, task));
  const composite = tasks.find(({ id }) => id === taskId);
  if (composite?.phase === 'failed_parts' && composite.waitingFor === 'user' && !run.hasDecided) {
    run.hasDecided = true;
    await decideFailedParts(rig.deps, { userId, taskId, decision: 'finish_without' });
  }
  if (run.hasActed || !child) return;
  if (fate.upstream === 'refused') {
    const tries = await rig.t
      .sql`select 1 from dispatches where task_id = ${child.id} and outcome = 'not_sent'`;
    if (tries.length === 0) return;
    run.hasActed = true;
    await openGate();
  }
  if (fate.race !== 'cancel' && fate.race !== 'close') return;
  if (child.status !== 'running' && child.status !== 'uncertain') return;
  run.hasActed = true;
  if (fate.race === 'cancel') await cancelTask(rig.deps, { userId, taskId });
  else await closeAccount(rig.deps, { userId, password: PASSWORD, limits: undefined });
  await releaseAll(rig, run);
}

/**
 * Time passes, but not for what waits for children: only their end may make that due. What nobody can know ends by its
 * policy.
 */
async function age(rig: DramaRig, { userId, fate, hasActed }: MatrixRun): Promise<void> {
  await rig.t.sql`
    update provider_channels set paused_until = null, cool_down_until = null, consecutive_failures = 0
    where paused_until is not null or cool_down_until is not null or consecutive_failures > 0`;
  await rig.t.sql`
    update generation_tasks set next_poll_at = now() where id in (
      select id from generation_tasks where user_id = ${userId} and finished_at is null and status <> 'waiting'
        and lease_until is null for no key update skip locked)`;
  const tasks = await rig.t.sql<{ id: string }[]>`select id from generation_tasks where user_id = ${userId}`;
  await runRefundBatch(rig.deps, { limit: 10, workerId: null, taskIds: tasks.map(({ id }) => id) });
  if ((fate.race === 'cancel' || fate.race === 'close') && !hasActed) return;
  await rig.t.sql`
    update generation_tasks set uncertain_until = now(), next_poll_at = now() where id in (
      select id from generation_tasks where user_id = ${userId} and status = 'uncertain' and lease_until is null
      for no key update skip locked)`;
}

async function releaseAll(rig: DramaRig, { userId }: MatrixRun): Promise<void> {
  const sent = await rig.t.sql<{ id: string }[]>`
    select d.id from dispatches d join generation_tasks t on t.id = d.task_id where t.user_id = ${userId}`;
  for (const { id } of sent) await rig.sandbox.control.release({ clientRef: id });
}

/** A port that refuses connections until it is opened; then it leads to the given address. */
async function closedGate() {
  const { port, server } = await listen(createServer(), 0);
  await new Promise((resolve) => server.close(resolve));
  let opened: Server | undefined;
  return {
    host: `127.0.0.1:${port}`,
    async open(url: string): Promise<void> {
      const through = createServer((socket) => {
        const onward = connect(Number(new URL(url).port), '127.0.0.1');
        for (const each of [socket, onward]) each.on('error', () => each.destroy());
        socket.pipe(onward).pipe(socket);
      });
      opened = (await listen(through, port)).server;
    },
    close: () => opened?.close(),
  };
}

function listen(server: Server, port: number): Promise<{ server: Server; port: number }> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve({ server, port: typeof address === 'object' && address ? address.port : port });
    });
  });
}
