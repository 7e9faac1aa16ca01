import { Trans } from 'react-i18next';
import { isFree } from '#app/lib/format.ts';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { dramaTexts } from '#app/locales/drama.ts';
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
  const t = useT(dramaTexts);
  const format = useFormat();
  const quote = useOrderQuote(order, askQuote);
  return (
    <div id={id} className={classes.cost}>
      <p data-testid="hint">
        {quote && order ? (
          <Trans
            t={t}
            i18nKey="hint.about"
            count={order.shots}
            values={{
              credits: format.credits(quote.totalCredits),
              length: format.duration(quote.seconds * 1000),
            }}
            components={{ b: <strong /> }}
          />
        ) : (
          t('hint.first')
        )}
      </p>
      {quote && !quote.affordable ? (
        <p data-short>{t('hint.short', { balance: format.integer(quote.balanceCredits) })}</p>
      ) : null}
      <p>
        {storyboard && !isFree(storyboard.price)
          ? t('hint.storyboard', { price: format.price(storyboard.price) })
          : t('hint.exact')}
      </p>
    </div>
  );
}
