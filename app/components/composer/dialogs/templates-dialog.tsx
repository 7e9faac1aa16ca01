import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useCallback, useState } from 'react';
import { ErrorMessage } from '#app/components/ui/error-message.tsx';
import { Refusal } from '#app/components/ui/refusal.tsx';
import { useLanguage, useT } from '#app/lib/language.tsx';
import { promptTexts } from '#app/locales/prompts.ts';
import type { TemplateView } from '#server/generation/prompts/schemas.ts';
import type { TaskKind } from '#server/generation/status.ts';
import type { PromptApi } from '../prompt-api.ts';
import classes from './dialog.module.css';
import { Dialog } from './dialog.tsx';
import { houseTemplates } from './house-templates.ts';
import { RemoteNote } from './remote-note.tsx';
import { DeletedNote, SaveForm, useItemDeed } from './saved-items.tsx';
import { useRemote } from './use-remote.ts';

type TemplatesDialogProps = {
  api: PromptApi;
  kind: TaskKind;
  text: { read: () => string; replace: (text: string) => void; insert: (text: string) => void };
  onClose: () => void;
};

/** Prompts under a name: the person's own, and some to start from. */
export default function TemplatesDialog({ api, kind, text, onClose }: TemplatesDialogProps) {
  const t = useT(promptTexts);
  const language = useLanguage();
  const ask = useCallback(() => api.templates({ kind, language }), [api, kind, language]);
  const { value, failed, reload } = useRemote(ask);
  const [deleted, setDeleted] = useState<TemplateView | null>(null);
  const deed = useItemDeed();
  const present = text.read().trim();
  const take = (act: (prompt: string) => void, prompt: string) => {
    act(prompt);
    onClose();
  };
  const save = async (item: Pick<TemplateView, 'name' | 'prompt'>) => {
    await api.saveTemplate({ kind, name: item.name, prompt: item.prompt });
    reload();
  };
  const remove = async (item: TemplateView) => {
    const done = await deed.run(() => api.removeTemplate(item.id), null);
    if (done) setDeleted(item);
    reload();
  };
  const takeBack = async (item: TemplateView) => {
    if (await deed.run(() => save(item), null)) setDeleted(null);
  };

  return (
    <Dialog title={t('templates.title')} onClose={onClose}>
      <h3 className={classes.section}>{t('templates.own')}</h3>
      {value === null ? <RemoteNote failed={failed} /> : null}
      {value?.own.length === 0 && !deleted ? <p className={classes.quiet}>{t('templates.none')}</p> : null}
      {deed.error ? <ErrorMessage message={deed.error} /> : null}
      {deleted ? <DeletedNote name={deleted.name} onUndo={() => takeBack(deleted)} /> : null}
      <ul className={classes.list}>
        {value?.own.map((item) => (
          <OwnTemplate
            key={item.id}
            item={item}
            onUse={() => take(text.replace, item.prompt)}
            onInsert={() => take(text.insert, item.prompt)}
            onRemove={() => remove(item)}
            onRename={async (name) => {
              await api.renameTemplate({ id: item.id, name });
              reload();
            }}
          />
        ))}
      </ul>
      {present === '' ? (
        <p className={classes.quiet}>{t('templates.emptyPrompt')}</p>
      ) : (
        <SaveForm
          label={t('templates.saveLabel')}
          onSave={(name) => save({ name, prompt: text.read().trim() })}
        />
      )}
      <h3 className={classes.section}>{t('templates.house')}</h3>
      <ul className={classes.list}>
        {(value?.house ?? (value || failed ? houseTemplates(t, kind) : [])).map((item) => (
          <li key={item.id} className={classes.item}>
            <TemplateText
              item={item}
              onUse={() => take(text.replace, item.prompt)}
              onInsert={() => take(text.insert, item.prompt)}
            />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

type TemplateTextProps = {
  item: TemplateView;
  onUse: () => void;
  onInsert: () => void;
  children?: React.ReactNode;
};

function TemplateText({ item, onUse, onInsert, children }: TemplateTextProps) {
  const t = useT(promptTexts);
  const { name } = item;
  return (
    <>
      <span className={classes.name}>{name}</span>
      <p className={classes.text}>{item.prompt}</p>
      <div className={classes.buttons}>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t('dialog.useThis', { name })}
          onClick={onUse}
        >
          {t('dialog.use')}
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          aria-label={t('dialog.insertThis', { name })}
          onClick={onInsert}
        >
          {t('dialog.insert')}
        </Button>
        {children}
      </div>
    </>
  );
}

type OwnTemplateProps = {
  item: TemplateView;
  onUse: () => void;
  onInsert: () => void;
  onRemove: () => void;
  onRename: (name: string) => Promise<void>;
};

function OwnTemplate({ item, onUse, onInsert, onRemove, onRename }: OwnTemplateProps) {
  const t = useT(promptTexts);
  const [renaming, setRenaming] = useState(false);
  const { name } = item;
  return (
    <li className={classes.item}>
      <TemplateText item={item} onUse={onUse} onInsert={onInsert}>
        <Button
          size="compact-sm"
          variant="subtle"
          aria-label={t('dialog.renameThis', { name })}
          aria-expanded={renaming}
          onClick={() => setRenaming(!renaming)}
        >
          {t('dialog.rename')}
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          aria-label={t('dialog.deleteThis', { name })}
          onClick={onRemove}
        >
          {t('dialog.delete')}
        </Button>
      </TemplateText>
      {renaming ? <RenameForm name={name} onRename={onRename} onClose={() => setRenaming(false)} /> : null}
    </li>
  );
}

type RenameFormProps = { name: string; onRename: (name: string) => Promise<void>; onClose: () => void };

function RenameForm({ name, onRename, onClose }: RenameFormProps) {
  const t = useT(promptTexts);
  const [next, setNext] = useState(name);
  const deed = useItemDeed();
  const rename = async (event: FormEvent) => {
    event.preventDefault();
    if (next.trim() === '') return;
    if (await deed.run(() => onRename(next.trim()), null)) onClose();
  };
  return (
    <form onSubmit={rename} className={classes.inline}>
      <TextInput
        aria-label={t('dialog.name')}
        value={next}
        maxLength={80}
        autoFocus
        onChange={(event) => setNext(event.currentTarget.value)}
        error={deed.error ? <Refusal of={[deed.error]} /> : undefined}
      />
      <Button type="submit" variant="default" loading={deed.busy}>
        {t('dialog.save')}
      </Button>
      <Button variant="subtle" onClick={onClose}>
        {t('dialog.cancel')}
      </Button>
    </form>
  );
}
