import type { Deps } from '#server/deps.ts';
import { describeError } from '#server/lib/describe-error.ts';
import { keepLeases } from '#server/lib/keep-lease.ts';
import { redactText } from '#server/lib/redact.ts';
import { retryDelayMs } from '#server/lib/retry-delay.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import type { RefundAnswer } from './payment/payment-provider.ts';
import { recordAnswer } from './record-answer.ts';
import {
  claimPaymentRefunds,
  leasedRefunds,
  nextPaymentRefundDueAt,
  type PaymentRefundRow,
  postponePaymentRefund,
} from './refund-queries.ts';

export type PaymentRefundBatchResult = {
  claimed: number;
  settled: number;
  /** Put off: the vendor did not answer, or is still at it. */
  retried: number;
  manual: number;
  nextDueAt: Date | null;
};

type RefundDeps = Pick<
  Deps,
  'db' | 'renewalDb' | 'clock' | 'config' | 'logger' | 'random' | 'newId' | 'payments' | 'due'
>;
type End = 'settled' | 'retried' | 'manual';

/** A vendor that has taken a refund tells us by its callback; we ask all the same, this often. */
const ASK_AGAIN_MS = 3_600_000;
/** Longer than any bank takes. */
const PENDING_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * Pays due refunds back through the vendor, outside any transaction and with the row's id as idempotency key: asked
 * twice, it pays once. A vendor that does not answer is asked again after a growing pause; a refusal, or the last try,
 * hands the refund to people with a reason. A row that fails never stops the others.
 */
export async function runPaymentRefundBatch(
  deps: RefundDeps,
  input: { limit: number; workerId: string | null },
): Promise<PaymentRefundBatchResult> {
  const claimed = await claimPaymentRefunds(deps.db, {
    limit: input.limit,
    leaseSeconds: deps.config.leaseSeconds,
    executorId: deps.newId(),
  });
  await crashPoint('payment-refund.after-claim');
  const result: PaymentRefundBatchResult = {
    claimed: claimed.length,
    settled: 0,
    retried: 0,
    manual: 0,
    nextDueAt: null,
  };
  await keepLeases(deps, { table: leasedRefunds, rows: claimed }, async () => {
    for (const refund of claimed) result[await payBack(deps, refund)] += 1;
  });
  if (result.settled > 0) deps.due.wake();
  result.nextDueAt = await nextPaymentRefundDueAt(deps.db);
  return result;
}

async function payBack(deps: RefundDeps, refund: PaymentRefundRow): Promise<End> {
  try {
    const { payments } = deps;
    if (payments?.name !== refund.provider) {
      return await handOver(
        deps,
        refund,
        `The payment provider ${refund.provider} is not set up here any more.`,
      );
    }
    const answer = await payments.refund({
      refundId: refund.id,
      orderId: refund.orderId,
      paymentId: refund.paymentId,
      amountMinor: refund.amountMinor,
      currency: refund.currency,
    });
    await crashPoint('payment-refund.after-call');
    return await takeAnswer(deps, refund, answer);
  } catch (error) {
    return postpone(deps, refund, error);
  }
}

async function takeAnswer(deps: RefundDeps, refund: PaymentRefundRow, answer: RefundAnswer): Promise<End> {
  switch (answer.type) {
    case 'refused':
      return handOver(deps, refund, redactText(answer.reason).slice(0, 500));
    case 'pending': {
      const tooLong = deps.clock.now().getTime() - refund.createdAt.getTime() > PENDING_DAYS * DAY_MS;
      await postponePaymentRefund(deps.db, {
        refund,
        delayMs: Math.round(ASK_AGAIN_MS * (1 + deps.random())),
        manual: tooLong,
        counts: false,
        error: tooLong
          ? `The payment provider has been at it for more than ${PENDING_DAYS} days.`
          : 'The payment provider has taken it and is not done yet.',
        providerRefundId: answer.providerRefundId,
      });
      return tooLong ? 'manual' : 'retried';
    }
    case 'settled':
      await recordAnswer(deps, { refund, providerRefundId: answer.providerRefundId });
      await crashPoint('payment-refund.after-commit');
      return 'settled';
  }
}

async function handOver(deps: RefundDeps, refund: PaymentRefundRow, reason: string): Promise<'manual'> {
  deps.logger.error({ refundId: refund.id, orderId: refund.orderId, reason }, 'Money refund needs a person');
  await postponePaymentRefund(deps.db, { refund, delayMs: 0, manual: true, counts: true, error: reason });
  return 'manual';
}

async function postpone(deps: RefundDeps, refund: PaymentRefundRow, error: unknown): Promise<End> {
  const { config, logger, random } = deps;
  const failures = refund.attempts + 1;
  const manual = failures >= config.refundTries;
  const message = describeError(error).message.slice(0, 500);
  logger[manual ? 'error' : 'warn'](
    { refundId: refund.id, orderId: refund.orderId, attempts: failures, error: message },
    manual ? 'Money refund needs a person: its tries are used up' : 'Money refund put off',
  );
  try {
    await postponePaymentRefund(deps.db, {
      refund,
      delayMs: retryDelayMs({ failures, pace: config, random }),
      manual,
      counts: true,
      error: message,
    });
  } catch (postponeError) {
    // The lease runs out by itself and the row is claimed again.
    logger.warn(
      { refundId: refund.id, error: describeError(postponeError) },
      'Money refund could not be put off',
    );
  }
  return manual ? 'manual' : 'retried';
}
