import { eq, inArray, sql } from 'drizzle-orm';
import { runRefundBatch } from '#server/billing/run-refund-batch.ts';
import { dispatches, generationTasks, outputs, providerKeys, users } from '#server/db/schema/index.ts';
import { cancelTask } from '#server/generation/cancel-task.ts';
import { wakeTask } from '#server/generation/lease-queries.ts';
import { readTask } from '#server/generation/read-tasks.ts';
import { isTerminal, VOID_OUTCOMES } from '#server/generation/status.ts';
import { submitTask } from '#server/generation/submit-task.ts';
import { newId } from '#server/lib/ids.ts';
import { setCrashHandler } from '../crash-points.ts';
import { createChannel, createModel, createUser } from '../factories.ts';
import { createRig, type Rig } from '../rig.ts';
import { sampleMedia } from '../sample-media.ts';
import { allowedEnds, chargeOf } from './expectations.ts';
import { type Play, startScriptedUpstream } from './scripted-upstream.ts';
import type { Script } from './scripts.ts';
import type { WireProfile } from './wire-profile.ts';

/** Runs scripts against the real executor on a real database and holds the outcome to the invariants. */

const MAX_OUTPUT_BYTES = 200_000;
/** Nothing is due by itself: each round makes it so, and each step is one round. */
const NEVER_MS = 3_600_000;
/** Rounds after which a task must have ended: each ages what it waits for. */
const MOST_ROUNDS = 60;
/** Tasks that are prepared or looked at side by side: as many as there are connections. */
const AT_ONCE = 8;
const PRICE = 3;
const ORDERED = 4;

type Run = {
  profile: WireProfile;
  script: Script;
  play: Play;
  userId: string;
  taskId: string;
  channelId: string;
  heldCredits: number;
  ordered: number;
  /** Rounds in which the task was uncertain. */
  uncertainRounds: number;
  status: string;
  endedInRound: number | undefined;
  cancelled: boolean;
};

/** What broke an invariant; without a profile: of all together. */
export type Problem = { profile: string; text: string };

export async function createConformance() {
  const media = await sampleMedia();
  const upstream = await startScriptedUpstream(media);
  const rig = await createRig({
    config: {
      maxOutputBytes: MAX_OUTPUT_BYTES,
      pollFirstMs: NEVER_MS,
      pollCapMs: NEVER_MS,
      retryBaseMs: NEVER_MS,
      retryCapMs: NEVER_MS,
      slots: { poll: 64, create: 32, transfer: 16, compose: 1 },
    },
    allowHosts: [upstream.host],
  });
  // Pictures of results are nobody's promise, and cost more than all the rest.
  rig.deps.makePreview = async () => undefined;
  const second = rig.anotherProcess();
  second.deps.makePreview = rig.deps.makePreview;

  async function start(profile: WireProfile, script: Script): Promise<Run> {
    const ordered = profile.manyOutputs ? ORDERED : 1;
    const play = upstream.play(profile, script, ordered);
    const { id: channelId } = await createChannel(rig.db, {
      protocol: profile.protocol,
      baseUrl: play.baseUrl,
      settings: profile.settings,
    });
    await rig.db.insert(providerKeys).values({
      id: newId(),
      channelId,
      ...rig.deps.keyRing.seal(profile.apiKey, channelId),
      hint: '••••',
    });
    const model = await createModel(rig.db, {
      channelId,
      kind: profile.kind,
      endpoint: profile.endpoint,
      upstreamModel: profile.model,
      parameters: parametersOf(profile),
      price: profile.manyOutputs ? { unit: 'output', credits: PRICE } : { unit: 'call', credits: PRICE },
    });
    const { id: userId } = await createUser(rig.db, { balanceCredits: 100 });
    const { taskId } = await submitTask(rig.deps, {
      userId,
      kind: profile.kind,
      model: model.slug,
      prompt: 'a lighthouse',
      params: profile.manyOutputs ? { n: ordered } : {},
      references: [],
      requestKey: newId(),
    });
    return {
      profile,
      script,
      play,
      userId,
      taskId,
      channelId,
      ordered,
      heldCredits: PRICE * ordered,
      uncertainRounds: 0,
      status: 'queued',
      endedInRound: undefined,
      cancelled: false,
    };
  }

  /** Runs them side by side; every knock serves all. Returns what broke an invariant, by the profile's name. */
  async function runAll(items: readonly { profile: WireProfile; script: Script }[]): Promise<Problem[]> {
    const problems: Problem[] = [];
    const runs = await inParallel(items, ({ profile, script }) => start(profile, script));
    const crashes = installCrashes(runs);
    try {
      for (let round = 0; round < MOST_ROUNDS; round += 1) {
        const live = runs.filter((run) => run.endedInRound === undefined);
        if (live.length === 0) break;
        await inParallel(live, (run) => act(rig, run, round));
        await age(rig, live);
        await knock(live);
        await look(rig, live, round);
      }
    } finally {
      crashes.stop();
    }
    const found = await inParallel(runs, (run) => settleAndCheck(rig, run));
    for (const [index, run] of runs.entries())
      for (const text of found[index] ?? [])
        problems.push({ profile: run.profile.name, text: `${run.script.name}: ${text}` });
    for (const mismatch of await rig.audit())
      problems.push({ profile: '', text: `the ledger: ${JSON.stringify(mismatch)}` });
    problems.push(...crashes.unmet(), ...checkLogs(rig, items));
    return problems;
  }

  /** One knock each, and then on until no step is under way: whatever is leased after that has lost its holder. */
  async function knock(live: readonly Run[]): Promise<void> {
    const two = live.some((run) => run.script.actor === 'two_workers');
    const executors = [rig.executor, ...(two ? [second.executor] : [])];
    for (const run of live) if (run.script.actor === 'kick') rig.executor.kick([run.taskId]);
    await Promise.all(
      executors.map((executor, index) =>
        executor.run({ limit: 500, budgetMs: 60_000, workerId: `worker-${index}` }).catch(() => undefined),
      ),
    );
    while (executors.some(isBusy)) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  return {
    runAll,
    async close() {
      await rig.close();
      await upstream.close();
    },
  };
}

const isBusy = (executor: Rig['executor']): boolean =>
  Object.values(executor.stats().inFlight).some((count) => count > 0);

async function inParallel<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE)
    results.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(run))));
  return results;
}

