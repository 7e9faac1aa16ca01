import { Notice } from '#app/components/ui/error-message.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import type { CompositeView } from '#server/generation/composite/schemas.ts';
import type { TaskView } from '#server/generation/schemas.ts';
import classes from './composite.module.css';
import { waitingWords } from './composite-words.ts';

type WaitingNoticeProps = { view: CompositeView & { task: Pick<TaskView, 'status' | 'cancelRequested'> } };

/** What a composite waits for, until when, and what happens then. Draws nothing while it simply works. */
export function WaitingNotice({ view }: WaitingNoticeProps) {
  const words = waitingWords(view);
  if (!words) return null;
  // Only a person's answer has a deadline worth telling; a stop or a cancel ends by itself.
  const deadline =
    view.stopRequested || view.task.cancelRequested || view.waitingFor === 'children'
      ? null
      : view.waitingUntil;
  return (
    <Notice tone="warning" title={words.title}>
      <p className={classes.noticeText}>
        {words.text}
        {deadline ? (
          <>
            {' '}
            If nothing happens by <TimeAgo at={deadline} style="both" />, it ends with what is there
            {view.budget.heldCredits === null ? '' : ' and the rest of the budget comes back'}.
          </>
        ) : null}
      </p>
    </Notice>
  );
}
