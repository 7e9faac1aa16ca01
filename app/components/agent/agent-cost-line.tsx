import { Link } from '@remix-run/react';
import type { ReactNode } from 'react';
import { Trans } from 'react-i18next';
import { useServerWords } from '#app/components/composite/server-words.ts';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { agentTexts } from '#app/locales/agent.ts';
import classes from './agent-composer.module.css';
import type { AgentCost } from './use-agent-cost.ts';

type AgentCostLineProps = { id: string; cost: AgentCost; owedCredits: number };

/** What a start holds, what a usual run costs, and what there is, before it is pressed. */
export function AgentCostLine({ id, cost, owedCredits }: AgentCostLineProps) {
  const words = useServerWords();
  const { affordable, refusal } = cost;
  return (
    <div id={id} className={classes.cost}>
      <p className={classes.costMain} data-testid="agent-cost">
        <CapWords cost={cost} />
      </p>
      <p className={classes.costNote} data-short={!affordable || owedCredits > 0 || undefined}>
        <BalanceWords cost={cost} owedCredits={owedCredits} />
      </p>
      {refusal ? (
        <p className={classes.costNote} data-short>
          {words(refusal)}
        </p>
      ) : null}
    </div>
  );
}

function CapWords({ cost: { capCredits, quote } }: { cost: AgentCost }): ReactNode {
  const t = useT(agentTexts);
  const format = useFormat();
  if (capCredits === null) return t('cost.noBudget');
  const components = { b: <strong /> };
  const most = format.credits(capCredits);
  if (!quote) return <Trans t={t} i18nKey="cost.most" values={{ most }} components={components} />;
  const values = { estimate: format.credits(quote.estimateCredits), most };
  return <Trans t={t} i18nKey="cost.about" values={values} components={components} />;
}

function BalanceWords({ cost, owedCredits }: { cost: AgentCost; owedCredits: number }): ReactNode {
  const t = useT(agentTexts);
  const format = useFormat();
  const { capCredits, balanceCredits, affordable } = cost;
  if (owedCredits > 0) {
    const ways = { buy: <Link to="/credits/buy" />, redeem: <Link to="/redeem" /> };
    const values = { credits: format.credits(owedCredits) };
    return <Trans t={t} i18nKey="cost.owed" values={values} components={ways} />;
  }
  const balance = format.integer(balanceCredits);
  if (affordable || capCredits === null) return t('cost.balance', { balance });
  const components = { credits: <Link to="/credits" /> };
  if (capCredits <= balanceCredits) return <Trans t={t} i18nKey="cost.blocked" components={components} />;
  const values = { balance, missing: format.integer(capCredits - balanceCredits) };
  return <Trans t={t} i18nKey="cost.short" values={values} components={components} />;
}
