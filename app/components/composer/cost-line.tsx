import { Link } from '@remix-run/react';
import type { TFunction } from 'i18next';
import { Trans } from 'react-i18next';
import { isFree } from '#app/lib/format.ts';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { workbenchTexts } from '#app/locales/workbench.ts';
import type { ModelView } from '#server/generation/schemas.ts';
import classes from './composer.module.css';
import { costBreakdown, type FormOrder } from './price.ts';
import type { Cost } from './use-cost.ts';

type CostLineProps = { id: string; model: ModelView; order: FormOrder; cost: Cost; owedCredits: number };

/** What a submit holds, out of what there is and what is left, before it is pressed. */
export function CostLine({ id, model, order, cost, owedCredits }: CostLineProps) {
  const t = useT(workbenchTexts);
  const format = useFormat();
  const breakdown = costBreakdown({ t, format }, model, order);
  return (
    <div id={id} className={classes.cost}>
      <p className={classes.costMain} data-testid="cost">
        <strong>{cost.credits === 0 ? t('cost.free') : format.credits(cost.credits)}</strong>
        {breakdown ? <span className={classes.costHow}> = {breakdown}</span> : null}
      </p>
      <p className={classes.costBalance} data-short={!cost.affordable || owedCredits > 0 || undefined}>
        {balanceWords()}
      </p>
    </div>
  );

  function balanceWords() {
    const { balanceCredits, credits } = cost;
    const balance = format.integer(balanceCredits);
    const ways = { buy: <Link to="/credits/buy" />, redeem: <Link to="/redeem" /> };
    if (owedCredits > 0) {
      const values = { credits: format.credits(owedCredits) };
      return <Trans t={t} i18nKey="cost.owed" values={values} components={ways} />;
    }
    if (cost.affordable) {
      const after = format.integer(balanceCredits - credits);
      const words =
        credits === 0 ? t('cost.balanceFree', { balance }) : t('cost.balance', { balance, after });
      return `${words} ${refundRule(t, model)}`;
    }
    if (balanceCredits === 0) return <Trans t={t} i18nKey="cost.nothing" components={ways} />;
    const values = { balance, missing: format.integer(credits - balanceCredits) };
    const components = { credits: <Link to="/credits" /> };
    return <Trans t={t} i18nKey="cost.short" values={values} components={components} />;
  }
}

function refundRule(t: TFunction<'workbench'>, model: ModelView): string {
  if (isFree(model.price)) return '';
  const unused = model.price.unit === 'tokens' ? `${t('cost.unusedBack')} ` : '';
  return `${unused}${t(model.chargedWhenCancelled ? 'cost.chargedWhenCancelled' : 'cost.refunded')}`;
}
