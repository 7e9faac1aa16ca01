import { Button, NativeSelect } from '@mantine/core';
import { Clapperboard } from 'lucide-react';
import { ErrorMessage } from '#app/components/ui/error-message.tsx';
import { useRequestKey } from '#app/lib/request-key.ts';
import { CAPTION_MODES, type DramaView } from '#server/generation/drama/schemas.ts';
import classes from './drama.module.css';
import type { DramaAnswer } from './drama-answer.ts';
import { CAPTION_WORDS } from './drama-words.ts';
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
  const { key, renew } = useRequestKey(`${requestKey}-film`);
  const { Form, isBusy, error: refusal } = useDramaFetcher(`drama-compose-${taskId}`, renew);
  const mine = answer?.intent === 'redo' && answer.shotId === undefined ? answer.error : undefined;
  const error = isBusy ? undefined : (refusal ?? mine);
  return (
    <Form method="post" action={`/workbench/dramas/${taskId}`} className={classes.compose}>
      <input type="hidden" name="requestKey" value={key} autoComplete="off" />
      <NativeSelect
        name="captions"
        label="Captions"
        defaultValue={settings.captions}
        data={CAPTION_MODES.map((mode) => ({ value: mode, label: CAPTION_WORDS[mode] }))}
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
      <p className={classes.dim}>Makes a new version from the shots that are here. This is free.</p>
      {error ? <ErrorMessage message={error} /> : null}
    </Form>
  );
}
