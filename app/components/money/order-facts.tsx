import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { DefinitionList } from '#app/components/ui/definition-list.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { moneyTexts } from '#app/locales/money.ts';
import type { BucketView } from '#server/billing/schemas.ts';
import type { OrderView } from '#server/orders/schemas.ts';

type OrderFactsProps = {
  order: OrderView;
  /** What is left of the credits that it gave. */
  bucket: BucketView | undefined;
};

/** What was ordered, and what became of its money and its credits. */
export function OrderFacts({ order, bucket }: OrderFactsProps) {
  const t = useT(moneyTexts);
  const format = useFormat();
  const { currency, refundedMinor, clawedBackCredits } = order;
  return (
    <DefinitionList
      entries={[
        [t('orderFacts.credits'), <CreditAmount key="credits" credits={order.credits} />],
        [t('orderFacts.price'), format.money(order.amountMinor, currency)],
        [t('orderFacts.ordered'), <TimeAgo key="ordered" at={order.createdAt} style="absolute" />],
        [
          t('orderFacts.paid'),
          order.paidAt ? <TimeAgo key="paid" at={order.paidAt} style="absolute" /> : null,
        ],
        [t('orderFacts.left'), order.paidAt ? format.credits(bucket?.remainingCredits ?? 0) : null],
        [t('orderFacts.expire'), bucket ? <Expiry key="expiry" bucket={bucket} /> : null],
        [t('orderFacts.paidBack'), refundedMinor > 0 ? format.money(refundedMinor, currency) : null],
        [t('orderFacts.takenBack'), clawedBackCredits > 0 ? format.credits(clawedBackCredits) : null],
        [
          t('orderFacts.closed'),
          order.endedAt ? <TimeAgo key="ended" at={order.endedAt} style="absolute" /> : null,
        ],
        [t('orderFacts.number'), order.id],
      ]}
    />
  );
}

function Expiry({ bucket }: { bucket: BucketView }) {
  const t = useT(moneyTexts);
  return bucket.expiresAt ? <TimeAgo at={bucket.expiresAt} style="both" /> : t('orderFacts.never');
}
