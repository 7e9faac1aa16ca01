import { BATCH_STATES, type BatchesInput } from '#server/billing/redeem/schemas.ts';
import { type FindUsersInput, REFUND_STATUSES, type RefundsInput } from '#server/billing/schemas.ts';
import { type AdminInvitesInput, INVITE_STATUSES } from '#server/invites/schemas.ts';
import {
  type AdminOrdersInput,
  PAYMENT_REFUND_STATUSES,
  type PaymentRefundsInput,
} from '#server/orders/schemas.ts';
import { ORDER_STATUSES } from '#server/orders/status.ts';
import { readListQuery } from './list-query.ts';
import { readChoice, readCursor, readText } from './read-query.ts';

/** Filters and order of the lists of money, as their addresses have them. */

type Query<Input> = Omit<Input, 'limit' | 'ids'>;

export const STANDINGS = ['open', 'disabled', 'closed', 'admin'] as const;

export function readPeopleQuery(url: string): Query<FindUsersInput> {
  const { from: _, to: __, ...query } = readListQuery(url, ['created', 'balance', 'spent']);
  return {
    ...query,
    search: readText(url, 'who', 254) ?? '',
    standing: readChoice(url, 'standing', STANDINGS),
  };
}

export function readOrdersQuery(url: string): Query<AdminOrdersInput> {
  return {
    ...readListQuery(url, ['made', 'amount', 'paid']),
    status: readChoice(url, 'status', ORDER_STATUSES),
    dispute: readChoice(url, 'dispute', ['open', 'won', 'lost']),
    userId: readCursor(url, 'user'),
    who: readText(url, 'who') ?? '',
  };
}

export function readRefundsQuery(url: string): Query<RefundsInput> {
  return {
    ...readListQuery(url, ['made', 'amount']),
    status: readChoice(url, 'status', REFUND_STATUSES),
    who: readText(url, 'who') ?? '',
  };
}

export function readMoneyRefundsQuery(url: string): Query<PaymentRefundsInput> {
  return {
    ...readListQuery(url, ['made', 'amount']),
    status: readChoice(url, 'status', PAYMENT_REFUND_STATUSES),
    who: readText(url, 'who') ?? '',
  };
}

export function readBatchesQuery(url: string): Query<BatchesInput> {
  return {
    ...readListQuery(url, ['made', 'credits', 'codes']),
    state: readChoice(url, 'state', BATCH_STATES),
    search: readText(url, 'title', 120) ?? '',
  };
}

export function readInvitesQuery(url: string): Query<AdminInvitesInput> {
  return {
    ...readListQuery(url, ['made', 'due', 'rewarded']),
    status: readChoice(url, 'status', INVITE_STATUSES),
    who: readText(url, 'who') ?? '',
  };
}
