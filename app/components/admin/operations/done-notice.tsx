import { useActionData } from '@remix-run/react';
import { Notice } from '#app/components/ui/error-message.tsx';
import { readDeed } from '#app/lib/deed.ts';
import { useT } from '#app/lib/language.tsx';
import { operationsTexts } from '#app/locales/operations.ts';
import classes from './operations.module.css';

/** What an action of these pages did, as a key of the texts, so that the page says it in its language. */
export type Done = 'paused' | 'resumed' | 'announced' | 'withdrawn' | 'policySet' | 'policyReset';

/** What the form that was just sent has done; read out, because it may be out of sight. */
export function DoneNotice() {
  const t = useT(operationsTexts);
  const deed = readDeed(useActionData());
  return (
    <div role="status" className={classes.deed}>
      {deed ? (
        <Notice tone="good" title={t('notice')}>
          {t(`done.${deed.done as Done}`)}
        </Notice>
      ) : null}
    </div>
  );
}
