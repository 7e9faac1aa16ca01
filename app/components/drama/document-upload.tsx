import { FileInput } from '@mantine/core';
import { useFetcher } from '@remix-run/react';
import { FileText } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { SendFile } from '#app/components/composer/use-uploads.ts';
import { useServerWords } from '#app/components/composite/server-words.ts';
import { useT } from '#app/lib/language.tsx';
import { dramaTexts } from '#app/locales/drama.ts';
import classes from './composer.module.css';

/** What the composer's action answers to a document that was to be read. */
export type DocumentAnswer = { document: { text: string } } | { documentError: string };

type DocumentUploadProps = { sendFile: SendFile; onText: (text: string) => void };

type State = { type: 'idle' } | { type: 'sending' } | { type: 'failed'; message: string };

/** Puts the text of a file into the form. Whatever goes wrong, what is typed there stays as it is. */
export function DocumentUpload({ sendFile, onText }: DocumentUploadProps) {
  const t = useT(dramaTexts);
  const words = useServerWords();
  const fetcher = useFetcher<DocumentAnswer>({ key: 'drama-document' });
  const [state, setState] = useState<State>({ type: 'idle' });
  const [isTaken, setTaken] = useState(false);
  const answer = fetcher.data;

  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer is used once, by whichever form is there then
  useEffect(() => {
    if (!answer || !('document' in answer)) return;
    onText(answer.document.text);
    setTaken(true);
  }, [answer]);

  const choose = (file: File | null) => {
    if (!file) return;
    setTaken(false);
    setState({ type: 'sending' });
    sendFile(file, new AbortController().signal).then(
      (uploadId) => {
        setState({ type: 'idle' });
        fetcher.submit({ intent: 'read', uploadId }, { method: 'post', action: '/workbench/dramas/new' });
      },
      (error: unknown) => {
        const message = error instanceof Error ? error.message : 'The file could not be uploaded. Try again.';
        setState({ type: 'failed', message });
      },
    );
  };

  const isBusy = state.type === 'sending' || fetcher.state !== 'idle';
  const refused = !isBusy && answer && 'documentError' in answer ? answer.documentError : undefined;
  return (
    <div>
      <noscript>
        <p className={classes.hint}>{t('document.noScript')}</p>
      </noscript>
      <FileInput
        label={t('document.label')}
        description={t('document.hint')}
        placeholder={t(isBusy ? 'document.reading' : 'document.choose')}
        leftSection={<FileText size={16} aria-hidden />}
        accept=".txt,.md,.docx"
        value={null}
        onChange={choose}
        disabled={isBusy}
        error={words(state.type === 'failed' ? state.message : refused)}
      />
      <p role="status" className={classes.hint}>
        {isTaken ? t('document.done') : null}
      </p>
    </div>
  );
}
