import { Link } from '@remix-run/react';
import { formatCredits, formatInteger } from '#app/lib/format.ts';
import type { ModelView } from '#server/generation/schemas.ts';
import classes from './composer.module.css';
import { costBreakdown } from './price.ts';
import type { Cost } from './use-cost.ts';

type CostLineProps = { id: string; model: ModelView; params: Record<string, unknown>; cost: Cost };

/** What a submit holds, out of what there is, before it is pressed. */
export function CostLine({ id, model, params, cost }: CostLineProps) {
  const breakdown = costBreakdown(model.price, params);
  return (
    <div id={id} className={classes.cost}>
      <p className={classes.costMain} data-testid="cost">
        <strong>{cost.credits === 0 ? 'Free' : formatCredits(cost.credits)}</strong>
        {breakdown ? <span className={classes.costHow}> = {breakdown}</span> : null}
      </p>
      <p className={classes.costBalance} data-short={!cost.affordable || undefined}>
        {cost.affordable ? (
          `You have ${formatInteger(cost.balanceCredits)}. ${refundRule(model)}`
        ) : (
          <>
            Not enough credits: you have {formatInteger(cost.balanceCredits)},{' '}
            {formatInteger(cost.credits - cost.balanceCredits)} too few. Order less, choose another model, or
            see <Link to="/credits">your credits</Link>.
          </>
        )}
      </p>
    </div>
  );
}

function refundRule(model: ModelView): string {
  if (model.price.credits === 0) return '';
  return model.chargedWhenCancelled
    ? 'This model charges in full when it is cancelled after it started; a failed task is refunded.'
    : 'A failed task is refunded in full.';
}
