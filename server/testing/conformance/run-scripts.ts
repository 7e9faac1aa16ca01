import { providerKeys } from '#server/db/schema/index.ts';
import { submitTask } from '#server/generation/submit-task.ts';
import { newId } from '#server/lib/ids.ts';
import { setCrashHandler } from '../crash-points.ts';
import { createChannel, createModel, createUser } from '../factories.ts';
import { createRig, type Rig } from '../rig.ts';
import { sampleMedia } from '../sample-media.ts';
import { checkLogs, settleAndCheck } from './check-run.ts';
import { act, age, look } from './pass-time.ts';
import { MOST_ROUNDS, type Problem, type Run } from './run.ts';
import { startScriptedUpstream } from './scripted-upstream.ts';
import type { Script } from './scripts.ts';
import type { WireProfile } from './wire-profile.ts';

/** Runs scripts against the real executor on a real database and holds the outcome to the invariants. */

const MAX_OUTPUT_BYTES = 200_000;
/** Nothing is due by itself: each round makes it so, and each step is one round. */
const NEVER_MS = 3_600_000;
/** Tasks that are prepared or looked at side by side: as many as there are connections. */
const AT_ONCE = 8;
const PRICE = 3;
const ORDERED = 4;

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
