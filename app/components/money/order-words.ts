import { formatCredits } from '#app/lib/format.ts';
import { formatMoney } from '#app/lib/format-money.ts';
import type { Language } from '#app/locales/languages.ts';
import { moneyTexts } from '#app/locales/money.ts';
import type { OrderView } from '#server/orders/schemas.ts';

/** Whether the payer's bank has yet to decide about the payment. */
export function isDisputed(order: Pick<OrderView, 'status' | 'dispute'>): boolean {
  return order.status === 'refunding' && order.dispute === 'open';
}

/** Where an order stands and what happens next, in one or two sentences. */
export function orderSentence(order: OrderView, language: Language = 'en'): string {
  const t = moneyTexts.in(language);
  const back = formatMoney(order.refundedMinor, order.currency, language);
  const andLate = (sentence: string) => `${sentence}${language === 'en' ? ' ' : ''}${t('orderSays.late')}`;
  switch (order.status) {
    case 'pending':
      return t('orderSays.pending');
    case 'paid':
      if (order.refundedMinor === 0) return t('orderSays.paid');
      return t('orderSays.paidPartlyBack', {
        back,
        amount: formatMoney(order.amountMinor, order.currency, language),
      });
    case 'expired':
      return andLate(t('orderSays.expired'));
    case 'cancelled':
      return order.cancelledBy === 'admin' ? t('orderSays.closed') : andLate(t('orderSays.cancelled'));
    case 'refunding':
      return isDisputed(order) ? t('orderSays.disputed') : t('orderSays.refunding');
    case 'refunded':
      return order.refundedMinor > 0 ? t('orderSays.refundedSum', { back }) : t('orderSays.refunded');
  }
}

/** What became of payments that were not taken, such as a second one; a sentence each. */
export function returnedSentences(
  { returned = [] }: Pick<OrderView, 'returned'>,
  language: Language = 'en',
): string[] {
  const t = moneyTexts.in(language);
  return returned.flatMap(({ currency, onItsWayMinor, paidBackMinor }) => [
    ...(onItsWayMinor > 0
      ? [t('orderSays.onItsWay', { amount: formatMoney(onItsWayMinor, currency, language) })]
      : []),
    ...(paidBackMinor > 0
      ? [t('orderSays.paidBack', { amount: formatMoney(paidBackMinor, currency, language) })]
      : []),
  ]);
}

/** What a dispute with the payer's bank means for the order; null without one. */
export function disputeSentence(
  { dispute, clawedBackCredits }: Pick<OrderView, 'dispute' | 'clawedBackCredits'>,
  language: Language = 'en',
): string | null {
  if (dispute === null) return null;
  const t = moneyTexts.in(language);
  const credits =
    clawedBackCredits > 0
      ? t('dispute.taken', { count: clawedBackCredits, credits: formatCredits(clawedBackCredits, language) })
      : t('dispute.kept');
  return t(`dispute.${dispute}`, { credits });
}

/**
 * Whether the page has news to wait for. `returned`: the reader says to have paid, which counts though the order has
 * closed meanwhile.
 */
export function hasNewsToCome(order: Pick<OrderView, 'status'>, returned: boolean): boolean {
  switch (order.status) {
    case 'pending':
    case 'refunding':
      return true;
    case 'expired':
    case 'cancelled':
      return returned;
    case 'paid':
    case 'refunded':
      return false;
  }
}
