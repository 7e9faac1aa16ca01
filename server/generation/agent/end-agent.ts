import { insertStep, updateStep } from '../composite/queries.ts';
import { underLease } from '../composite/start-child.ts';
import type { CompositeAction } from '../composite/step.ts';
import { insertOutput, listOutputs } from '../output-queries.ts';
import { type AgentRun, listMade } from './agent-run.ts';
import { closedStatus, END_KEY, isOpen } from './agent-step.ts';
import { cutText, storableText } from './cut-text.ts';
import type { EndReason } from './decide-next.ts';
import { describeOutput } from './describe-output.ts';
import { MAX_SUMMARY_CHARACTERS } from './read-calls.ts';

/**
 * Ends a run with what is there: its own output is the summary, the model's or ours. What nobody has decided yet is
 * skipped. The end is recorded before it is acted on, so that a second try writes the same.
 *
 * @throws CompositeLost when the lease is lost
 */
export async function endAgent(run: AgentRun, why: EndReason): Promise<CompositeAction> {
  const summary = summaryOf(run, why);
  if (summary === null) {
    await underLease(run, (tx) => closeOpen(run, tx));
    return why.type === 'cut_short'
      ? { type: 'end', to: 'failed', code: why.code, detail: why.detail }
      : { type: 'end', to: 'cancelled', reason: 'Stopped before anything was made.' };
  }
  await recordEnd(run, why, summary);
  await keepSummary(run, summary);
  const reason = why.type === 'cut_short' ? why.detail : undefined;
  return { type: 'end', to: 'succeeded', ...(reason === undefined ? {} : { reason }) };
}

/** Null: nothing was made and nothing was said. */
function summaryOf(run: AgentRun, why: EndReason): string | null {
  if (why.type === 'finished' || why.type === 'said') {
    return cutText(storableText(why.summary), MAX_SUMMARY_CHARACTERS);
  }
  const made = listMade(run);
  if (made.length === 0) return null;
  const first = why.type === 'stopped' ? 'Stopped with what is there.' : why.detail;
  return [first, 'This was made:', ...made.map((output) => `- ${describeOutput(output)}`)].join('\n');
}

async function recordEnd(run: AgentRun, why: EndReason, summary: string): Promise<void> {
  const { taskId } = run.lease;
  await underLease(run, async (tx) => {
    if (why.type === 'finished') {
      await updateStep(tx, {
        taskId,
        key: why.key,
        from: ['planned'],
        to: 'done',
        result: { told: 'Finished.' },
      });
    } else {
      await insertStep(tx, {
        taskId,
        key: END_KEY,
        kind: 'finish',
        status: 'done',
        input: { turn: 0, index: 0, tool: 'finish', hash: END_KEY, summary },
      });
    }
    await closeOpen(run, tx);
  });
}

/** What nobody decided or started is skipped; what has a child is what became of it. */
async function closeOpen(run: AgentRun, tx: Parameters<typeof updateStep>[0]): Promise<void> {
  for (const step of run.agentSteps.filter(isOpen)) {
    const child = step.childTaskId === null ? undefined : run.children.get(step.childTaskId);
    await updateStep(tx, {
      taskId: run.lease.taskId,
      key: step.key,
      from: ['planned', 'awaiting', 'running'],
      to: closedStatus(child),
    });
  }
}

/** Stores the summary as the run's own output, once: a second try finds the first one's. */
async function keepSummary(run: AgentRun, summary: string): Promise<void> {
  const { deps, lease, signal } = run;
  const { taskId } = lease;
  if ((await listOutputs(deps.db, taskId)).length > 0) return;
  const stored = await deps.storeOutput(deps.storage, {
    key: `outputs/${taskId}/0-${lease.token}`,
    kind: 'text',
    source: oneChunk(summary),
    maxBytes: deps.config.maxOutputBytes,
    signal,
  });
  if (stored.type === 'invalid') throw new Error(`A summary cannot be stored: ${stored.message}`);
  await underLease(run, (tx) =>
    insertOutput(tx, { ...stored.output, taskId, ordinal: 0, kind: 'text', late: false }),
  );
}

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
