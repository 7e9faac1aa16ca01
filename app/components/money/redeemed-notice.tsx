import { Trans } from 'react-i18next';
import { Notice } from '#app/components/ui/error-message.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { moneyTexts } from '#app/locales/money.ts';
import type { Redeemed } from '#server/billing/redeem/schemas.ts';
import classes from './money.module.css';

/** What a code gave: how much, until when, and what of it a debt took. */
export function RedeemedNotice({ redeemed }: { redeemed: Redeemed }) {
  const t = useT(moneyTexts);
  const format = useFormat();
  const { title, paidDebtCredits, repeated } = redeemed;
  const credits = format.credits(redeemed.credits);
  return (
    <div role="status">
      <Notice
        tone={repeated ? 'note' : 'good'}
        title={repeated ? t('redeemed.repeated') : t('redeemed.title', { title, credits })}
      >
        <p className={classes.text}>
          {repeated ? `${t('redeemed.then', { credits })} ` : ''}
          {paidDebtCredits > 0
            ? `${t('redeemed.paidDebt', { credits: format.credits(paidDebtCredits) })} `
            : ''}
          <Expiry redeemed={redeemed} />
        </p>
      </Notice>
    </div>
  );
}

/** Until when what no debt took can be spent. */
function Expiry({ redeemed: { credits, expiresAt, paidDebtCredits } }: { redeemed: Redeemed }) {
  const t = useT(moneyTexts);
  const format = useFormat();
  const yours = credits - paidDebtCredits;
  const others = paidDebtCredits > 0;
  if (yours === 0) return null;
  const values = { credits: format.credits(yours) };
  if (!expiresAt) return others ? t('redeemed.othersNever', values) : t('redeemed.never');
  return (
    <Trans
      t={t}
      i18nKey={others ? 'redeemed.othersExpire' : 'redeemed.expire'}
      values={values}
      components={{ moment: <TimeAgo at={expiresAt} style="both" /> }}
    />
  );
}
