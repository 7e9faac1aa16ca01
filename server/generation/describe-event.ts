import type { generationTaskEvents } from '#server/db/schema/index.ts';
import type { TaskEventView } from './schemas.ts';
import type { Status } from './status.ts';

type EventRow = typeof generationTaskEvents.$inferSelect;

/** An event as people read it. `inner`: with executor, worker and lease token, for administrators. */
export function describeEvent(event: EventRow, audience: 'user' | 'admin'): TaskEventView {
  return {
    seq: event.seq,
    at: event.at,
    type: event.type,
    actor: audience === 'admin' ? innerActor(event) : (event.actor.split(':')[0] ?? event.actor),
    from: event.fromStatus as Status | null,
    to: event.toStatus as Status | null,
    text: sentence(event),
  };
}

function innerActor(event: EventRow): string {
  const parts = [event.actor];
  if (event.workerId) parts.push(`worker ${event.workerId}`);
  if (event.executorId) parts.push(`executor ${event.executorId.slice(-8)}`);
  if (event.leaseToken !== null) parts.push(`lease ${event.leaseToken}`);
  return parts.join(' · ');
}

function sentence(event: EventRow): string {
  if (event.reason) return event.reason;
  const data = (event.data ?? {}) as Record<string, unknown>;
  switch (event.type) {
    case 'submitted':
      return 'Submitted; the credits are held.';
    case 'dispatching':
      return 'Being sent to the provider.';
    case 'accepted':
      return 'The provider accepted it.';
    case 'delivered':
      return 'The provider reported success; the result is being fetched.';
    case 'succeeded':
      return `Done: ${String(data.outputs ?? 0)} of ${String(data.ordered ?? 1)} stored.`;
    case 'cancelled':
      return 'Cancelled.';
    case 'cancel_requested':
      return 'Cancel requested.';
    case 'cancel_answered':
      return data.answer === 'unsupported'
        ? 'The provider cannot cancel a job that has started.'
        : data.answer === 'finished'
          ? 'Too late to cancel: the provider had finished.'
          : 'The provider was asked to cancel.';
    default:
      return event.type.replaceAll('_', ' ');
  }
}
