import type { BalanceView, BucketView, DebtView, LedgerEntryView } from '#server/billing/schemas.ts';
import type { InviteTerms, InviteView, MyInvites } from '#server/invites/schemas.ts';
import type { OrderView, PackView } from '#server/orders/schemas.ts';

/** Views of money as the procedures give them, for tests of its pages. */

const AT = new Date('2026-01-05T10:00:00Z');
export const ORDER_ID = '0190a0b0-0000-7000-8000-00000000000a';
export const PACK_ID = '0190a0b0-0000-7000-8000-00000000000b';

export function makeEntry(overrides: Partial<LedgerEntryView> = {}): LedgerEntryView {
  return {
    id: '0190a0b0-0000-7000-8000-000000000001',
    at: AT,
    kind: 'grant',
    deltaCredits: 100,
    balanceAfterCredits: 100,
    taskId: null,
    orderId: null,
    reason: 'Starting credits',
    ...overrides,
  };
}

export function makeBucket(overrides: Partial<BucketView> = {}): BucketView {
  return {
    id: '0190a0b0-0000-7000-8000-000000000002',
    kind: 'purchased',
    remainingCredits: 400,
    expiresAt: new Date('2027-01-05T10:00:00Z'),
    orderId: ORDER_ID,
    createdAt: AT,
    ...overrides,
  };
}

export function makeDebt(overrides: Partial<DebtView> = {}): DebtView {
  return {
    id: '0190a0b0-0000-7000-8000-000000000003',
    amountCredits: 120,
    remainingCredits: 120,
    reason: 'Refund of an order whose credits were spent',
    createdAt: AT,
    ...overrides,
  };
}

export function makeBalance(overrides: Partial<BalanceView> = {}): BalanceView {
  return { balanceCredits: 400, heldCredits: 20, buckets: [makeBucket()], debts: [], ...overrides };
}

export function makePack(overrides: Partial<PackView> = {}): PackView {
  return {
    id: PACK_ID,
    title: 'Starter',
    credits: 1_000,
    amountMinor: 990,
    currency: 'EUR',
    validDays: 365,
    ...overrides,
  };
}

export function makeOrder(overrides: Partial<OrderView> = {}): OrderView {
  return {
    id: ORDER_ID,
    title: 'Starter',
    credits: 1_000,
    amountMinor: 990,
    currency: 'EUR',
    status: 'pending',
    checkoutUrl: 'https://pay.example.com/c/1',
    createdAt: AT,
    expiresAt: new Date('2026-01-05T10:30:00Z'),
    paidAt: null,
    endedAt: null,
    refundedMinor: 0,
    clawedBackCredits: 0,
    dispute: null,
    cancelledBy: null,
    version: 1,
    ...overrides,
  };
}

export function makeTerms(overrides: Partial<InviteTerms> = {}): InviteTerms {
  return {
    open: true,
    inviterCredits: 200,
    inviteeCredits: 100,
    coolingOffDays: 7,
    monthlyCap: 20,
    ...overrides,
  };
}

export function makeInvite(overrides: Partial<InviteView> = {}): InviteView {
  return {
    id: '0190a0b0-0000-7000-8000-000000000004',
    status: 'bound',
    inviteeName: 'B…',
    createdAt: AT,
    dueAt: null,
    rewardedAt: null,
    inviterCredits: 200,
    note: null,
    ...overrides,
  };
}

export function makeMyInvites(overrides: Partial<MyInvites> = {}): MyInvites {
  return {
    code: 'ABCD2345',
    path: '/invite/ABCD2345',
    terms: makeTerms(),
    invites: [],
    invitedBy: null,
    mayBind: true,
    rewardsThisMonth: 3,
    ...overrides,
  };
}
