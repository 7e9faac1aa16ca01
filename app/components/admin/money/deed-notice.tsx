import { useActionData } from '@remix-run/react';
import { Notice } from '#app/components/ui/error-message.tsx';
import { readDeed } from '#app/lib/deed.ts';
import { useT } from '#app/lib/language.tsx';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import classes from './money.module.css';

/** What the form that was just sent has done; read out, because it may be out of sight. */
export function DeedNotice() {
  const deed = readDeed(useActionData());
  const t = useT(adminMoneyTexts);
  return (
    <div role="status" className={classes.deed}>
      {deed ? (
        <Notice tone="good" title={t('doneTitle')}>
          {t(`done.${deed.done}` as 'done.adjust')}
        </Notice>
      ) : null}
    </div>
  );
}