function parametersOf(profile: WireProfile) {
  return {
    ...(profile.manyOutputs
      ? { n: { type: 'integer' as const, label: 'Number', minimum: 1, maximum: 4, default: 1 } }
      : {}),
    ...Object.fromEntries(
      Object.entries(profile.params ?? {}).map(([name, value]) => [
        name,
        { type: 'choice' as const, label: name, options: [String(value)], default: String(value) },
      ]),
    ),
  };
}

/** An exception at the point of the script, once for each task that is to meet it. */
function installCrashes(runs: readonly Run[]): { stop(): void; unmet(): Problem[] } {
  const left = new Map<string, number>();
  for (const { script } of runs) if (script.crash) left.set(script.crash, (left.get(script.crash) ?? 0) + 1);
  if (left.size > 0) {
    setCrashHandler((name) => {
      const more = left.get(name) ?? 0;
      if (more === 0) return;
      left.set(name, more - 1);
      throw new Error(`crash at ${name}`);
    });
  }
  return {
    stop: () => setCrashHandler(undefined),
    unmet: () =>
      [...left]
        .filter(([, more]) => more > 0)
        .map(([name, more]) => ({ profile: '', text: `${more} scripts never came to ${name}` })),
  };
}

/** What somebody does beside the workers. */
async function act(rig: Rig, run: Run, round: number): Promise<void> {
  const { actor } = run.script;
  if (actor === 'hint') await wakeTask(rig.db, run.taskId);
  if (actor === 'disable_user' && round === 1)
    await rig.db.update(users).set({ disabledAt: new Date() }).where(eq(users.id, run.userId));
  const cancels =
    (actor === 'cancel_unsent' && round === 0) ||
    (actor === 'cancel' && round >= 1 && run.status !== 'queued');
  if (!cancels || run.cancelled) return;
  await cancelTask(rig.deps, { userId: run.userId, taskId: run.taskId }).catch(() => undefined);
  run.cancelled = true;
}

