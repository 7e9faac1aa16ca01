import { Link } from '@remix-run/react';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import type { MoneyView } from '#server/generation/schemas.ts';
import { useSay } from './say.ts';
import classes from './task-page.module.css';
import { moneyWords } from './task-words.ts';

type TaskMoneyProps = {
  money: MoneyView;
  /** Of a composite, whose budget it may have drawn from. */
  isPart?: boolean;
};

/** What the credits of a task did, as the ledger has it. */
export function TaskMoney({ money, isPart = false }: TaskMoneyProps) {
  const say = useSay();
  const { t } = say;
  const words = moneyWords(money, say, isPart);
  const rows = [
    { label: t('page.heldAtSubmit'), credits: money.heldCredits },
    { label: t('page.charged'), credits: money.chargedCredits },
    { label: t('page.returned'), credits: money.returnedCredits },
  ];
  return (
    <>
      <p className={classes.lead} data-tone={words.tone}>
        {words.long}
      </p>
      <dl className={classes.facts}>
        {rows.map(({ label, credits }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <CreditAmount credits={credits} />
            </dd>
          </div>
        ))}
      </dl>
      <p className={classes.small}>
        <Link to="/credits">{t('page.movements')}</Link>
      </p>
    </>
  );
}
