import { Button } from '@mantine/core';
import { useFetcher } from '@remix-run/react';
import { CircleSlash, Flag, Pause, Play } from 'lucide-react';
import { useId } from 'react';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { ErrorMessage } from '#app/components/ui/error-message.tsx';
import { useT } from '#app/lib/language.tsx';
import { useSentenceGap } from '#app/lib/sentence-gap.ts';
import { useFetcherReply } from '#app/lib/use-fetcher-reply.ts';
import type { WayOn } from '#app/lib/way-on.ts';
import { compositeTexts } from '#app/locales/composite.ts';
import type { CompositeView } from '#server/generation/composite/schemas.ts';
import classes from './composite.module.css';
import { useServerWords } from './server-words.ts';

/** What a composite page's action answers when it could not do what was asked; a success is a redirect to the page. */
export type CompositeFailure = { error: string };

type CompositeActionsProps = {
  view: Pick<CompositeView, 'can' | 'taskId'>;
  /** The page's own action, which hands the form to `runCompositeIntent`. */
  action: string;
  /** The answer to a form that was sent without JavaScript. */
  answer?: CompositeFailure;
};

/** Pause, resume, stop and cancel, each with what it means. Draws nothing when none can be asked for. */
export function CompositeActions({ view: { can, taskId }, action, answer }: CompositeActionsProps) {
  const fetcher = useFetcher<CompositeFailure | WayOn>({ key: `composite-${taskId}` });
  const t = useT(compositeTexts);
  const words = useServerWords();
  const gap = useSentenceGap();
  const meaningId = useId();
  const busy = fetcher.state === 'idle' ? null : fetcher.formData?.get('intent');
  const reply = useFetcherReply(fetcher, ignore) ?? answer;
  const error = fetcher.state === 'idle' ? words(reply?.error) : undefined;
  const meanings = [
    can.pause ? t('actions.pauseMeaning') : null,
    can.resume ? t('actions.resumeMeaning') : null,
    can.stop ? t('actions.stopMeaning') : null,
    can.cancel ? t('actions.cancelMeaning') : null,
  ].filter((each) => each !== null);
  if (meanings.length === 0 && !error) return null;

  const look = (intent: 'pause' | 'resume' | 'stop' | 'cancel') =>
    ({
      name: 'intent',
      value: intent,
      size: 'compact-sm',
      variant: 'default',
      loading: busy === intent,
      'aria-describedby': meaningId,
    }) as const;

  return (
    <fetcher.Form method="post" action={action} preventScrollReset className={classes.actions}>
      <div className={classes.buttons}>
        {can.pause ? (
          <Button {...look('pause')} type="submit" leftSection={<Pause size={14} aria-hidden />}>
            {t('actions.pause')}
          </Button>
        ) : null}
        {can.resume ? (
          <Button {...look('resume')} type="submit" leftSection={<Play size={14} aria-hidden />}>
            {t('actions.resume')}
          </Button>
        ) : null}
        {can.stop ? (
          <ConfirmButton
            {...look('stop')}
            confirmLabel={t('actions.stopConfirm')}
            leftSection={<Flag size={14} aria-hidden />}
          >
            {t('actions.stop')}
          </ConfirmButton>
        ) : null}
        {can.cancel ? (
          <ConfirmButton
            {...look('cancel')}
            confirmLabel={t('actions.cancelConfirm')}
            leftSection={<CircleSlash size={14} aria-hidden />}
          >
            {t('actions.cancel')}
          </ConfirmButton>
        ) : null}
      </div>
      <p id={meaningId} className={classes.meaning}>
        {meanings.join(gap)}
      </p>
      {error ? <ErrorMessage message={error} /> : null}
    </fetcher.Form>
  );
}

/** Nothing to do here: the page it comes back to shows what happened. */
function ignore(): void {}