/** Time passes: due times, pauses, graces, deadlines, and at last the policy's end. */
async function age(rig: Rig, live: readonly Run[]): Promise<void> {
  const ids = live.map((run) => run.taskId);
  const { sql: query } = rig.t;
  await query`update provider_channels set paused_until = null, cool_down_until = null, consecutive_failures = 0`;
  // Rows that a worker has locked just now are left for the next round: two bulk updates in different orders deadlock.
  await query`
    update generation_tasks set next_poll_at = now() where id in (
      select id from generation_tasks where id = any(${ids}) and finished_at is null and lease_until is null
      for no key update skip locked)`;
  // No step is under way, so its holder was stopped by a crash point: its lease runs out.
  await query`
    update generation_tasks set lease_until = now() - interval '1 second', next_poll_at = now() where id in (
      select id from generation_tasks
      where id = any(${ids}) and finished_at is null and lease_until is not null
      for no key update skip locked)`;
  const late = live.filter(
    (run) => run.script.polls.at(-1) === 'missing' || run.script.polls.at(-1) === 'running',
  );
  await query`
    update generation_tasks set accepted_at = accepted_at - interval '10 minutes'
    where id = any(${late.map((run) => run.taskId)}) and accepted_at is not null`;
  await query`
    update generation_tasks set deadline_at = now() - interval '1 second'
    where id = any(${late.map((run) => run.taskId)}) and status = 'running' and poll_count >= 3`;
  const refused = live.filter((run) => run.script.create === 'refused_port');
  await query`
    update generation_tasks set give_up_at = now() - interval '1 second'
    where id = any(${refused.map((run) => run.taskId)}) and status = 'queued' and create_tries >= 2`;
  const unknown = live.filter((run) => run.status === 'uncertain');
  await query`
    update dispatches set sent_at = sent_at - interval '1 hour' where task_id = any(${unknown.map((run) => run.taskId)})`;
  const hopeless = unknown.filter((run) => run.uncertainRounds >= 4).map((run) => run.taskId);
  await query`update generation_tasks set uncertain_until = now() where id = any(${hopeless}) and status = 'uncertain'`;
  await query`
    update credit_refunds set next_attempt_at = now(), lease_until = null, leased_by = null
    where task_id = any(${ids}) and status = 'pending' and lease_until is not null`;
}

async function look(rig: Rig, live: readonly Run[], round: number): Promise<void> {
  const rows = await rig.db
    .select({ id: generationTasks.id, status: generationTasks.status })
    .from(generationTasks)
    .where(
      inArray(
        generationTasks.id,
        live.map((run) => run.taskId),
      ),
    );
  for (const run of live) {
    run.status = rows.find((row) => row.id === run.taskId)?.status ?? '';
    if (run.status === 'uncertain') run.uncertainRounds += 1;
    if (isTerminal(run.status as never)) run.endedInRound = round;
  }
}

async function settleAndCheck(rig: Rig, run: Run): Promise<string[]> {
  if (run.endedInRound === undefined) return [`it has not ended: ${run.status} after ${MOST_ROUNDS} rounds`];
  await rig.t.sql`update credit_refunds set next_attempt_at = now(), lease_until = null, leased_by = null
    where task_id = ${run.taskId} and status = 'pending'`;
  await runRefundBatch(rig.deps, { limit: 10, workerId: null, taskIds: [run.taskId] });
  const before = await readTask(rig.deps, { userId: run.userId, taskId: run.taskId });
  if (run.script.afterwards) await contradict(rig, run);
  const view = await readTask(rig.deps, { userId: run.userId, taskId: run.taskId });
  const problems: string[] = [];
  const expect = (holds: boolean, text: string) => {
    if (!holds) problems.push(text);
  };
  expect(before.status === view.status, `its status changed from ${before.status} to ${view.status}`);
  expect(
    JSON.stringify(before.money) === JSON.stringify(view.money),
    `money moved after the end: ${JSON.stringify([before.money, view.money])}`,
  );
  const ends = allowedEnds(run);
  expect(
    ends.includes(view.status as never),
    `it ended ${view.status} (${view.failure?.code ?? ''}), not ${ends.join(' or ')}: ${view.events.map((event) => event.text).join(' | ')}`,
  );
  problems.push(...(await checkUpstream(rig, run)));
  problems.push(...(await checkMoney(rig, run, view)));
  problems.push(...(await checkOutputs(rig, run, view)));
  problems.push(...(await checkSecrets(rig, run, view)));
  return problems;
}

/** Upstream goes on talking after the end, and is listened to as far as the product still listens. */
async function contradict(rig: Rig, run: Run): Promise<void> {
  run.play.say(run.script.afterwards ?? 'running');
  await rig.t
    .sql`update dispatches set next_watch_at = now() where task_id = ${run.taskId} and next_watch_at is not null`;
  for (let round = 0; round < 3; round += 1)
    await rig.executor.run({ limit: 100, budgetMs: 50, workerId: 'one' }).catch(() => undefined);
}

