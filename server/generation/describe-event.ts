import type { generationTaskEvents } from '#server/db/schema/index.ts';
import { type EventCode, eventSentence, eventText, recognizeSentence } from './event-sentences.ts';
import { failureReason } from './failure-messages.ts';
import type { CodedText, TaskEventView } from './schemas.ts';
import type { Status } from './status.ts';

type EventRow = typeof generationTaskEvents.$inferSelect;

/** An event as people read it. `inner`: with executor, worker and lease token, for administrators. */
export function describeEvent(event: EventRow, audience: 'user' | 'admin'): TaskEventView {
  const said = event.reason ? storedText(event, event.reason) : textOf(event);
  return {
    seq: event.seq,
    at: event.at,
    type: event.type,
    actor: audience === 'admin' ? innerActor(event) : (event.actor.split(':')[0] ?? event.actor),
    from: event.fromStatus as Status | null,
    to: event.toStatus as Status | null,
    text: event.reason ?? (said ? eventSentence(said) : event.type.replaceAll('_', ' ')),
    said,
  };
}

function innerActor(event: EventRow): string {
  const parts = [event.actor];
  if (event.workerId) parts.push(`worker ${event.workerId}`);
  if (event.executorId) parts.push(`executor ${event.executorId.slice(-8)}`);
  if (event.leaseToken !== null) parts.push(`lease ${event.leaseToken}`);
  return parts.join(' · ');
}

const dataOf = (event: EventRow) => (event.data ?? {}) as Record<string, unknown>;

/** `failed` has the code of a failure among its values; the sentence is the failure's own. */
function storedText(event: EventRow, reason: string): CodedText | null {
  const failure = dataOf(event).code;
  if (event.type === 'failed' && typeof failure === 'string') {
    const text = failureReason(failure, reason);
    if (text) return { ...text, code: 'failed', values: { failure } };
  }
  return recognizeSentence(reason);
}

/** Events whose type alone says what happened. */
const PLAIN: ReadonlySet<string> = new Set<EventCode>([
  'composing',
  'paused',
  'resumed',
  'stop_requested',
  'time_up',
  'approved',
  'edited',
  'rejected',
  'answered',
  'dispatching',
  'accepted',
  'delivered',
  'cancel_requested',
]);

function textOf(event: EventRow): CodedText | null {
  const data = dataOf(event);
  if (PLAIN.has(event.type)) return eventText(event.type as EventCode);
  switch (event.type) {
    case 'submitted':
      if (data.parentId !== undefined) return eventText('submitted_step');
      return eventText(data.credits === 0 ? 'submitted_free' : 'submitted');
    case 'waiting':
      return eventText(WAITING[String(data.for)] ?? 'waiting');
    case 'succeeded':
      return withCharge(
        eventText('succeeded', { outputs: Number(data.outputs ?? 0), ordered: Number(data.ordered ?? 1) }),
        data,
      );
    case 'cancelled':
      return withCharge(eventText('cancelled'), data);
    case 'cancel_answered':
      return eventText(ANSWERS[String(data.answer)] ?? 'cancel_asked');
    default:
      return null;
  }
}

const WAITING: Readonly<Record<string, EventCode>> = {
  children: 'waiting_children',
  user: 'waiting_user',
  resume: 'waiting_resume',
};

const ANSWERS: Readonly<Record<string, EventCode>> = {
  unsupported: 'cancel_unsupported',
  finished: 'cancel_too_late',
};

const CHARGES: Readonly<Record<string, EventCode>> = {
  call: 'charged_call',
  output: 'charged_output',
  second: 'charged_second',
  tokens: 'charged_tokens',
};

/** What was charged where less was delivered than ordered; nothing where it was all, or is not known. */
function withCharge(
  text: CodedText,
  { unit, units, orderedUnits, returnedCredits }: Record<string, unknown>,
): CodedText {
  const code = CHARGES[String(unit)];
  if (!code || typeof returnedCredits !== 'number' || returnedCredits === 0) return text;
  return {
    ...text,
    and: eventText(code, { units: Number(units), orderedUnits: Number(orderedUnits) }),
  };
}
