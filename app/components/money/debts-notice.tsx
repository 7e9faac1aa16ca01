import { Trans } from 'react-i18next';
import { Notice } from '#app/components/ui/error-message.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useLanguage, useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { moneyTexts } from '#app/locales/money.ts';
import type { DebtView } from '#server/billing/schemas.ts';
import { ledgerReason } from './ledger-reason.ts';
import classes from './money.module.css';

/** Integer credits that are still owed. */
export function owedCredits(debts: readonly DebtView[]): number {
  return debts.reduce((sum, debt) => sum + debt.remainingCredits, 0);
}

/** What is owed, why, and what that stops. Draws nothing without a debt. */
export function DebtsNotice({ debts }: { debts: readonly DebtView[] }) {
  const t = useT(moneyTexts);
  const language = useLanguage();
  const format = useFormat();
  if (debts.length === 0) return null;
  return (
    <div className={classes.notice}>
      <Notice tone="warning" title={t('debts.title', { credits: format.credits(owedCredits(debts)) })}>
        <p className={classes.text}>{t('debts.text')}</p>
        <ul className={classes.debts}>
          {debts.map((debt) => (
            <li key={debt.id}>
              <Trans
                t={t}
                i18nKey={debt.remainingCredits === debt.amountCredits ? 'debts.whole' : 'debts.part'}
                values={{
                  reason: ledgerReason(debt.reason, language),
                  credits: format.credits(debt.remainingCredits),
                  total: format.credits(debt.amountCredits),
                }}
                components={{ moment: <TimeAgo at={debt.createdAt} style="absolute" /> }}
              />
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  );
}
