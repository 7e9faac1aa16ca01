import { Trans } from 'react-i18next';
import { Notice } from '#app/components/ui/error-message.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { useSentenceGap } from '#app/lib/sentence-gap.ts';
import { compositeTexts } from '#app/locales/composite.ts';
import type { CompositeView } from '#server/generation/composite/schemas.ts';
import type { TaskView } from '#server/generation/schemas.ts';
import classes from './composite.module.css';
import { waitingCause } from './composite-words.ts';

type WaitingNoticeProps = { view: CompositeView & { task: Pick<TaskView, 'status' | 'cancelRequested'> } };

/** What a composite waits for, until when, and what happens then. Draws nothing while it simply works. */
export function WaitingNotice({ view }: WaitingNoticeProps) {
  const t = useT(compositeTexts);
  const gap = useSentenceGap();
  const cause = waitingCause(view);
  if (!cause) return null;
  // Only a person's answer has a deadline worth telling; a stop or a cancel ends by itself.
  const deadline =
    view.stopRequested || view.task.cancelRequested || view.waitingFor === 'children'
      ? null
      : view.waitingUntil;
  return (
    <Notice tone="warning" title={t(`waiting.${cause}.title`)}>
      <p className={classes.noticeText}>
        {t(`waiting.${cause}.text`)}
        {deadline ? (
          <>
            {gap}
            <Trans
              t={t}
              i18nKey={view.budget.heldCredits === null ? 'waiting.deadline' : 'waiting.deadlineBudget'}
              components={{ time: <TimeAgo at={deadline} style="both" /> }}
            />
          </>
        ) : null}
      </p>
    </Notice>
  );
}
