import { Link } from '@remix-run/react';
import { formatCredits, formatInteger } from '#app/lib/format.ts';
import classes from './agent-composer.module.css';
import type { AgentCost } from './use-agent-cost.ts';

type AgentCostLineProps = { id: string; cost: AgentCost; owedCredits: number };

/** What a start holds, what a usual run costs, and what there is, before it is pressed. */
export function AgentCostLine({ id, cost, owedCredits }: AgentCostLineProps) {
  const { capCredits, quote, balanceCredits, affordable, refusal } = cost;
  return (
    <div id={id} className={classes.cost}>
      <p className={classes.costMain} data-testid="agent-cost">
        {capCredits === null ? (
          'Enter a budget.'
        ) : quote ? (
          <>
            About <strong>{formatCredits(quote.estimateCredits)}</strong>, never more than{' '}
            <strong>{formatCredits(capCredits)}</strong>
          </>
        ) : (
          <>
            Never more than <strong>{formatCredits(capCredits)}</strong>
          </>
        )}
      </p>
      <p className={classes.costNote} data-short={!affordable || owedCredits > 0 || undefined}>
        {owedCredits > 0 ? (
          <>
            You owe {formatCredits(owedCredits)}. Nothing is accepted until they are paid off:{' '}
            <Link to="/credits/buy">buy credits</Link> or <Link to="/redeem">redeem a code</Link>.
          </>
        ) : affordable || capCredits === null ? (
          `You have ${formatInteger(balanceCredits)}. The whole budget is held at the start; what is not used comes back at the end.`
        ) : capCredits > balanceCredits ? (
          <>
            Not enough credits: you have {formatInteger(balanceCredits)},{' '}
            {formatInteger(capCredits - balanceCredits)} too few. Choose a lower budget, or see{' '}
            <Link to="/credits">your credits</Link>.
          </>
        ) : (
          <>
            This cannot be started now. See <Link to="/credits">your credits</Link>.
          </>
        )}
      </p>
      {refusal ? (
        <p className={classes.costNote} data-short>
          {refusal}
        </p>
      ) : null}
    </div>
  );
}
