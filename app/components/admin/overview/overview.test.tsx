import { screen, within } from '@testing-library/react';
import axe from 'axe-core';
import { expect, it } from 'vitest';
import { makeBar, makeOverview } from '#app/testing/overview-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { NowFigures, WindowFigures } from './figures.tsx';
import { OverviewPanels } from './overview-panels.tsx';
import { percentOf } from './percent-of.ts';
import { WindowSwitch } from './window-switch.tsx';

const BUSY = makeBar(23, {
  submitted: 9,
  succeeded: 5,
  failed: 2,
  cancelled: 1,
  people: 3,
  chargedCredits: 40,
});
const MODEL = {
  modelId: '0190a0b0-0000-4000-8000-0000000000d1',
  title: 'Painter',
  kind: 'image' as const,
  submitted: 1_234,
  succeeded: 3,
  failed: 1,
  p50Seconds: 75,
  p95Seconds: 3_700,
};
const view = makeOverview({
  bars: [...makeOverview().bars.slice(0, 23), BUSY],
  models: [
    MODEL,
    {
      ...MODEL,
      modelId: 'x',
      title: 'Silent',
      submitted: 0,
      succeeded: 0,
      failed: 0,
      p50Seconds: null,
      p95Seconds: null,
    },
  ],
  failures: [
    { code: 'rejected', count: 2 },
    { code: 'made_by_a_newer_release', count: 1 },
  ],
});

it('shows every number of a chart in a table, the newest bar first, and draws no part of nothing', () => {
  const { container } = renderInApp(<OverviewPanels view={view} />);
  const chart = screen.getByRole('img', { name: /^Tasks by when they were submitted: 9 in all, 9 at most/ });
  expect(
    [...chart.querySelectorAll('rect[data-series]')].map((part) => part.getAttribute('data-series')),
  ).toEqual(['good', 'bad', 'idle', 'busy']);
  expect(chart.querySelectorAll('title')).toHaveLength(24);
  const table = within(container).getByRole('table', {
    name: 'Tasks by when they were submitted',
    hidden: true,
  });
  const [, newest] = within(table).getAllByRole('row', { hidden: true });
  const cells = within(newest as HTMLElement).getAllByRole('cell', { hidden: true });
  expect(cells.slice(1).map((cell) => cell.textContent)).toEqual(['5', '2', '1', '1', '9', '3']);
});

it('tells how long models took, how often they succeed and why tasks failed', () => {
  renderInApp(<OverviewPanels view={view} />);
  const [, painter, silent] = within(
    screen.getByRole('table', { name: 'Time to result by model' }),
  ).getAllByRole('row');
  expect(painter).toHaveTextContent(/Painter.*1,234.*75 %.*1:15.*1:01:40/);
  expect(silent).toHaveTextContent(/Silent.*0.*none.*none.*none/);
  expect(screen.getByText('Refused by the upstream').nextElementSibling).toHaveTextContent('2');
  expect(screen.getByText('made_by_a_newer_release')).toBeInTheDocument();
});

it('tells what waits now and whether the books are right', () => {
  const now = {
    ...view.now,
    live: { running: 2, queued: 1 },
    due: 10_000,
    oldestDueSeconds: 95,
    refunds: { pending: 2, manual: 1 },
    paymentRefunds: { pending: 1, manual: 0 },
  };
  const { unmount } = renderInApp(<NowFigures now={now} ledger={{ mismatches: 0, ageSeconds: 130 }} />);
  const figureOf = (label: string) => screen.getByText(label).nextElementSibling?.textContent;
  expect(figureOf('Under way now')).toBe('3');
  expect(screen.getByText('2 running, 1 queued')).toBeInTheDocument();
  expect(figureOf('Due backlog')).toBe('10,000+');
  expect(figureOf('Oldest due')).toBe('1:35');
  expect(figureOf('Refunds pending')).toBe('3');
  expect(screen.getByText('1 needs a person')).toBeInTheDocument();
  expect(figureOf('Ledger check')).toBe('Right');
  expect(screen.getByText('checked 2 minutes ago')).toBeInTheDocument();
  unmount();
  renderInApp(<NowFigures now={now} ledger={{ mismatches: 2, ageSeconds: 1 }} />);
  expect(figureOf('Ledger check')).toBe('2 mismatches');
});

it('has no accessibility violation', async () => {
  const { container } = renderInApp(
    <main>
      <WindowSwitch window="24h" />
      <WindowFigures totals={view.totals} />
      <OverviewPanels view={view} />
    </main>,
  );
  for (const details of container.querySelectorAll('details')) details.open = true;
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
  expect(violations.map((violation) => `${violation.id}: ${violation.help}`)).toEqual([]);
});

it.each([
  [0, 0, null],
  [0, 5, '0'],
  [5, 5, '100'],
  [999, 1_000, '99.9'],
  [1, 1_000, '0.1'],
  [2, 3, '67'],
])('%i of %i is %s percent', (part, whole, text) => expect(percentOf(part, whole)).toBe(text));
