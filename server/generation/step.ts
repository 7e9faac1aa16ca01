import type { Deps } from '#server/deps.ts';
import type { ArtefactRef, ChannelAccess, LookupQuery } from '#server/providers/provider.ts';
import type { ClaimedTask, DetailsRow, DispatchRow } from './claim-queries.ts';
import type { Lease } from './event-queries.ts';
import type { PollSave } from './lease-queries.ts';
import { archiveWindowMs, type Pace } from './poll-schedule.ts';
import type { Status } from './status.ts';

/** One leased task on its way through one step. */
export type Step = {
  deps: Deps;
  claimed: ClaimedTask;
  lease: Lease;
  /** Aborted when the lease is lost or the process drains. A create call ignores it: its answer is evidence. */
  signal: AbortSignal;
  /** Tells the executor that a create call is in flight: such a row is never released by a drain. */
  setCreating(creating: boolean): void;
  /** Releases a polled row through the bulk writer; false when the lease was lost. */
  savePoll(save: PollSave): Promise<boolean>;
};

/** Where a step left its task: a status, `same` (released unchanged), or `lost` (nothing was written). */
export type StepResult = {
  to: Status | 'same' | 'lost';
  /** When the next step is due, in milliseconds from now, where the step knows; waiting lanes are told. */
  dueInMs?: number;
};

export const LOST: StepResult = { to: 'lost' };
/** Released without a change of status. */
export const same = (dueInMs: number): StepResult => ({ to: 'same', dueInMs });

/** The account of the task's snapshot with its key opened. @throws Error (no secret in it) when the key cannot be opened */
export function openAccess(step: Pick<Step, 'deps' | 'claimed'>): ChannelAccess {
  const { claimed, deps } = step;
  const { snapshot } = claimed.details;
  const apiKey = claimed.key ? deps.keyRing.open(claimed.key, claimed.key.channelId) : '';
  return { protocol: snapshot.protocol, baseUrl: snapshot.baseUrl, apiKey, settings: snapshot.settings };
}

/** What an adapter needs to look for the job of a dispatch whose answer is not known. */
export function lookupQuery(details: DetailsRow, dispatch: DispatchRow): LookupQuery {
  return {
    clientRef: dispatch.id,
    endpoint: details.snapshot.endpoint,
    model: details.snapshot.upstreamModel,
    prompt: details.prompt,
    sentAt: dispatch.sentAt ?? dispatch.createdAt,
  };
}

/** How often this task's job is polled: its channel's pace, or the server's own; never faster than the vendor allows. */
export function pollPaceOf({ deps, claimed }: Pick<Step, 'deps' | 'claimed'>): {
  pace: Pace;
  leastMs: number;
} {
  const { pollPace, protocol } = claimed.details.snapshot;
  const { minPollMs } = deps.providers.traits(protocol);
  if (!pollPace) return { pace: deps.config, leastMs: minPollMs };
  return {
    pace: { ...deps.config, pollFirstMs: pollPace.firstMs, pollCapMs: pollPace.capMs },
    leastMs: minPollMs,
  };
}

/** How long the results of this task stay readable upstream. */
export function resultWindowMs(
  { deps, claimed }: { deps: Pick<Deps, 'providers'>; claimed: { details: DetailsRow } },
  artefacts: readonly ArtefactRef[],
): number {
  const { resultWindowSeconds, protocol } = claimed.details.snapshot;
  const upstreamMs = resultWindowSeconds
    ? resultWindowSeconds * 1000
    : deps.providers.traits(protocol).resultWindowMs;
  return archiveWindowMs(upstreamMs, artefacts);
}
