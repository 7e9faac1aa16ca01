import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import classes from './money.module.css';

type RefundProgressProps = {
  refund: {
    status: string;
    attempts: number;
    nextAttemptAt: Date | null;
    lastError: string | null;
    settledAt: Date | null;
    resolution: string | null;
  };
};

/** How far a refund has come: its tries, why the last one failed, and how it ended. */
export function RefundProgress({ refund }: RefundProgressProps) {
  const t = useT(adminMoneyTexts);
  const { status, attempts, nextAttemptAt, lastError, settledAt, resolution } = refund;
  if (settledAt) {
    return (
      <div className={classes.who}>
        <TimeAgo at={settledAt} style="absolute" />
        {resolution ? <span className={classes.note}>{resolution}</span> : null}
      </div>
    );
  }
  return (
    <div className={classes.who}>
      {resolution ?? lastError ?? t('refunds.noFailure')}
      <span className={classes.note}>
        {t('refunds.tries', { count: attempts })}
        {status === 'pending' && nextAttemptAt ? (
          <>
            {t('refunds.nextTry')} <TimeAgo at={nextAttemptAt} />
          </>
        ) : null}
      </span>
    </div>
  );
}
