import { useFormat } from '#app/lib/use-format.ts';
import '@mantine/charts/styles.layer.css';
import { BarChart } from '@mantine/charts';
import type { DaySummary } from '#server/billing/schemas.ts';

type DayBarsProps = {
  days: readonly DaySummary[];
  series: readonly { name: string; color: string; label: string }[];
};

/** The bars themselves; loaded by {@link DayChart}, as a default export, which `lazy` asks for. */
export default function DayBars({ days, series }: DayBarsProps) {
  const format = useFormat();
  return (
    <BarChart
      h={280}
      data={[...days]}
      dataKey="day"
      series={[...series]}
      valueFormatter={format.integer}
      tickLine="none"
      gridAxis="x"
      yAxisProps={{ width: 64, allowDecimals: false }}
      xAxisProps={{ minTickGap: 24 }}
      barChartProps={{ accessibilityLayer: false }}
      barProps={{ isAnimationActive: false }}
    />
  );
}
