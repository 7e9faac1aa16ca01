import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import '@mantine/charts/styles.layer.css';
import { BarChart } from '@mantine/charts';
import type { DaySummary } from '#server/billing/schemas.ts';

const SERIES = [
  { name: 'purchasedCredits', color: 'var(--money-bought)' },
  { name: 'givenCredits', color: 'var(--money-given)' },
  { name: 'chargedCredits', color: 'var(--money-charged)' },
] as const;

/** The bars themselves; loaded by {@link DayChart}, as a default export, which `lazy` asks for. */
export default function DayBars({ days }: { days: readonly DaySummary[] }) {
  const t = useT(adminMoneyTexts);
  const format = useFormat();
  return (
    <BarChart
      h={280}
      data={[...days]}
      dataKey="day"
      series={SERIES.map((one) => ({ ...one, label: t(`days.${one.name}`) }))}
      valueFormatter={format.integer}
      withLegend
      legendProps={{ verticalAlign: 'top', itemSorter: null }}
      tickLine="none"
      gridAxis="x"
      yAxisProps={{ width: 64, allowDecimals: false }}
      xAxisProps={{ minTickGap: 24 }}
      barChartProps={{ accessibilityLayer: false }}
      barProps={{ isAnimationActive: false }}
    />
  );
}
