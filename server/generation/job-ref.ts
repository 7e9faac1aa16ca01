import type { PollRef } from '#server/providers/provider.ts';
import type { DetailsRow } from './claim-queries.ts';

/** How to ask for a task's job of which only the id is known, from an operator or a report. */
export function jobRef({ snapshot, conversation }: DetailsRow, upstreamId: string): PollRef {
  return {
    id: upstreamId,
    endpoint: snapshot.endpoint,
    model: snapshot.upstreamModel,
    ...(conversation ? { conversation: true as const } : {}),
  };
}
