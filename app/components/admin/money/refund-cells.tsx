import { Anchor } from '@mantine/core';
import { Link } from '@remix-run/react';
import type { ReactNode } from 'react';
import lists from '#app/components/admin/lists/lists.module.css';
import { ActionForm } from '#app/components/ui/action-form.tsx';
import { SubmitButton } from '#app/components/ui/form-field.tsx';
import { deedName } from '#app/lib/deed.ts';
import { useT } from '#app/lib/language.tsx';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import { Decide } from './decide.tsx';
import classes from './money.module.css';

/** Cells that refunds of credits and of money have in common. */

type RefundAboutProps = {
  /** The box that chooses it, in a list. */
  check?: ReactNode;
  who: ReactNode;
  reason: string;
  /** What is refunded, unless the page is about it. */
  subject: { to: string; label: string } | null;
};

export function RefundAbout({ check, who, reason, subject }: RefundAboutProps) {
  const about = (
    <div className={classes.who}>
      {who}
      <span className={classes.note}>
        {reason}
        {subject ? (
          <>
            {' '}
            <Anchor component={Link} to={subject.to} inherit underline="always">
              {subject.label}
            </Anchor>
          </>
        ) : null}
      </span>
    </div>
  );
  if (!check) return about;
  return (
    <div className={lists.choice}>
      {check}
      {about}
    </div>
  );
}

type RefundDeedsProps = {
  refund: { id: string; userEmail: string };
  retryIntent: string;
  /** Opens the forms that end it. */
  summary: string;
  /** Intents of those forms. */
  intents: readonly string[];
  children: ReactNode;
};

/** What a person can do about a refund that waits for them: try it again, or end it. */
export function RefundDeeds({ refund, retryIntent, summary, intents, children }: RefundDeedsProps) {
  const t = useT(adminMoneyTexts);
  return (
    <div className={classes.actions}>
      <ActionForm intent={retryIntent} values={{ refundId: refund.id }}>
        <SubmitButton
          variant="default"
          size="xs"
          aria-label={t('refunds.tryAgainTo', { email: refund.userEmail })}
        >
          {t('refunds.tryAgain')}
        </SubmitButton>
      </ActionForm>
      <Decide summary={summary} forms={intents.map((intent) => deedName(intent, refund.id))}>
        {children}
      </Decide>
    </div>
  );
}
