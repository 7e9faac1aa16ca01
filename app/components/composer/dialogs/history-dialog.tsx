import { Button, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Search } from 'lucide-react';
import { useCallback, useState } from 'react';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { promptTexts } from '#app/locales/prompts.ts';
import type { TaskKind } from '#server/generation/status.ts';
import type { PromptApi } from '../prompt-api.ts';
import classes from './dialog.module.css';
import { Dialog } from './dialog.tsx';
import { RemoteNote } from './remote-note.tsx';
import { useRemote } from './use-remote.ts';

type HistoryDialogProps = {
  api: PromptApi;
  kind: TaskKind;
  text: { replace: (text: string) => void; insert: (text: string) => void };
  onClose: () => void;
};

const TYPING_MS = 250;

/** Prompts that this person has used before, newest first, with a search. */
export default function HistoryDialog({ api, kind, text, onClose }: HistoryDialogProps) {
  const t = useT(promptTexts);
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), TYPING_MS);
  const ask = useCallback(
    (signal: AbortSignal) => api.history({ kind, search }, signal),
    [api, kind, search],
  );
  const { value: items, failed } = useRemote(ask);
  const take = (act: (prompt: string) => void, prompt: string) => {
    act(prompt);
    onClose();
  };
  return (
    <Dialog title={t('history.title')} onClose={onClose}>
      <TextInput
        type="search"
        label={t('history.search')}
        leftSection={<Search size={15} aria-hidden />}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        maxLength={200}
        data-autofocus
      />
      {items === null || failed ? (
        <RemoteNote failed={failed} />
      ) : items.length === 0 ? (
        <p role="status" className={classes.quiet}>
          {t(search === '' ? 'history.none' : 'history.nothing')}
        </p>
      ) : (
        <ul className={classes.list}>
          {items.map((item) => (
            <li key={item.taskId} className={classes.item}>
              <p className={classes.text}>{item.prompt}</p>
              <div className={classes.itemHead}>
                <p className={classes.quiet}>
                  <TimeAgo at={item.at} /> · {t('history.times', { count: item.times })}
                </p>
                <div className={classes.buttons}>
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={t('dialog.useThis', { name: startOf(item.prompt) })}
                    onClick={() => take(text.replace, item.prompt)}
                  >
                    {t('dialog.use')}
                  </Button>
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    aria-label={t('dialog.insertThis', { name: startOf(item.prompt) })}
                    onClick={() => take(text.insert, item.prompt)}
                  >
                    {t('dialog.insert')}
                  </Button>
                </div>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}

const startOf = (prompt: string): string => (prompt.length > 60 ? `${prompt.slice(0, 60)}…` : prompt);
