import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { type Fact, FactList } from '#app/components/ui/fact-list.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import type { SummaryTotals } from './sum-days.ts';

/** The totals of a range: money by currency, then credits. */
export function SummaryFacts({ totals }: { totals: SummaryTotals }) {
  const t = useT(adminMoneyTexts);
  const format = useFormat();
  const money: Fact[] = totals.currencies.map(({ currency, revenueMinor, refundedMinor }) => ({
    label: t('days.paidIn', { currency }),
    value: format.money(revenueMinor, currency),
    help:
      refundedMinor > 0
        ? t('days.paidBackIn', { amount: format.money(refundedMinor, currency) })
        : t('days.nothingBack'),
  }));
  return (
    <FactList
      facts={[
        ...money,
        { label: t('days.ordersPaid'), value: format.integer(totals.ordersPaid) },
        { label: t('days.purchasedCredits'), value: <CreditAmount credits={totals.purchasedCredits} /> },
        { label: t('days.givenCredits'), value: <CreditAmount credits={totals.givenCredits} /> },
        { label: t('days.chargedCredits'), value: <CreditAmount credits={totals.chargedCredits} /> },
      ]}
    />
  );
}
