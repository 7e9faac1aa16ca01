import { VOID_OUTCOMES } from '../../status.ts';
import { isFated, type MatrixRig, type MatrixRun, START_CREDITS } from './matrix-rig.ts';

/** What holds after every script, whatever was done to it; every sentence is a broken promise. */

type TaskRow = {
  id: string;
  kind: string;
  status: string;
  isChild: boolean;
  key: string | null;
  source: string | null;
  held: number;
  captured: number;
  returned: number;
  finishedAt: Date;
};

export async function findBroken(rig: MatrixRig, run: MatrixRun): Promise<string[]> {
  const tasks = await rig.t.sql<TaskRow[]>`
    select t.id, t.kind, t.status, t.parent_id is not null as "isChild", s.key, h.source, t.finished_at as "finishedAt",
      coalesce(h.amount_credits, 0)::int as held, coalesce(h.captured_credits, 0)::int as captured,
      coalesce(h.returned_credits, 0)::int as returned
    from generation_tasks t left join credit_holds h on h.task_id = t.id
    left join composite_steps s on s.child_task_id = t.id where t.user_id = ${run.userId} order by t.id`;
  return [
    ...checkEnds(run, tasks),
    ...(await checkCreates(rig, run)),
    ...(await checkMoney(rig, run, tasks)),
    ...(await checkFiles(rig, run, tasks)),
    ...(await checkSecrets(rig, run)),
  ];
}

function checkEnds(run: MatrixRun, tasks: readonly TaskRow[]): string[] {
  const problems = run.changed.map((change) => `a terminal task changed: ${change}`);
  const composite = tasks.find(({ id }) => id === run.taskId);
  const children = tasks.filter(({ isChild }) => isChild);
  const made = children.filter((task) => isFated(run, task));
  if (made.length !== 1) problems.push(`${made.length} children of the kind ${run.fate.child} for one step`);
  for (const { kind, status } of made) {
    if (!run.fate.ends.includes(status as never))
      problems.push(`its ${kind} ended ${status}, not ${run.fate.ends.join(' or ')}`);
  }
  // Both go on with what is there when a part of them fails.
  const wanted = ['cancel', 'close'].includes(run.fate.race) ? 'cancelled' : 'succeeded';
  if (composite?.status !== wanted)
    problems.push(`the ${run.kind} ended ${composite?.status}, not ${wanted}`);
  for (const { kind, finishedAt } of children) {
    if (composite && finishedAt > composite.finishedAt) problems.push(`it ended before its ${kind}`);
  }
  return problems;
}

async function checkCreates(rig: MatrixRig, { userId }: MatrixRun): Promise<string[]> {
  const rows = await rig.t.sql<{ id: string; taskId: string; kind: string; outcome: string | null }[]>`
    select d.id, d.task_id as "taskId", t.kind, d.outcome from dispatches d
    join generation_tasks t on t.id = d.task_id where t.user_id = ${userId}`;
  const problems: string[] = [];
  const started = new Set<string>();
  const jobs = new Map<string, number>();
  for (const { id, taskId, kind, outcome } of rows) {
    const { received, recorded } = await rig.sandbox.control.createsOf(id);
    if (received > 1) problems.push(`${received} creates for one dispatch of its ${kind}`);
    const ofTask = (jobs.get(taskId) ?? 0) + recorded;
    jobs.set(taskId, ofTask);
    if (recorded > 0 && ofTask > 1) problems.push(`${ofTask} jobs upstream for its ${kind}`);
    if ((VOID_OUTCOMES as readonly (string | null)[]).includes(outcome)) continue;
    if (started.has(taskId)) problems.push(`two dispatches of its ${kind} may have started work`);
    started.add(taskId);
  }
  return problems;
}

async function checkMoney(rig: MatrixRig, run: MatrixRun, tasks: readonly TaskRow[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { kind, status, held, captured, returned } of tasks) {
    if (captured + returned !== held)
      problems.push(`its ${kind} holds ${held - captured - returned} credits`);
    if (status !== 'succeeded' && kind !== run.kind && captured > 0)
      problems.push(`its ${kind} ended ${status} and was charged ${captured}`);
  }
  const ofBudget = tasks.filter(({ source }) => source === 'parent');
  const spent = ofBudget.reduce((sum, { captured }) => sum + captured, 0);
  const composite = tasks.find(({ id }) => id === run.taskId);
  if (composite?.captured !== spent)
    problems.push(`its children were charged ${spent}, it was charged ${composite?.captured}`);
  const fromBalance = tasks.filter(({ source }) => source === 'balance');
  const charged = fromBalance.reduce((sum, { captured }) => sum + captured, 0);
  const balance = Number((await rig.balance(run.userId)).balanceCredits);
  if (balance !== START_CREDITS - charged)
    problems.push(`the balance is ${balance}, not ${START_CREDITS - charged}`);
  const entries = await rig.t.sql<{ kind: string }[]>`
    select kind from credit_ledger where task_id = ${run.taskId} order by id`;
  const settlements = entries.filter(({ kind }) => kind !== 'hold').length;
  if (entries.length - settlements > 1 || settlements > 1)
    problems.push(`its budget was settled by ${entries.map(({ kind }) => kind).join(', ')}`);
  return problems;
}

async function checkFiles(rig: MatrixRig, run: MatrixRun, tasks: readonly TaskRow[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { id, kind, status } of tasks) {
    const files = await rig.t.sql<{ kind: string; mime: string; bytes: number; key: string }[]>`
      select kind, mime, bytes::int as bytes, storage_key as key from outputs where task_id = ${id} order by ordinal`;
    if (status === 'succeeded' && files.length === 0) problems.push(`its ${kind} succeeded without a file`);
    if (kind === 'drama' && status === 'succeeded' && files.length !== 4)
      problems.push(`its film has ${files.length} files`);
    // Files of closed accounts are erased when their time comes.
    if (run.fate.race === 'close') continue;
    for (const file of files) {
      const { stream } = await rig.deps.storage.open(file.key);
      const size = (await stream.toArray()).reduce((sum: number, chunk: Buffer) => sum + chunk.byteLength, 0);
      if (size === 0 || size !== file.bytes)
        problems.push(`a file of ${size} bytes, recorded as ${file.bytes}`);
      if (file.kind !== 'text' && !file.mime.startsWith(`${file.kind}/`))
        problems.push(`a ${file.kind} of type ${file.mime}`);
      if ((kind === 'image' || kind === 'video') && file.kind !== kind)
        problems.push(`its ${kind} has a file of the kind ${file.kind}`);
    }
  }
  return problems;
}

/** The channel's key is in nothing that users or administrators are shown, and in no log. */
async function checkSecrets(rig: MatrixRig, { userId }: MatrixRun): Promise<string[]> {
  const rows = await rig.t.sql`
    select d.raw_result, d.failure_detail, d.failure_message, d.artefacts, s.result,
      (select json_agg(e) from generation_task_events e where e.task_id = t.id) as events
    from generation_tasks t join generation_task_details d on d.task_id = t.id
    left join composite_steps s on s.task_id = t.id where t.user_id = ${userId}`;
  const shown = JSON.stringify([rows, rig.logs]);
  return shown.includes(rig.sandbox.apiKey) ? ['the key of the channel shows up'] : [];
}
