import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { compositeTexts } from '#app/locales/composite.ts';
import type { BudgetView } from '#server/generation/composite/schemas.ts';
import classes from './composite.module.css';
import { budgetWords } from './composite-words.ts';

type BudgetPanelProps = {
  budget: BudgetView;
  /** It has ended: what is free has gone back. */
  ended?: boolean;
};

/** What a composite may cost and what it has cost: estimated, held, spent, under way, and the rest. */
export function BudgetPanel({ budget, ended = false }: BudgetPanelProps) {
  const { estimateCredits, heldCredits, spentCredits, openCredits, freeCredits } = budget;
  const t = useT(compositeTexts);
  const format = useFormat();
  const rows = [
    { label: t('budget.estimated'), credits: estimateCredits },
    { label: t('budget.held'), credits: heldCredits },
    { label: t('budget.spent'), credits: spentCredits },
    { label: t('budget.open'), credits: ended || heldCredits === null ? null : openCredits },
    {
      label: t(ended ? 'budget.returned' : 'budget.unused'),
      credits: heldCredits === null ? null : freeCredits,
    },
  ];
  return (
    <Panel title={t('budget.title')}>
      <p className={classes.lead}>{budgetWords(budget, ended, { t, format })}</p>
      {heldCredits ? <BudgetBar budget={budget} heldCredits={heldCredits} ended={ended} /> : null}
      <dl className={classes.facts}>
        {rows.map(({ label, credits }) =>
          credits === null ? null : (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <CreditAmount credits={credits} />
              </dd>
            </div>
          ),
        )}
      </dl>
    </Panel>
  );
}

/** Spent and under way as parts of what is held; the figures below say the same in words. */
function BudgetBar({ budget, heldCredits, ended }: Required<BudgetPanelProps> & { heldCredits: number }) {
  const t = useT(compositeTexts);
  const format = useFormat();
  const share = (credits: number) => `${Math.min(100, (100 * credits) / heldCredits)}%`;
  return (
    <div
      className={classes.budgetBar}
      role="img"
      aria-label={t('budget.bar', {
        spent: format.credits(budget.spentCredits),
        held: format.credits(heldCredits),
      })}
    >
      <span data-part="spent" style={{ width: share(budget.spentCredits) }} />
      {ended ? null : <span data-part="open" style={{ width: share(budget.openCredits) }} />}
    </div>
  );
}
