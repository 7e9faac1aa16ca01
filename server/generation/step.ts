import type { Deps } from '#server/deps.ts';
import type { ChannelAccess } from '#server/providers/provider.ts';
import type { ClaimedTask } from './claim-queries.ts';
import type { Lease } from './event-queries.ts';
import type { PollSave } from './lease-queries.ts';
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
  return { protocol: snapshot.protocol, baseUrl: snapshot.baseUrl, apiKey };
}
