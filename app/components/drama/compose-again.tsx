import { Button, NativeSelect } from '@mantine/core';
import { Clapperboard } from 'lucide-react';
import { useServerWords } from '#app/components/composite/server-words.ts';
import { ErrorMessage } from '#app/components/ui/error-message.tsx';
import { useT } from '#app/lib/language.tsx';
import { useRequestKey } from '#app/lib/request-key.ts';
import { dramaTexts } from '#app/locales/drama.ts';
import { CAPTION_MODES, type DramaView } from '#server/generation/drama/schemas.ts';
import classes from './drama.module.css';
import type { DramaAnswer } from './drama-answer.ts';
import { useDramaFetcher } from './use-drama-fetcher.ts';

type ComposeAgainProps = {
  view: Pick<DramaView, 'taskId' | 'settings'>;
  requestKey: string;
  answer?: DramaAnswer;
  /** Words of the button. */
  label: string;
};

/** Puts the film together again from what is there: a new version that costs nothing, with other captions if wanted. */
export function ComposeAgain({ view: { taskId, settings }, requestKey, answer, label }: ComposeAgainProps) {
  const t = useT(dramaTexts);
  const words = useServerWords();
  const { key, renew } = useRequestKey(`${requestKey}-film`);
  const { Form, isBusy, error: refusal } = useDramaFetcher(`drama-compose-${taskId}`, renew);
  const mine = answer?.intent === 'redo' && answer.shotId === undefined ? answer.error : undefined;
  const error = isBusy ? undefined : words(refusal ?? mine);
  return (
    <Form method="post" action={`/workbench/dramas/${taskId}`} className={classes.compose}>
      <input type="hidden" name="requestKey" value={key} autoComplete="off" />
      <NativeSelect
        name="captions"
        label={t('compose.captions')}
        defaultValue={settings.captions}
        data={CAPTION_MODES.map((mode) => ({ value: mode, label: t(`captions.${mode}`) }))}
      />
      <Button
        type="submit"
        name="intent"
        value="redo"
        variant="default"
        leftSection={<Clapperboard size={16} aria-hidden />}
        loading={isBusy}
      >
        {label}
      </Button>
      <p className={classes.dim}>{t('compose.free')}</p>
      {error ? <ErrorMessage message={error} /> : null}
    </Form>
  );
}
