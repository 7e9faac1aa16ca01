import { Button } from '@mantine/core';
import { useT } from '#app/lib/language.tsx';
import { workbenchTexts } from '#app/locales/workbench.ts';
import type { StartNote as StartNoteType } from './use-start.ts';

const WORDS = {
  draft: 'prompt.draftBack',
  draftWithoutFiles: 'prompt.draftBackWithoutFiles',
  reused: 'prompt.reused',
  reusedWithoutFiles: 'prompt.reusedWithoutFiles',
  discarded: 'prompt.discarded',
} as const;

type StartNoteProps = {
  note: StartNoteType;
  /** Another text stood there before. */
  canUndo: boolean;
  onUndo: () => void;
  onDiscard?: () => void;
};

/** Where the text in the form came from, with the way back. Null: the reader has typed it. */
export function startNote({ note, canUndo, onUndo, onDiscard }: StartNoteProps) {
  if (note === null && !canUndo) return null;
  return <StartNote note={note} canUndo={canUndo} onUndo={onUndo} onDiscard={onDiscard} />;
}

function StartNote({ note, canUndo, onUndo, onDiscard }: StartNoteProps) {
  const t = useT(workbenchTexts);
  const isDraft = note === 'draft' || note === 'draftWithoutFiles';
  return (
    <>
      {t(note === null ? 'prompt.replaced' : WORDS[note])}{' '}
      {isDraft ? (
        <Button variant="default" size="compact-sm" onClick={onDiscard}>
          {t('prompt.discard')}
        </Button>
      ) : null}
      {canUndo ? (
        <Button variant="default" size="compact-sm" onClick={onUndo}>
          {t('prompt.undo')}
        </Button>
      ) : null}
    </>
  );
}
