import { Button, Loader, NativeSelect } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useCallback, useRef, useState } from 'react';
import { ErrorMessage, Notice } from '#app/components/ui/error-message.tsx';
import { useT } from '#app/lib/language.tsx';
import { newRequestKey } from '#app/lib/request-key.ts';
import { useFormat } from '#app/lib/use-format.ts';
import { useWatchedTask } from '#app/lib/use-task-watch.ts';
import { promptTexts } from '#app/locales/prompts.ts';
import type { ImproveOption } from '#server/generation/prompts/schemas.ts';
import type { TaskView } from '#server/generation/schemas.ts';
import { isTerminal, type Kind } from '#server/generation/status.ts';
import type { PromptApi } from '../prompt-api.ts';
import type { Improvement } from '../prompt-dialogs.tsx';
import classes from './dialog.module.css';
import { Dialog } from './dialog.tsx';
import { RemoteNote } from './remote-note.tsx';
import { useItemDeed } from './saved-items.tsx';
import { useRemote } from './use-remote.ts';

type ImproveDialogProps = {
  api: PromptApi;
  kind: Kind;
  text: { read: () => string; replace: (text: string) => void };
  balanceCredits: number;
  /** What was ordered before and not decided on yet; it outlives the dialog. */
  improvement: Improvement | null;
  onImprovement: (improvement: Improvement | null) => void;
  onClose: () => void;
};

/** A better wording by a language model: its price first, then an ordinary task, whose result is an offer. */
export default function ImproveDialog(props: ImproveDialogProps) {
  const { text, improvement, onImprovement, onClose } = props;
  const t = useT(promptTexts);
  const [prompt] = useState(() => text.read().trim());
  return (
    <Dialog title={t('improve.title')} onClose={onClose}>
      <p className={classes.quiet}>{t('improve.what')}</p>
      {improvement ? (
        <Wording
          api={props.api}
          improvement={improvement}
          onUse={(better) => {
            text.replace(better);
            onImprovement(null);
            onClose();
          }}
          onKeep={() => {
            onImprovement(null);
            onClose();
          }}
          onAgain={() => onImprovement(null)}
        />
      ) : prompt === '' ? (
        <p className={classes.quiet}>{t('improve.empty')}</p>
      ) : (
        <Order {...props} prompt={prompt} />
      )}
    </Dialog>
  );
}

function Order({
  api,
  kind,
  prompt,
  balanceCredits,
  onImprovement,
}: ImproveDialogProps & { prompt: string }) {
  const t = useT(promptTexts);
  const format = useFormat();
  const ask = useCallback(() => api.improveOptions({ kind, prompt }), [api, kind, prompt]);
  const { value: options, failed } = useRemote(ask);
  const [chosen, setChosen] = useState<string | null>(null);
  // A press whose answer was lost is repeated under the same key.
  const requestKey = useRef(newRequestKey());
  const deed = useItemDeed();
  if (options === null) return <RemoteNote failed={failed} />;
  const option = options.find(({ model }) => model === chosen) ?? options[0];
  if (!option) return <p className={classes.quiet}>{t('improve.none')}</p>;

  const order = () =>
    deed.run(async () => {
      const { taskId } = await api.improve({
        kind,
        prompt,
        model: option.model,
        requestKey: requestKey.current,
        quotedCredits: option.credits,
      });
      onImprovement({ prompt, taskId });
    }, null);
  return (
    <>
      <p className={classes.wording}>{prompt}</p>
      <NativeSelect
        label={t('improve.model')}
        data={options.map(({ model, title, credits }) => ({
          value: model,
          label: `${title} · ${format.credits(credits)}`,
        }))}
        value={option.model}
        onChange={(event) => {
          setChosen(event.currentTarget.value);
          requestKey.current = newRequestKey();
        }}
      />
      {deed.error ? <ErrorMessage message={deed.error} /> : null}
      {option.credits > balanceCredits ? (
        <Notice tone="warning">{shortWords(t, format, option, balanceCredits)}</Notice>
      ) : null}
      <div className={classes.buttons}>
        <Button onClick={order} loading={deed.busy} disabled={option.credits > balanceCredits}>
          {option.credits === 0
            ? t('improve.startFree')
            : t('improve.start', { credits: format.credits(option.credits) })}
        </Button>
      </div>
    </>
  );
}

function shortWords(
  t: TFunction<'prompts'>,
  format: ReturnType<typeof useFormat>,
  option: ImproveOption,
  balanceCredits: number,
): string {
  return t('improve.short', {
    balance: format.integer(balanceCredits),
    credits: format.integer(option.credits),
  });
}

type WordingProps = {
  api: PromptApi;
  improvement: Improvement;
  onUse: (better: string) => void;
  onKeep: () => void;
  onAgain: () => void;
};

/** Both wordings once the task has ended well; else what became of it. */
function Wording({ api, improvement, onUse, onKeep, onAgain }: WordingProps) {
  const t = useT(promptTexts);
  const task = useWatchedTask(improvement.taskId);
  const url = task?.status === 'succeeded' ? (task.outputs[0]?.url ?? null) : null;
  const ask = useCallback(async () => (url === null ? null : (await api.readText(url)).trim()), [api, url]);
  const { value: better, failed } = useRemote(ask);

  if (!task || !isTerminal(task.status) || (url !== null && better === null && !failed)) {
    return (
      <div role="status" className={classes.itemHead}>
        <span>
          <Loader size={14} mr={8} aria-hidden />
          {t('improve.working')}
        </span>
        <span className={classes.quiet}>{t('improve.goesOn')}</span>
      </div>
    );
  }
  if (!better) {
    return (
      <>
        <ErrorMessage message={url === null ? endWords(t, task) : t('improve.unreadable')} />
        <div className={classes.buttons}>
          <Button variant="default" onClick={onAgain}>
            {t('improve.again')}
          </Button>
          <Button variant="subtle" onClick={onKeep}>
            {t('improve.keep')}
          </Button>
        </div>
      </>
    );
  }
  return (
    <>
      <h3 className={classes.section}>{t('improve.before')}</h3>
      <p className={classes.wording}>{improvement.prompt}</p>
      <h3 className={classes.section}>{t('improve.after')}</h3>
      <p role="status" className={classes.wording}>
        {better}
      </p>
      <div className={classes.buttons}>
        <Button onClick={() => onUse(better)}>{t('improve.use')}</Button>
        <Button variant="default" onClick={onKeep}>
          {t('improve.keep')}
        </Button>
      </div>
    </>
  );
}

function endWords(t: TFunction<'prompts'>, task: TaskView): string {
  const reason = task.failure?.message ?? t('improve.cancelled');
  const ended = t('improve.ended', { reason });
  if (task.money.state === 'refunded') return `${ended} ${t('improve.refunded')}`;
  return task.money.state === 'refund_pending' ? `${ended} ${t('improve.refunding')}` : ended;
}
