import { Button } from '@mantine/core';
import { useFetcher } from '@remix-run/react';
import { CircleSlash, RotateCcw } from 'lucide-react';
import { useCallback, useId } from 'react';
import { shorten } from '#app/components/media/output-name.ts';
import { Refusal } from '#app/components/ui/refusal.tsx';
import { useRequestKey } from '#app/lib/request-key.ts';
import { useFetcherReply } from '#app/lib/use-fetcher-reply.ts';
import type { WayOn } from '#app/lib/way-on.ts';
import type { TaskView } from '#server/generation/schemas.ts';
import { type Say, useSay } from './say.ts';
import classes from './task-card.module.css';
import { cancelNote, cancelWords } from './task-words.ts';

/** What the task route's action answers when it cannot do what was asked. */
export type TaskActionFailure = { error: string };

type TaskActionsProps = {
  task: TaskView;
  /** Where a form without JavaScript comes back to: the list, as it was filtered, or the task's page. */
  returnTo: string;
  /** Of this page as the server made it; a retry from here is one new task, however often it is pressed. */
  requestKey: string;
};

/** Cancel and retry: plain forms, each with what it means beside it. */
export function TaskActions({ task, returnTo, requestKey }: TaskActionsProps) {
  const fetcher = useFetcher<TaskActionFailure | WayOn>({ key: `task-${task.id}` });
  const meaningId = useId();
  const say = useSay();
  const cancel = cancelWords(task, say);
  const note = cancelNote(task, say);
  const intent = fetcher.state === 'idle' ? null : fetcher.formData?.get('intent');
  const { key, renew } = useRequestKey(`${requestKey}-${task.id.slice(-12)}`);
  const onEnd = useCallback(
    (reply: TaskActionFailure | undefined, leaves: boolean) => {
      // On the way to the new task's page another press means the same one.
      if (reply === undefined && !leaves) renew();
    },
    [renew],
  );
  const reply = useFetcherReply(fetcher, onEnd);

  return (
    <fetcher.Form
      method="post"
      action={`/workbench/tasks/${task.id}`}
      className={classes.actions}
      preventScrollReset
    >
      <input type="hidden" name="returnTo" value={returnTo} />
      <input type="hidden" name="requestKey" value={key} />
      {cancel ? (
        <Button
          type="submit"
          name="intent"
          value="cancel"
          size="compact-sm"
          variant="default"
          leftSection={<CircleSlash size={14} aria-hidden />}
          loading={intent === 'cancel'}
          aria-describedby={meaningId}
        >
          {cancel.label}
        </Button>
      ) : null}
      {task.canRetry ? (
        <Button
          type="submit"
          name="intent"
          value="retry"
          size="compact-sm"
          variant="default"
          leftSection={<RotateCcw size={14} aria-hidden />}
          loading={intent === 'retry'}
          aria-describedby={meaningId}
          aria-label={say.t('retry.name', { prompt: shorten(task.prompt, 60) })}
        >
          {say.t('retry.label')}
        </Button>
      ) : null}
      <p id={meaningId} className={classes.meaning}>
        {cancel?.meaning ?? note ?? retryMeaning(task, say)}
      </p>
      {reply?.error ? (
        <p role="alert" className={classes.actionError}>
          <Refusal of={[reply.error]} />
        </p>
      ) : null}
    </fetcher.Form>
  );
}

function retryMeaning(task: TaskView, { t, credits }: Say): string {
  return task.canRetry ? t('retry.meaning', { credits: credits(originalHold(task)) }) : '';
}

/** What the task held at first: a settled hold has been split into its charged and its returned part. */
function originalHold(task: TaskView): number {
  return Math.max(task.money.heldCredits, task.money.chargedCredits + task.money.returnedCredits);
}
