import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { isTerminal } from '../status.ts';
import { type ClaimFacts, readClaimFacts } from './explain-queries.ts';
import type { TaskCheck, TaskExplanation } from './schemas.ts';

/**
 * Why a task is claimed now, or is not: each predicate of the claim that counts for its status, with what it compared.
 * Null for a task that has ended.
 *
 * @throws AppError `not_found`
 */
export async function explainTask(
  deps: Pick<Deps, 'db' | 'config'>,
  taskId: string,
): Promise<TaskExplanation | null> {
  const facts = await readClaimFacts(deps.db, { taskId, userInFlight: deps.config.userInFlight });
  if (!facts) throw new AppError('not_found', 'There is no such task.');
  if (isTerminal(facts.status)) return null;
  const checks = checksOf(facts);
  return {
    claimable: checks.every(({ holds }) => holds),
    checks,
    ends: endOf(facts),
    wakeSeq: facts.wakeSeq,
  };
}

function checksOf(facts: ClaimFacts): TaskCheck[] {
  const { status, channelName: channel } = facts;
  const checks: TaskCheck[] = [
    {
      code: 'unleased',
      holds: !facts.leased,
      until: facts.leased ? moment(facts.leaseUntil) : null,
      worker: facts.workerId,
    },
  ];
  const dueAt = moment(facts.dueAt);
  if (dueAt) checks.unshift({ code: 'due', holds: facts.isDue, at: dueAt });
  if (status === 'queued') checks.push(...createChecks(facts));
  else if (status !== 'archiving') {
    checks.push({
      code: 'channel_open',
      holds: facts.channelOpen,
      channel,
      until: moment(facts.pausedUntil),
    });
  }
  return checks;
}

/** What starts something upstream has to pass all of these. */
function createChecks(facts: ClaimFacts): TaskCheck[] {
  const { channelName: channel, channelInFlight, channelMost, userInFlight, userMost } = facts;
  return [
    { code: 'channel_enabled', holds: facts.channelEnabled, channel },
    { code: 'channel_takes', holds: facts.createsOpen, channel, from: moment(facts.createsFrom) },
    {
      code: 'channel_room',
      holds: channelInFlight < channelMost,
      channel,
      count: channelInFlight,
      most: channelMost,
    },
    { code: 'user_room', holds: userInFlight < userMost, count: userInFlight, most: userMost },
  ];
}

function endOf(facts: ClaimFacts): TaskExplanation['ends'] {
  switch (facts.status) {
    case 'queued':
      return { by: 'give_up', at: new Date(facts.giveUpAt) };
    case 'uncertain':
      return at('uncertain', facts.uncertainUntil);
    case 'waiting':
      return at('waiting', facts.waitingUntil);
    case 'archiving':
      return at('archive', facts.archiveUntil);
    default:
      return at('deadline', facts.deadlineAt);
  }
}

type End = NonNullable<TaskExplanation['ends']>;
const at = (by: End['by'], text: string | null): End | null =>
  text === null ? null : { by, at: new Date(text) };
const moment = (text: string | null): Date | null => (text === null ? null : new Date(text));
