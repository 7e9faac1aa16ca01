import { FactList } from '#app/components/ui/fact-list.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { adminTexts } from '#app/locales/admin.ts';
import { type LedgerCheck, MOST_DUE, type OverviewView } from '#server/overview/schemas.ts';
import { percentOf } from './percent-of.ts';

/** What waits at this moment. */
export function NowFigures({ now, ledger }: Pick<OverviewView, 'now' | 'ledger'>) {
  const t = useT(adminTexts);
  const format = useFormat();
  const { live, due, oldestDueSeconds, refunds, paymentRefunds } = now;
  const underWay = Object.values(live).reduce((sum, count) => sum + count, 0);
  return (
    <FactList
      facts={[
        {
          label: t('overview.now.underWay'),
          value: format.integer(underWay),
          help: liveWords(live, t, format),
        },
        {
          label: t('overview.now.due'),
          value: due >= MOST_DUE ? `${format.integer(MOST_DUE)}+` : format.integer(due),
          help: t('overview.now.dueHelp'),
        },
        {
          label: t('overview.now.oldest'),
          value: oldestDueSeconds === null ? t('none') : format.duration(oldestDueSeconds * 1_000),
          help: t('overview.now.oldestHelp'),
        },
        {
          label: t('overview.now.refunds'),
          value: format.integer(refunds.pending + paymentRefunds.pending),
          help: t('overview.now.refundsHelp', { count: refunds.manual + paymentRefunds.manual }),
        },
        { label: t('overview.now.ledger'), ...ledgerFigure(ledger, t) },
      ]}
    />
  );
}

type T = ReturnType<typeof useT<'admin'>>;

function liveWords(live: Record<string, number>, t: T, format: ReturnType<typeof useFormat>): string {
  return Object.entries(live)
    .map(([status, count]) => `${format.integer(count)} ${t(`overview.live.${status as 'queued'}`)}`)
    .join(', ');
}

function ledgerFigure(ledger: LedgerCheck, t: T): { value: string; help: string } {
  if (!ledger) return { value: '…', help: t('overview.ledger.running') };
  const minutes = Math.floor(ledger.ageSeconds / 60);
  const age = minutes === 0 ? t('overview.ledger.now') : t('overview.ledger.minutes', { count: minutes });
  return ledger.mismatches === 0
    ? { value: t('overview.ledger.right'), help: age }
    : { value: t('overview.ledger.wrong', { count: ledger.mismatches }), help: age };
}

/** What a window's tasks came to. */
export function WindowFigures({ totals }: Pick<OverviewView, 'totals'>) {
  const t = useT(adminTexts);
  const format = useFormat();
  const { submitted, succeeded, failed, people, chargedCredits, boughtCredits } = totals;
  const percent = percentOf(succeeded, succeeded + failed);
  return (
    <FactList
      facts={[
        { label: t('overview.totals.submitted'), value: format.integer(submitted) },
        {
          label: t('overview.totals.successRate'),
          value: percent === null ? t('none') : format.percent(percent),
          help: t('overview.totals.successRateHelp'),
        },
        { label: t('overview.totals.people'), value: format.integer(people) },
        { label: t('overview.totals.charged'), value: format.integer(chargedCredits) },
        { label: t('overview.totals.bought'), value: format.integer(boughtCredits) },
      ]}
    />
  );
}
