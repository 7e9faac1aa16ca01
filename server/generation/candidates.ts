import type { ProviderRuntime } from '#server/providers/provider.ts';
import type { CandidateRow, ModelRow } from './model-queries.ts';
import type { Candidate, TaskSnapshot } from './schemas.ts';

/**
 * The accounts that may take a new task of this model, in the order in which they are tried: by priority, but those that
 * take no work right now (paused, cooling down) after those that do. Empty: the model cannot be used.
 */
export function usableCandidates(
  { candidates }: ModelRow,
  providers: Pick<ProviderRuntime, 'has'>,
  now: Date,
): [CandidateRow, ...CandidateRow[]] | undefined {
  const usable = candidates.filter(
    ({ channel, endpoint }) => channel.enabled && providers.has(channel.protocol, endpoint),
  );
  const [first, ...rest] = [
    ...usable.filter((candidate) => takesWork(candidate, now)),
    ...usable.filter((candidate) => !takesWork(candidate, now)),
  ];
  return first && [first, ...rest];
}

function takesWork({ channel }: CandidateRow, now: Date): boolean {
  return ![channel.pausedUntil, channel.coolDownUntil].some((until) => until !== null && until > now);
}

/** What of an account is frozen into a task. */
export function toCandidate({ channel, keyId, upstreamModel, endpoint }: CandidateRow): Candidate {
  return {
    channelId: channel.id,
    protocol: channel.protocol,
    baseUrl: channel.baseUrl,
    keyId,
    upstreamModel,
    endpoint,
    settings: channel.settings ?? undefined,
    pollPace: channel.pollPace ?? undefined,
    resultWindowSeconds: channel.resultWindowSeconds ?? undefined,
    deadlineSeconds: channel.deadlineSeconds ?? undefined,
  };
}

/** The snapshot with the next account in the place of the one that refused; null when there is none. */
export function nextCandidate(snapshot: TaskSnapshot): { channelId: string; snapshot: TaskSnapshot } | null {
  const [next, ...further] = snapshot.further ?? [];
  if (!next) return null;
  const { channelId, deadlineSeconds, ...account } = next;
  return {
    channelId,
    snapshot: {
      ...snapshot,
      settings: undefined,
      pollPace: undefined,
      resultWindowSeconds: undefined,
      ...account,
      deadlineSeconds: deadlineSeconds ?? snapshot.deadlineSeconds,
      further,
    },
  };
}
