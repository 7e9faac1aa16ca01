import { screen, within } from '@testing-library/react';
import axe from 'axe-core';
import { expect, it } from 'vitest';
import { renderInApp } from '#app/testing/render.tsx';
import type { LaneReport, WorkerView } from '#server/maintenance/schemas.ts';
import { ProcessPanel } from './process-panel.tsx';
import { WorkerPanel } from './worker-panel.tsx';

const lane = (overrides: Partial<LaneReport>): LaneReport => ({
  name: 'generation',
  number: 0,
  state: 'sleeping',
  knocks: 1_200,
  failures: 0,
  lastKnockAt: new Date(),
  lastError: null,
  lastResult: null,
  lastFound: null,
  nextKnockAt: null,
  ...overrides,
});
const WORKER: WorkerView = {
  workerId: 'worker-1',
  version: '0.2.0',
  protocol: 1,
  compatible: true,
  startedAt: new Date(),
  lastSeenAt: new Date(),
  ageSeconds: 3,
  freshness: 'fresh',
  heartbeats: 40,
  lanes: [
    lane({
      lastResult: { claimed: 0, waitedMs: 900 },
      lastFound: { at: new Date(), counts: { claimed: 3, succeeded: 2, failed: 0 } },
    }),
    lane({ number: 1, state: 'backing_off', lastError: 'ECONNREFUSED', nextKnockAt: new Date() }),
  ],
};

it('shows what the last knock of each lane came to, and why one backs off', async () => {
  const { container } = renderInApp(
    <main>
      <WorkerPanel worker={WORKER} />
    </main>,
  );
  expect(screen.getByText('At work')).toBeInTheDocument();
  expect(screen.getByText(/version 0\.2\.0 · protocol 1 · 40 heartbeats/)).toBeInTheDocument();
  const [, calm, failing] = within(screen.getByRole('table', { name: 'Lanes of worker-1' })).getAllByRole(
    'row',
  );
  expect(calm).toHaveTextContent(/generation 0.*Sleeping.*nothing was due.*claimed 3, succeeded 2.*1,200/);
  expect(calm).not.toHaveTextContent(/waitedMs|Knocks again/);
  expect(failing).toHaveTextContent(/Backing off.*Knocks again.*none yet.*ECONNREFUSED/);
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
  expect(violations.map((violation) => `${violation.id}: ${violation.help}`)).toEqual([]);
});

it('says that another protocol is refused', () => {
  renderInApp(<WorkerPanel worker={{ ...WORKER, compatible: false, freshness: 'late' }} />);
  expect(screen.getByText(/its knocks are refused/)).toBeInTheDocument();
  expect(screen.getByText('Late')).toBeInTheDocument();
});

it('shows the slots of this web process and whose leases there are', () => {
  const processes = {
    self: {
      id: 'e1',
      uptimeSeconds: 3_700,
      draining: true,
      slots: [{ slot: 'poll' as const, used: 2, size: 256 }],
    },
    executors: [
      { executorId: 'e2', leases: 5, isSelf: false },
      { executorId: 'e1', leases: 2, isSelf: true },
    ],
  };
  renderInApp(<ProcessPanel processes={processes} />);
  expect(screen.getByText(/shuts down/)).toBeInTheDocument();
  expect(screen.getByText('Polls').nextElementSibling).toHaveTextContent('2 of 256');
  expect(screen.getByText('Up for').nextElementSibling).toHaveTextContent('1:01:40');
  const rows = screen.getAllByRole('row').map((row) => row.textContent);
  expect(rows.slice(1)).toEqual(['e2 5', 'e1 this one2']);
});
