import { FileInput } from '@mantine/core';
import { useFetcher } from '@remix-run/react';
import { FileText } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { SendFile } from '#app/components/composer/use-uploads.ts';
import classes from './composer.module.css';

/** What the composer's action answers to a document that was to be read. */
export type DocumentAnswer = { document: { text: string } } | { documentError: string };

type DocumentUploadProps = { sendFile: SendFile; onText: (text: string) => void };

type State = { type: 'idle' } | { type: 'sending' } | { type: 'failed'; message: string };

/** Puts the text of a file into the form. Whatever goes wrong, what is typed there stays as it is. */
export function DocumentUpload({ sendFile, onText }: DocumentUploadProps) {
  const fetcher = useFetcher<DocumentAnswer>({ key: 'drama-document' });
  const [state, setState] = useState<State>({ type: 'idle' });
  const [said, setSaid] = useState('');
  const answer = fetcher.data;

  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer is used once, by whichever form is there then
  useEffect(() => {
    if (!answer || !('document' in answer)) return;
    onText(answer.document.text);
    setSaid('The text of the file is in the field above.');
  }, [answer]);

  const choose = (file: File | null) => {
    if (!file) return;
    setSaid('');
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
        <p className={classes.hint}>Reading a file needs JavaScript. Paste its text instead.</p>
      </noscript>
      <FileInput
        label="Or take the text from a file"
        description="Plain text, Markdown or Word (.txt, .md, .docx)."
        placeholder={isBusy ? 'Being read…' : 'Choose a file'}
        leftSection={<FileText size={16} aria-hidden />}
        accept=".txt,.md,.docx"
        value={null}
        onChange={choose}
        disabled={isBusy}
        error={state.type === 'failed' ? state.message : refused}
      />
      <p role="status" className={classes.hint}>
        {said}
      </p>
    </div>
  );
}
