import { eq, sql } from 'drizzle-orm';
import { runRefundBatch } from '#server/billing/run-refund-batch.ts';
import { dispatches, outputs } from '#server/db/schema/index.ts';
import { readTask } from '#server/generation/read-tasks.ts';
import { VOID_OUTCOMES } from '#server/generation/status.ts';
import type { Rig } from '../rig.ts';
import { allowedEnds, chargeOf } from './expectations.ts';
import { MOST_ROUNDS, type Problem, type Run } from './run.ts';
import type { WireProfile } from './wire-profile.ts';

/** The invariants that hold after every script. */

export async function settleAndCheck(rig: Rig, run: Run): Promise<string[]> {
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
  expect(
    !isPlain(run) || run.uncertainRounds === 0,
    'it was uncertain although upstream had always told enough',
  );
  problems.push(...(await checkUpstream(rig, run)));
  problems.push(...(await checkMoney(rig, run, view)));
  problems.push(...(await checkOutputs(rig, run, view)));
  problems.push(...(await checkSecrets(rig, run, view)));
  return problems;
}

/** Its create was answered and its job has come to an end: what lies between is no reason to doubt. */
function isPlain({ profile, script }: Run): boolean {
  // Bytes in the answer that are none of its kind prove nothing about the job.
  if (profile.synchronous && script.media !== 'ok') return false;
  const isTaken = script.create === 'accept' || script.create === 'rate_limit_once';
  const last = script.polls.at(-1);
  return isTaken && !script.crash && last !== 'missing' && last !== 'running';
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

export function checkLogs(rig: Rig, items: readonly { profile: WireProfile }[]): Problem[] {
  const lines = JSON.stringify(rig.logs);
  return [...new Set(items.map(({ profile }) => profile))]
    .filter((profile) => showsKey(profile, lines))
    .map(({ name }) => ({ profile: name, text: 'the key of the channel is in the log' }));
}

function showsKey({ apiKey }: WireProfile, text: string): boolean {
  return [apiKey, ...apiKey.split(':')].some((part) => part.length >= 12 && text.includes(part));
}
