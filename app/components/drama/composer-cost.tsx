import { formatCredits, formatDuration, formatInteger, formatPrice, isFree } from '#app/lib/format.ts';
import type { ModelView } from '#server/generation/schemas.ts';
import classes from './composer.module.css';
import { type AskOrderQuote, type OrderToQuote, useOrderQuote } from './use-order-quote.ts';

type ComposerCostProps = {
  id: string;
  order: OrderToQuote | null;
  storyboard: ModelView | undefined;
  askQuote: AskOrderQuote | undefined;
};

/** About what the film costs, and when what is charged. */
export function ComposerCost({ id, order, storyboard, askQuote }: ComposerCostProps) {
  const quote = useOrderQuote(order, askQuote);
  return (
    <div id={id} className={classes.cost}>
      <p data-testid="hint">
        {quote && order ? (
          <>
            <strong>About {formatCredits(quote.totalCredits)}</strong> for {formatInteger(order.shots)}{' '}
            {order.shots === 1 ? 'shot' : 'shots'} of usual length ({formatDuration(quote.seconds * 1000)})
          </>
        ) : (
          'The storyboard is written first.'
        )}
      </p>
      {quote && !quote.affordable ? (
        <p data-short>
          You have {formatInteger(quote.balanceCredits)}: enough for the storyboard, not for these shots.
        </p>
      ) : null}
      <p>
        {storyboard && !isFree(storyboard.price)
          ? `The storyboard is charged by itself, ${formatPrice(storyboard.price)}. `
          : ''}
        You see the exact price of the shots before anything is made of them.
      </p>
    </div>
  );
}
