import { Button, CloseButton } from '@mantine/core';
import { Check, CircleAlert } from 'lucide-react';
import type { FormEvent } from 'react';
import { useT } from '#app/lib/language.tsx';
import { libraryTexts } from '#app/locales/library.ts';
import classes from './library.module.css';
import type { SelectionReply } from './selection-intents.ts';

type SelectionNoticeProps = {
  reply: SelectionReply | undefined;
  /** Address that the forms of the notice post to. */
  action: string;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  onClose: () => void;
};

/**
 * What became of the last thing done, over the foot of the page so that nothing moves, with the way back where there is
 * one. Without a script it comes with the answer of the form.
 */
export function SelectionNotice({ reply, action, onSubmit, onClose }: SelectionNoticeProps) {
  const t = useT(libraryTexts);
  const shown = reply && !('compare' in reply) ? reply : undefined;
  const failed = shown !== undefined && ('error' in shown || 'message' in shown);
  return (
    <div role="status" className={classes.noticeHolder}>
      {shown ? (
        <div className={classes.notice} data-failed={failed || undefined}>
          {failed ? <CircleAlert size={18} aria-hidden /> : <Check size={18} aria-hidden />}
          <p className={classes.noticeText}>{sentenceOf(shown, t)}</p>
          {'done' in shown && shown.done === 'trash' && shown.count > 0 ? (
            <form method="post" action={action} onSubmit={onSubmit}>
              <Ids outputIds={shown.outputIds} />
              <Button type="submit" name="intent" value="restore" size="compact-sm" variant="default">
                {t('done.undo')}
              </Button>
            </form>
          ) : null}
          {'ask' in shown ? (
            <form method="post" action={action} onSubmit={onSubmit}>
              <Ids outputIds={shown.outputIds} />
              <Button type="submit" name="intent" value="delete-confirmed" size="compact-sm" color="red.9">
                {t('done.askYes')}
              </Button>
            </form>
          ) : null}
          <CloseButton
            size="sm"
            aria-label={'ask' in shown ? t('done.askNo') : t('done.close')}
            onClick={onClose}
            className={classes.noticeClose}
          />
        </div>
      ) : null}
    </div>
  );
}

function Ids({ outputIds }: { outputIds: readonly string[] }) {
  return outputIds.map((id) => <input key={id} type="hidden" name="output" value={id} />);
}

function sentenceOf(
  reply: Exclude<SelectionReply, { compare: string[] }>,
  t: ReturnType<typeof libraryTexts.in>,
): string {
  if ('message' in reply) return reply.message;
  if ('error' in reply) return t(`errors.${reply.error}`);
  if ('ask' in reply) return t('done.ask', { count: reply.outputIds.length });
  const sentence = t(`done.${reply.done}`, { count: reply.count });
  return reply.someKept ? `${sentence} ${t('done.someKept')}` : sentence;
}
