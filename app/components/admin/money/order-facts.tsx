import type { TFunction } from 'i18next';
import { DefinitionList } from '#app/components/ui/definition-list.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import type { AdminOrderDetail } from '#server/orders/schemas.ts';
import { UserLink } from './user-link.tsx';

/** What an order is, and what became of it. */
export function OrderFacts({ order }: { order: AdminOrderDetail }) {
  const t = useT(adminMoneyTexts);
  const format = useFormat();
  const { currency, paidAt, endedAt } = order;
  return (
    <DefinitionList
      entries={[
        [t('orders.buyer'), <UserLink key="buyer" userId={order.userId} email={order.userEmail} />],
        [t('orders.credits'), format.credits(order.credits)],
        [t('orders.price'), format.money(order.amountMinor, currency)],
        [t('orders.made'), moment(order.createdAt)],
        [t('orders.payableUntil'), order.status === 'pending' ? moment(order.expiresAt) : null],
        [t('orders.paid'), paidAt ? moment(paidAt) : null],
        [t('orders.ended'), endedAt ? moment(endedAt) : null],
        [t('orders.closedBy'), closedBy(order, t)],
        [t('orders.paidBack'), order.refundedMinor > 0 ? format.money(order.refundedMinor, currency) : null],
        [
          t('refunds.takenBack'),
          order.clawedBackCredits > 0 ? format.credits(order.clawedBackCredits) : null,
        ],
        [t('orders.notSpent'), paidAt ? format.credits(order.unspentCredits) : null],
        [t('orders.service'), order.provider],
        [t('orders.checkout'), order.checkoutId],
        [t('orders.payment'), order.paymentId],
      ]}
    />
  );
}

const moment = (at: Date) => <TimeAgo at={at} style="both" />;

function closedBy({ status, cancelledBy }: AdminOrderDetail, t: TFunction<'adminMoney'>): string | null {
  if (status !== 'cancelled' || cancelledBy === null) return null;
  return cancelledBy === 'admin' ? t('orders.byAdmin') : t('orders.byBuyer');
}