async function checkUpstream(rig: Rig, run: Run): Promise<string[]> {
  const problems: string[] = [];
  const byRef = new Map<string, number>();
  for (const { ref } of run.play.creates) byRef.set(ref, (byRef.get(ref) ?? 0) + 1);
  for (const [ref, count] of byRef) if (count > 1) problems.push(`${count} creates for the dispatch ${ref}`);
  const accepted = run.play.creates.filter((create) => create.accepted).length;
  if (accepted > 1) problems.push(`${accepted} jobs upstream`);
  const rows = await rig.db.select().from(dispatches).where(eq(dispatches.taskId, run.taskId));
  const known = new Set(rows.map((row) => row.id));
  for (const ref of byRef.keys())
    if (!known.has(ref)) problems.push(`a create without a dispatch row: ${ref}`);
  const open = rows.filter(
    (row) => row.outcome === null || !(VOID_OUTCOMES as readonly string[]).includes(row.outcome),
  );
  if (open.length > 1) problems.push(`${open.length} dispatches may have started work`);
  return problems;
}

type View = Awaited<ReturnType<typeof readTask>>;

async function checkMoney(rig: Rig, run: Run, view: View): Promise<string[]> {
  const { money } = view;
  const [account] = await rig.t.sql<{ balance: string }[]>`
    select balance_credits as balance from credit_accounts where user_id = ${run.userId}`;
  const charge = view.status === 'succeeded' ? chargeOf(run, view.outputs.length) : 0;
  const states = view.status === 'succeeded' ? ['charged', 'partly_charged'] : ['refunded'];
  const kept = view.status === 'cancelled' && view.outputs.length > 0;
  if (kept) return [];
  const problems: string[] = [];
  if (!states.includes(money.state)) problems.push(`its money is ${money.state}`);
  if (money.chargedCredits !== charge) problems.push(`charged ${money.chargedCredits}, not ${charge}`);
  if (Number(account?.balance) !== 100 - charge)
    problems.push(`the balance is ${account?.balance}, not ${100 - charge}`);
  return problems;
}

async function checkOutputs(rig: Rig, run: Run, view: View): Promise<string[]> {
  const rows = await rig.db.select().from(outputs).where(eq(outputs.taskId, run.taskId));
  const problems: string[] = [];
  if (view.status === 'succeeded' && rows.length === 0) problems.push('success without an output');
  for (const row of rows) {
    const { stream } = await rig.deps.storage.open(row.storageKey);
    let bytes = 0;
    for await (const chunk of stream) bytes += chunk.byteLength;
    if (bytes === 0 || bytes !== row.bytes)
      problems.push(`an output of ${bytes} bytes, recorded as ${row.bytes}`);
    if (row.kind !== run.profile.kind) problems.push(`an output of the kind ${row.kind}`);
    if (run.profile.kind !== 'text' && !row.mime.startsWith(`${run.profile.kind}/`))
      problems.push(`an output of type ${row.mime}`);
  }
  return problems;
}

/** Nothing of the account's key in what users see, in events or in the database's texts. */
async function checkSecrets(rig: Rig, run: Run, view: View): Promise<string[]> {
  const rows = await rig.db.execute(sql`
    select d.raw_result::text as raw, d.failure_detail, d.failure_message, d.artefacts::text as artefacts,
      (select json_agg(x) from dispatches x where x.task_id = d.task_id)::text as dispatches
    from generation_task_details d where d.task_id = ${run.taskId}`);
  return showsKey(run.profile, `${JSON.stringify(view)} ${JSON.stringify(rows)}`)
    ? ['the key of the channel shows up']
    : [];
}

function checkLogs(rig: Rig, items: readonly { profile: WireProfile }[]): Problem[] {
  const lines = JSON.stringify(rig.logs);
  return [...new Set(items.map(({ profile }) => profile))]
    .filter((profile) => showsKey(profile, lines))
    .map(({ name }) => ({ profile: name, text: 'the key of the channel is in the log' }));
}

function showsKey({ apiKey }: WireProfile, text: string): boolean {
  return [apiKey, ...apiKey.split(':')].some((part) => part.length >= 12 && text.includes(part));
}
