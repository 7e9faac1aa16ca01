import { Button, Group } from '@mantine/core';
import { RotateCcw } from 'lucide-react';
import { useServerWords } from '#app/components/composite/server-words.ts';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { ErrorMessage, Notice } from '#app/components/ui/error-message.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { dramaTexts } from '#app/locales/drama.ts';
import type { DramaView } from '#server/generation/drama/schemas.ts';
import classes from './drama.module.css';
import type { DramaAnswer } from './drama-answer.ts';
import { listParts, type NamedPart, partLabel } from './drama-words.ts';
import { creditsOf } from './plan-cost.ts';
import { useDramaFetcher } from './use-drama-fetcher.ts';

type FailedPartsProps = {
  view: Pick<DramaView, 'taskId' | 'shots' | 'quote'>;
  answer?: DramaAnswer;
};

/** Parts that could not be made: try one or all again, or go on without them. */
export function FailedParts({ view, answer }: FailedPartsProps) {
  const t = useT(dramaTexts);
  const action = `/workbench/dramas/${view.taskId}`;
  const failed = listParts(view.shots).filter(({ view: part }) => part.status === 'failed');
  return (
    <Notice tone="warning" title={t('failed.title', { count: failed.length })}>
      <p className={classes.lead}>{t('failed.text')}</p>
      <ul className={classes.failed}>
        {failed.map((part) => (
          <FailedPart
            key={part.view.key}
            part={part}
            view={view}
            action={action}
            answer={answer}
            isOnly={failed.length === 1}
          />
        ))}
      </ul>
      <DecideAll action={action} count={failed.length} answer={answer} taskId={view.taskId} />
    </Notice>
  );
}

type FailedPartProps = {
  part: NamedPart;
  view: FailedPartsProps['view'];
  action: string;
  answer: DramaAnswer | undefined;
  /** Then there is no other button that tries again. */
  isOnly: boolean;
};

function FailedPart({ part: named, view, action, answer, isOnly }: FailedPartProps) {
  const t = useT(dramaTexts);
  const format = useFormat();
  const said = useServerWords();
  const { shotId, part, view: state } = named;
  const label = partLabel(named, t);
  const retry = useDramaFetcher(`drama-retry-${state.key}-${view.taskId}`);
  const mine = answer?.shotId === shotId ? answer.error : undefined;
  const error = retry.isBusy ? undefined : said(retry.error ?? mine);
  const credits = retryCredits(view, { shotId, part });
  const words =
    credits === null ? t('failed.retry') : t('failed.retryFor', { credits: format.credits(credits) });
  return (
    <li>
      <retry.Form method="post" action={action} preventScrollReset className={classes.failedRow}>
        <input type="hidden" name="shotId" value={shotId} />
        <input type="hidden" name="part" value={part} />
        <span>
          <strong>{label}</strong>
          {t('failed.colon')}
          {said(state.problem ?? state.child?.failure) ?? t('parts.failed')}
        </span>
        <Button
          type="submit"
          name="intent"
          value="retry"
          size="compact-sm"
          variant={isOnly ? 'filled' : 'default'}
          leftSection={<RotateCcw size={14} aria-hidden />}
          loading={retry.isBusy}
          aria-label={t('failed.retryName', { retry: words, part: label })}
        >
          {words}
        </Button>
      </retry.Form>
      {error ? <ErrorMessage message={error} /> : null}
    </li>
  );
}

/** A picture brings back what was left out because it was missing. */
function retryCredits(
  { quote, shots }: FailedPartsProps['view'],
  { shotId, part }: Pick<NamedPart, 'shotId' | 'part'>,
): number | null {
  const cost = quote?.shots[shotId];
  if (!cost) return null;
  const shot = shots.find(({ id }) => id === shotId);
  const left = (['clip', 'voice'] as const).filter((each) => shot?.[each]?.status === 'skipped');
  return [part, ...(part === 'picture' ? left : [])].reduce((sum, each) => sum + creditsOf(cost, each), 0);
}

type DecideAllProps = { action: string; count: number; answer: DramaAnswer | undefined; taskId: string };

function DecideAll({ action, count, answer, taskId }: DecideAllProps) {
  const t = useT(dramaTexts);
  const words = useServerWords();
  const { Form, isBusy, pressed, error: refusal } = useDramaFetcher(`drama-failed-${taskId}`);
  const mine = answer?.shotId === undefined ? answer?.error : undefined;
  const error = isBusy ? undefined : words(refusal ?? mine);
  return (
    <Form method="post" action={action} preventScrollReset>
      <Group gap="xs" mb="xs">
        {count > 1 ? (
          <Button
            type="submit"
            name="intent"
            value="retry"
            leftSection={<RotateCcw size={16} aria-hidden />}
            loading={pressed === 'retry'}
          >
            {t('failed.retryAll', { count })}
          </Button>
        ) : null}
        <ConfirmButton
          name="intent"
          value="finish_without"
          variant="default"
          confirmLabel={t('failed.finishConfirm', { count })}
          loading={pressed === 'finish_without'}
        >
          {t('failed.finish')}
        </ConfirmButton>
      </Group>
      <p className={classes.dim}>{t('failed.finishHint', { count })}</p>
      {error ? <ErrorMessage message={error} /> : null}
    </Form>
  );
}
