import type { Deps } from '#server/deps.ts';
import { listManualRefunds, listUncertain } from './attention-queries.ts';
import type { AttentionView } from './schemas.ts';

const MOST = 200;

/** What waits for a person: tasks whose outcome is unknown, and refunds that could not be posted. */
export async function readAttention(deps: Deps): Promise<AttentionView> {
  const [uncertain, refunds] = await Promise.all([
    listUncertain(deps.db, MOST + 1),
    listManualRefunds(deps.db, MOST + 1),
  ]);
  return {
    hasMore: uncertain.length > MOST || refunds.length > MOST,
    uncertain: uncertain.slice(0, MOST).map(({ task, snapshot, userEmail, channelName, dispatch }) => ({
      taskId: task.id,
      parentId: task.parentId,
      kind: task.kind,
      modelTitle: snapshot.modelTitle,
      upstreamModel: snapshot.upstreamModel,
      channelName,
      protocol: snapshot.protocol,
      userEmail,
      heldCredits: snapshot.holdCredits,
      reason: task.uncertainReason ?? 'no_answer',
      sentAt: dispatch?.sentAt ?? null,
      until: task.uncertainUntil,
      clientRef: dispatch?.id ?? null,
      upstreamId: dispatch?.upstreamId ?? null,
      isLookedUp: dispatch?.outcome === null && deps.providers.canLookup(snapshot.protocol),
      mayReport:
        deps.config.publicOrigin !== undefined &&
        deps.providers.mayReport(snapshot.protocol, snapshot.endpoint),
    })),
    refunds: refunds.slice(0, MOST),
  };
}
