import { ErrorMessage } from '#app/components/ui/error-message.tsx';
import { useT } from '#app/lib/language.tsx';
import { promptTexts } from '#app/locales/prompts.ts';
import classes from './dialog.module.css';

/** In the place of what is not there yet, or cannot be had. */
export function RemoteNote({ failed }: { failed: boolean }) {
  const t = useT(promptTexts);
  if (failed) return <ErrorMessage message={t('dialog.failed')} />;
  return (
    <p role="status" className={classes.quiet}>
      {t('dialog.loading')}
    </p>
  );
}
