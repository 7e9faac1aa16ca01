import type { BatchView } from '#server/billing/redeem/schemas.ts';
import type {
  AdminLedgerEntryView,
  CostGuardView,
  DaySummary,
  TaskRefundView,
  UserMoneyRow,
  UserMoneyView,
} from '#server/billing/schemas.ts';
import type { AdminInviteView } from '#server/invites/schemas.ts';
import type {
  AdminOrderDetail,
  AdminPackView,
  PaymentEventView,
  PaymentRefundView,
} from '#server/orders/schemas.ts';
import type { UserStandingView } from '#server/users/schemas.ts';
import { makeBalance, makeEntry, makeOrder, makePack, ORDER_ID } from './money-fixtures.ts';

/** Views of money as the back office's procedures give them, for tests of its pages. */

const AT = new Date('2026-01-05T10:00:00Z');
export const USER_ID = '0190a0b0-0000-7000-8000-0000000000a1';
const TASK_ID = '0190a0b0-0000-7000-8000-000000000001';

/** A day without movement. */
export function makeDay(overrides: Partial<DaySummary> = {}): DaySummary {
  return {
    day: '2026-01-05',
    givenCredits: 0,
    purchasedCredits: 0,
    chargedCredits: 0,
    returnedCredits: 0,
    expiredCredits: 0,
    takenBackCredits: 0,
    ordersPaid: 0,
    revenue: {},
    moneyRefunded: {},
    ...overrides,
  };
}

/** No limit is set. */
export function makeGuard(overrides: Partial<CostGuardView> = {}): CostGuardView {
  return {
    taskCredits: null,
    userDayCredits: null,
    dayCredits: null,
    spentTodayCredits: 0,
    updatedAt: null,
    ...overrides,
  };
}

export function makePerson(overrides: Partial<UserMoneyRow> = {}): UserMoneyRow {
  return {
    userId: USER_ID,
    email: 'ada@example.com',
    displayName: 'Ada',
    disabled: false,
    deleted: false,
    balanceCredits: 400,
    heldCredits: 20,
    owedCredits: 0,
    spentCredits: 0,
    createdAt: AT,
    ...overrides,
  };
}

/** An open account under the general limits. */
export function makeStanding(overrides: Partial<UserStandingView> = {}): UserStandingView {
  return {
    userId: USER_ID,
    role: 'user',
    disabledAt: null,
    deletedAt: null,
    inFlightLimit: null,
    dayCreditsLimit: null,
    general: { inFlightLimit: 50, dayCreditsLimit: null },
    liveTasks: 0,
    ...overrides,
  };
}

export function makeAdminEntry(overrides: Partial<AdminLedgerEntryView> = {}): AdminLedgerEntryView {
  return { ...makeEntry(), actor: 'system', key: 'grant:sign-up', ...overrides };
}

export function makeUserMoney(overrides: Partial<UserMoneyView> = {}): UserMoneyView {
  return {
    user: makePerson(),
    balance: makeBalance(),
    ledger: { items: [makeAdminEntry()], nextCursor: null },
    ...overrides,
  };
}

/** A refund of credits whose tries are used up. */
export function makeTaskRefund(overrides: Partial<TaskRefundView> = {}): TaskRefundView {
  return {
    id: '0190a0b0-0000-7000-8000-0000000000d1',
    taskId: TASK_ID,
    userId: USER_ID,
    userEmail: 'ada@example.com',
    amountCredits: 8,
    status: 'manual',
    reason: 'The task failed.',
    attempts: 8,
    nextAttemptAt: null,
    lastError: 'The ledger refused the entry.',
    createdAt: AT,
    settledAt: null,
    resolution: null,
    ...overrides,
  };
}

/** A refund of money that the payment service refuses. */
export function makePaymentRefund(overrides: Partial<PaymentRefundView> = {}): PaymentRefundView {
  return {
    id: '0190a0b0-0000-7000-8000-0000000000d2',
    orderId: ORDER_ID,
    userEmail: 'ada@example.com',
    amountMinor: 450,
    currency: 'EUR',
    origin: 'admin',
    status: 'manual',
    clawedBackCredits: 50,
    reason: 'Asked for it.',
    providerRefundId: null,
    attempts: 8,
    nextAttemptAt: null,
    lastError: 'The card is closed.',
    createdAt: AT,
    settledAt: null,
    resolution: null,
    ...overrides,
  };
}

/** A payment whose amount is not the order's. */
export function makePaymentEvent(overrides: Partial<PaymentEventView> = {}): PaymentEventView {
  return {
    id: '0190a0b0-0000-7000-8000-0000000000f2',
    provider: 'sandbox',
    eventId: 'evt_1',
    type: 'payment.succeeded',
    orderId: ORDER_ID,
    paymentId: 'pay_1',
    amountMinor: 1,
    currency: 'EUR',
    outcome: 'mismatch',
    note: 'The amount is not the order’s.',
    receivedAt: AT,
    resolvedAt: null,
    resolution: null,
    ...overrides,
  };
}

/** Paid: 100 credits for 9 euros, half of them still there. */
export function makeAdminOrder(overrides: Partial<AdminOrderDetail> = {}): AdminOrderDetail {
  return {
    ...makeOrder({ status: 'paid', credits: 100, amountMinor: 900, currency: 'EUR', paidAt: AT }),
    userId: USER_ID,
    userEmail: 'ada@example.com',
    provider: 'sandbox',
    paymentId: 'pay_1',
    checkoutId: 'co_1',
    unspentCredits: 50,
    unspentMinor: 450,
    events: [],
    refunds: [],
    ...overrides,
  };
}

export function makeAdminPack(overrides: Partial<AdminPackView> = {}): AdminPackView {
  return { ...makePack(), enabled: true, position: 0, createdAt: AT, ...overrides };
}

export function makeBatch(overrides: Partial<BatchView> = {}): BatchView {
  return {
    id: '0190a0b0-0000-7000-8000-0000000000b7',
    title: 'Spring fair',
    credits: 20,
    codeCount: 100,
    redeemedCount: 3,
    expiresAt: null,
    validDays: null,
    oncePerUser: true,
    createdAt: AT,
    revokedAt: null,
    state: 'open',
    ...overrides,
  };
}

export function makeAdminInvite(overrides: Partial<AdminInviteView> = {}): AdminInviteView {
  return {
    id: '0190a0b0-0000-7000-8000-0000000000e7',
    status: 'bound',
    inviterId: USER_ID,
    inviterEmail: 'ada@example.com',
    inviteeId: '0190a0b0-0000-7000-8000-0000000000a2',
    inviteeEmail: 'ben@example.com',
    orderId: null,
    createdAt: AT,
    dueAt: null,
    rewardedAt: null,
    inviterCredits: 0,
    inviteeCredits: 0,
    note: null,
    lastError: null,
    ...overrides,
  };
}
