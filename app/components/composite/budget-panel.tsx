import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { formatCredits } from '#app/lib/format.ts';
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
  const rows = [
    { label: 'Estimated', credits: estimateCredits },
    { label: 'Held, the most it can cost', credits: heldCredits },
    { label: 'Spent', credits: spentCredits },
    { label: 'Held by parts under way', credits: ended || heldCredits === null ? null : openCredits },
    { label: ended ? 'Returned' : 'Not used yet', credits: heldCredits === null ? null : freeCredits },
  ];
  return (
    <Panel title="Budget">
      <p className={classes.lead}>{budgetWords(budget, ended)}</p>
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
  const share = (credits: number) => `${Math.min(100, (100 * credits) / heldCredits)}%`;
  return (
    <div
      className={classes.budgetBar}
      role="img"
      aria-label={`${formatCredits(budget.spentCredits)} of ${formatCredits(heldCredits)} spent`}
    >
      <span data-part="spent" style={{ width: share(budget.spentCredits) }} />
      {ended ? null : <span data-part="open" style={{ width: share(budget.openCredits) }} />}
    </div>
  );
}
