import { Router } from 'express';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type AuditCounts, bookWatchOf } from '#server/billing/audit-watch.ts';
import type { Deps } from '#server/deps.ts';
import type { Executor } from '#server/generation/executor.ts';
import { AppError } from '#server/lib/app-error.ts';
import { describeError } from '#server/lib/describe-error.ts';
import { within } from '#server/lib/within.ts';
import type { ResolveIdentity } from './identity.ts';
import { readMoneyCounts } from './metrics-queries.ts';
import { readWorkCounts } from './queries.ts';

export type HttpMetrics = {
  registry: Registry;
  observe(request: { group: string; method: string; status: number; ms: number }): void;
};

const METHODS = new Set(['GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']);
const LIVE = ['queued', 'dispatching', 'running', 'uncertain', 'archiving', 'waiting'] as const;
const ENDED = ['succeeded', 'failed', 'cancelled'] as const;

/** Process and request metrics of one web process. No label names a user, a task or a path. */
export function createHttpMetrics(): HttpMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const seconds = new Histogram({
    name: 'sidelane_http_request_seconds',
    help: 'Time from request to the end of its answer',
    labelNames: ['group', 'method', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
    registers: [registry],
  });
  return {
    registry,
    observe({ group, method, status, ms }) {
      const known = METHODS.has(method) ? method : 'OTHER';
      seconds.observe({ group, method: known, status: `${Math.floor(status / 100)}xx` }, ms / 1_000);
    },
  };
}

/** `GET /metrics` in Prometheus' text format, for the bearer of the service token. */
export function createMetricsRouter(options: {
  deps: Pick<Deps, 'db' | 'logger'>;
  executor: Pick<Executor, 'stats'>;
  metrics: HttpMetrics;
  resolveIdentity: ResolveIdentity;
}): Router {
  const { deps, executor, metrics, resolveIdentity } = options;
  const collectWork = registerWork(metrics.registry);
  const collectMoney = registerMoney(metrics.registry);
  const books = bookWatchOf(deps);
  const router = Router();
  router.get('/metrics', (req, res, next) => {
    (async () => {
      const identity = await resolveIdentity(req).catch(() => undefined);
      if (identity?.type !== 'service') {
        throw new AppError(
          'unauthorized',
          'Send the service token (MAINTENANCE_TOKEN) as Authorization: Bearer …',
        );
      }
      await collectWork(deps, executor);
      await collectMoney(deps, books.look());
      res.type(metrics.registry.contentType).send(await metrics.registry.metrics());
    })().catch(next);
  });
  return router;
}

function registerWork(registry: Registry) {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const up = gauge('sidelane_database_up', '1 when the database answered this scrape');
  const live = gauge('sidelane_tasks', 'Tasks that have not ended, by status', ['status']);
  const ended = gauge(
    'sidelane_tasks_ended_last_day',
    'Tasks submitted in the last 24 h that ended, by status',
    ['status'],
  );
  const backlog = gauge('sidelane_tasks_due', 'Tasks that could be claimed now, counted up to 10,000');
  const refunds = gauge('sidelane_refunds', 'Credit refunds that are not settled, by status', ['status']);
  const inFlight = gauge('sidelane_steps_in_flight', 'Steps running in this process, by slot class', [
    'class',
  ]);
  const draining = gauge('sidelane_draining', '1 while this process shuts down');
  const failed = new Counter({
    name: 'sidelane_scrape_errors_total',
    help: 'Scrapes for which the database did not answer',
    registers: [registry],
  });

  return async (deps: Pick<Deps, 'db' | 'logger'>, executor: Pick<Executor, 'stats'>) => {
    const stats = executor.stats();
    draining.set(stats.draining ? 1 : 0);
    for (const [slot, total] of Object.entries(stats.inFlight)) inFlight.set({ class: slot }, total);
    try {
      const counts = await within(5_000, readWorkCounts(deps.db));
      up.set(1);
      for (const status of LIVE) live.set({ status }, counts.live[status] ?? 0);
      for (const status of ENDED) ended.set({ status }, counts.ended[status] ?? 0);
      backlog.set(counts.backlog);
      for (const status of ['pending', 'manual']) refunds.set({ status }, counts.refunds[status] ?? 0);
    } catch (error) {
      // Old numbers would look like news.
      for (const stale of [live, ended, backlog, refunds]) stale.reset();
      up.set(0);
      failed.inc();
      deps.logger.warn({ error: describeError(error) }, 'Metrics without database');
    }
  };
}

function registerMoney(registry: Registry) {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const mismatches = gauge(
    'sidelane_ledger_mismatches',
    'What the last audit of the books found, by check; must be 0, counted up to 100',
    ['check'],
  );
  const age = gauge('sidelane_ledger_audit_age_seconds', 'Since the last complete audit began');
  const refunds = gauge('sidelane_payment_refunds', 'Payment refunds that are not settled, by status', [
    'status',
  ]);
  const debts = gauge('sidelane_open_debts', 'Debts that are not paid off');
  const owed = gauge('sidelane_open_debt_credits', 'Credits owed in open debts');
  const payments = gauge('sidelane_payment_mismatches', 'Payments that fit no order and wait for a person');
  // Without labels a gauge says 0 until it is told: no audit yet is no audit of this moment.
  for (const unknown of [age, debts, owed, payments]) unknown.remove();

  return async (deps: Pick<Deps, 'db' | 'logger'>, audit: AuditCounts | undefined) => {
    for (const [check, total] of audit?.counts ?? []) mismatches.set({ check }, total);
    if (audit) age.set(audit.ageSeconds);
    try {
      const counts = await within(5_000, readMoneyCounts(deps.db));
      for (const status of ['pending', 'manual']) refunds.set({ status }, counts.paymentRefunds[status] ?? 0);
      debts.set(counts.openDebts);
      owed.set(counts.openDebtCredits);
      payments.set(counts.paymentMismatches);
    } catch {
      // Old numbers would look like news; that the database is away is said beside it.
      refunds.reset();
      for (const stale of [debts, owed, payments]) stale.remove();
    }
  };
}
