import type { ReactNode } from 'react';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import type { Tone } from '#app/components/ui/tone-badge.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { adminTexts } from '#app/locales/admin.ts';
import classes from './bar-chart.module.css';
import { useBarTime } from './use-bar-time.ts';

type Series<Bar> = {
  name: string;
  tone: Tone;
  value(bar: Bar): number;
};

type Column<Bar> = { head: string; cell(bar: Bar): ReactNode };

type BarChartProps<Bar> = {
  /** What is shown, in a few words: the picture's and the table's name. */
  label: string;
  bars: readonly Bar[];
  barMs: number;
  /** Drawn on top of each other, the first one at the bottom. */
  series: readonly Series<Bar>[];
  /** Further columns of the table below. */
  columns?: readonly Column<Bar>[];
  /** How a value is written; a whole number unless told. */
  write?(value: number): string;
};

const WIDTH = 10;
const GAP = 2;
const HEIGHT = 100;

/**
 * Bars over time, drawn by the server: no script is needed to see them, and none to read their numbers, which stand in
 * a table below. Text is outside of the picture, so that it keeps its shape at every width.
 */
export function BarChart<Bar extends { from: Date }>({
  label,
  bars,
  barMs,
  series,
  columns = [],
  write,
}: BarChartProps<Bar>) {
  const t = useT(adminTexts);
  const format = useFormat();
  const words = write ?? format.integer;
  const barTime = useBarTime(barMs);
  const totals = bars.map((bar) => series.reduce((sum, { value }) => sum + value(bar), 0));
  const most = Math.max(1, ...totals);
  const all = totals.reduce((sum, total) => sum + total, 0);
  const named = (bar: Bar) => series.map(({ name, value }) => `${name}: ${words(value(bar))}`);
  const nameOf = (bar: Bar | undefined) => (bar ? barTime(bar.from) : null);
  return (
    <>
      <figure className={classes.root}>
        {series.length > 1 ? (
          <ul className={classes.legend}>
            {series.map(({ name, tone }) => (
              <li key={name} className={classes.key}>
                <span className={classes.swatch} data-series={tone} aria-hidden="true" />
                {name}
              </li>
            ))}
          </ul>
        ) : null}
        <div className={classes.plot}>
          <div className={classes.scale} aria-hidden="true">
            <span>{words(most)}</span>
            <span>{words(0)}</span>
          </div>
          <svg
            className={classes.bars}
            viewBox={`0 0 ${bars.length * WIDTH} ${HEIGHT}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={t('chart.summary', {
              label,
              all: words(all),
              most: words(Math.max(0, ...totals)),
            })}
          >
            {bars.map((bar, index) => (
              <g key={bar.from.getTime()}>
                <title>{[barTime(bar.from), ...named(bar)].join('\n')}</title>
                <rect className={classes.hit} x={index * WIDTH} y={0} width={WIDTH} height={HEIGHT} />
                {stacked(series, bar, most).map(({ tone, y, height }) => (
                  <rect
                    key={tone}
                    data-series={tone}
                    x={index * WIDTH + GAP / 2}
                    y={y}
                    width={WIDTH - GAP}
                    height={height}
                  />
                ))}
              </g>
            ))}
          </svg>
          <div className={classes.axis} aria-hidden="true">
            <span>{nameOf(bars[0])}</span>
            <span>{nameOf(bars[Math.floor(bars.length / 2)])}</span>
            <span>{nameOf(bars.at(-1))}</span>
          </div>
        </div>
      </figure>
      <details className={classes.numbers}>
        <summary>{t('chart.numbers')}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
        <section className={classes.table} aria-label={t('chart.numbersOf', { label })} tabIndex={0}>
          <DataTable
            label={label}
            rows={[...bars].reverse()}
            rowKey={(bar) => String(bar.from.getTime())}
            columns={[
              {
                head: t('chart.from'),
                primary: true,
                cell: (bar) => <TimeAgo at={bar.from} style="absolute" />,
              },
              ...series.map(({ name, value }) => ({
                head: name,
                align: 'end' as const,
                cell: (bar: Bar) => words(value(bar)),
              })),
              ...columns.map((column) => ({ ...column, align: 'end' as const })),
            ]}
          />
        </section>
      </details>
    </>
  );
}

/** Places of a bar's parts in a picture of 100 units; parts of nothing are left out, others are never invisible. */
function stacked<Bar>(series: readonly Series<Bar>[], bar: Bar, most: number) {
  let top = HEIGHT;
  return series.flatMap(({ tone, value }) => {
    const height = value(bar) > 0 ? Math.max(1, (value(bar) / most) * HEIGHT) : 0;
    if (height === 0) return [];
    top = Math.max(0, top - height);
    return [{ tone, y: round(top), height: round(height) }];
  });
}

const round = (value: number) => Math.round(value * 100) / 100;
