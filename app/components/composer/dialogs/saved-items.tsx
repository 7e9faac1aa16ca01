import { Button, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Refusal } from '#app/components/ui/refusal.tsx';
import { useT } from '#app/lib/language.tsx';
import { promptTexts } from '#app/locales/prompts.ts';
import classes from './dialog.module.css';

type SaveFormProps = {
  label: string;
  /** @throws Error with the sentence to show */
  onSave: (name: string) => Promise<unknown>;
};

/** A name under which what is in the form is kept. */
export function SaveForm({ label, onSave }: SaveFormProps) {
  const t = useT(promptTexts);
  const [name, setName] = useState('');
  const deed = useItemDeed();
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const called = name.trim();
    if (called === '') return;
    if (await deed.run(() => onSave(called), t('dialog.saved', { name: called }))) setName('');
  };
  return (
    <form onSubmit={save}>
      <div className={classes.inline}>
        <TextInput
          label={label}
          placeholder={t('dialog.name')}
          value={name}
          maxLength={80}
          onChange={(event) => setName(event.currentTarget.value)}
          error={deed.error ? <Refusal of={[deed.error]} /> : undefined}
        />
        <Button type="submit" variant="default" loading={deed.busy} disabled={name.trim() === ''}>
          {t('dialog.save')}
        </Button>
      </div>
      <p role="status" className={classes.quiet}>
        {deed.done}
      </p>
    </form>
  );
}

/** One change at a time, and what became of it in a sentence. */
export function useItemDeed() {
  const t = useT(promptTexts);
  const [state, setState] = useState<{ busy: boolean; error: string | null; done: string | null }>({
    busy: false,
    error: null,
    done: null,
  });
  const run = async (act: () => Promise<unknown>, done: string | null): Promise<boolean> => {
    setState({ busy: true, error: null, done: null });
    try {
      await act();
      setState({ busy: false, error: null, done });
      return true;
    } catch (error) {
      const isRefusal = error instanceof Error && error.name === 'TRPCClientError' && 'data' in error;
      const message = isRefusal && error.data ? error.message : t('dialog.notSaved');
      setState({ busy: false, error: message, done: null });
      return false;
    }
  };
  return { ...state, run };
}

type DeletedNoteProps = { name: string; onUndo: () => void };

/** In the place of an item that was deleted just now. */
export function DeletedNote({ name, onUndo }: DeletedNoteProps): ReactNode {
  const t = useT(promptTexts);
  return (
    <div role="status" className={classes.itemHead}>
      <span className={classes.quiet}>{t('dialog.deleted', { name })}</span>
      <Button size="compact-sm" variant="default" onClick={onUndo}>
        {t('dialog.undo')}
      </Button>
    </div>
  );
}
