import { Link } from '@remix-run/react';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import type { MoneyView } from '#server/generation/schemas.ts';
import classes from './task-page.module.css';
import { moneyWords } from './task-words.ts';

/** What the credits of a task did, as the ledger has it. */
export function TaskMoney({ money }: { money: MoneyView }) {
  const words = moneyWords(money);
  const rows = [
    { label: 'Held at submit', credits: money.heldCredits },
    { label: 'Charged', credits: money.chargedCredits },
    { label: 'Returned', credits: money.returnedCredits },
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
        <Link to="/credits">See every movement</Link>
      </p>
    </>
  );
}
