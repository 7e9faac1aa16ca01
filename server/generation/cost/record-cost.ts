import type { Tx } from '#server/db/client.ts';
import type { Usage } from '#server/providers/provider.ts';
import type { DispatchRow, TaskRow } from '../claim-queries.ts';
import { listOutputs } from '../output-queries.ts';
import type { TaskSnapshot } from '../schemas.ts';
import { costOf, freezeCost, orderedMicros } from './cost-of.ts';
import { readCost, saveCost } from './queries.ts';
import { costRule } from './schemas.ts';

type CostColumns = Pick<DispatchRow, 'costTerms' | 'costCurrency' | 'costOrderedMicros'>;

/** What upstream will take for a dispatch that is being opened, frozen: later changes of the rule never change it. */
export async function costColumns(
  tx: Tx,
  order: { task: TaskRow; snapshot: TaskSnapshot; params: Record<string, unknown> },
): Promise<CostColumns | undefined> {
  const { task, snapshot, params } = order;
  const { modelId, channelId } = task;
  const rule = costRule.safeParse(
    await readCost(tx, { modelId, channelId, upstreamModel: snapshot.upstreamModel }),
  );
  if (!rule.success) return undefined;
  const terms = freezeCost(rule.data, {
    params,
    outputs: snapshot.orderedOutputs,
    seconds: secondsOf(snapshot, params),
  });
  return { costTerms: terms, costCurrency: terms.currency, costOrderedMicros: orderedMicros(terms) };
}

/** Of each output. A price that counts no seconds may stand beside a cost that does. */
function secondsOf({ orderedSeconds }: TaskSnapshot, { seconds }: Record<string, unknown>): number {
  const asked = Number(seconds);
  return orderedSeconds ?? (Number.isSafeInteger(asked) && asked > 0 ? asked : 1);
}

/**
 * Writes what upstream took for a job whose end it has told, in the transaction that ends the task. An outcome that
 * nobody knows is not given here: it stays what is possibly spent.
 */
export async function recordCost(
  tx: Tx,
  dispatch: DispatchRow | null,
  /** Results that upstream named, and what it says with its last word beside what it said before. */
  told: { artefacts: number; usage?: Usage },
): Promise<void> {
  if (!dispatch?.costTerms || dispatch.costMicros !== null) return;
  const stored = await listOutputs(tx, dispatch.taskId);
  const cost = costOf(dispatch.costTerms, {
    outputs: Math.max(stored.length, told.artefacts),
    stored: stored.map(({ durationMs }) => (durationMs === null ? null : durationMs / 1_000)),
    usage: told.usage ?? dispatch.usage,
  });
  if (cost) await saveCost(tx, dispatch.id, cost);
}
