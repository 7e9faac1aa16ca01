import type { AttentionView, DispatchView } from '#server/generation/schemas.ts';
import type { DeliveryView } from '#server/generation/webhooks/schemas.ts';
import { makeChannel } from './channel-fixtures.ts';

/** Views of the back office as the procedures give them, for tests of its pages. */

const AT = new Date('2026-01-05T10:00:00Z');
const TASK_ID = '0190a0b0-0000-7000-8000-000000000001';

export function makeUncertain(
  overrides: Partial<AttentionView['uncertain'][number]> = {},
): AttentionView['uncertain'][number] {
  return {
    taskId: TASK_ID,
    kind: 'image',
    parentId: null,
    modelTitle: 'Paint One',
    upstreamModel: 'paint-1',
    channelName: 'Main',
    protocol: 'openai',
    userEmail: 'ada@example.com',
    heldCredits: 8,
    reason: 'no_answer',
    sentAt: AT,
    until: new Date('2026-01-06T10:00:00Z'),
    clientRef: '0190a0b0-0000-7000-8000-0000000000f1',
    upstreamId: null,
    isLookedUp: false,
    mayReport: false,
    ...overrides,
  };
}

export function makeRefund(
  overrides: Partial<AttentionView['refunds'][number]> = {},
): AttentionView['refunds'][number] {
  return {
    taskId: TASK_ID,
    amountCredits: 8,
    lastError: 'The ledger refused the entry.',
    createdAt: AT,
    userEmail: 'ada@example.com',
    ...overrides,
  };
}

export function makeDelivery(overrides: Partial<DeliveryView> = {}): DeliveryView {
  return {
    id: '0190a0b0-0000-7000-8000-0000000000b1',
    channel: { id: makeChannel().id, name: 'Main' },
    status: 'matched',
    verified: true,
    receivedAt: AT,
    lastReceivedAt: AT,
    deliveries: 1,
    upstreamId: 'job-7',
    upstreamStatus: 'succeeded',
    reason: null,
    taskId: TASK_ID,
    headers: { 'content-type': 'application/json' },
    body: '{"id":12345678901234567890}',
    ...overrides,
  };
}

/** Sent, and never answered. */
export function makeDispatch(overrides: Partial<DispatchView> = {}): DispatchView {
  return {
    id: '0190a0b0-0000-7000-8000-0000000000f1',
    number: 1,
    phase: 'sent',
    outcome: null,
    evidenceFrom: null,
    evidence: null,
    upstreamId: null,
    errorCode: null,
    errorMessage: null,
    createdAt: AT,
    sentAt: AT,
    outcomeAt: null,
    nextWatchAt: null,
    watchUntil: null,
    cost: null,
    ...overrides,
  };
}
