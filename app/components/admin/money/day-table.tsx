import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import type { DaySummary } from '#server/billing/schemas.ts';
import { CREDIT_MOVES } from './sum-days.ts';

/** Every day of the chart, in numbers. Credits unless a currency is named. */
export function DayTable({ days }: { days: readonly DaySummary[] }) {
  const t = useT(adminMoneyTexts);
  return (
    <DataTable
      label={t('days.table')}
      rows={days}
      rowKey={(day) => day.day}
      columns={[
        { head: t('days.day'), primary: true, cell: ({ day }) => <strong>{day}</strong> },
        ...CREDIT_MOVES.map((field) => ({
          head: t(`days.${field}`),
          align: 'end' as const,
          cell: (day: DaySummary) => <CreditAmount credits={day[field]} compact />,
        })),
        { head: t('orders.title'), align: 'end', cell: (day) => day.ordersPaid },
        { head: t('orders.paid'), align: 'end', cell: (day) => <Amounts amounts={day.revenue} /> },
        { head: t('orders.paidBack'), align: 'end', cell: (day) => <Amounts amounts={day.moneyRefunded} /> },
      ]}
    />
  );
}

function Amounts({ amounts }: { amounts: Record<string, number> }) {
  const format = useFormat();
  const texts = Object.entries(amounts)
    .filter(([, amountMinor]) => amountMinor > 0)
    .map(([currency, amountMinor]) => format.money(amountMinor, currency));
  return <>{texts.length > 0 ? texts.join(', ') : '–'}</>;
}
