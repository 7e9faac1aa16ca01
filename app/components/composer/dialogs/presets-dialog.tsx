import { Button } from '@mantine/core';
import { useCallback, useState } from 'react';
import type { ParameterValues } from '#app/components/parameters/parameter-values.ts';
import { ErrorMessage } from '#app/components/ui/error-message.tsx';
import { useT } from '#app/lib/language.tsx';
import { promptTexts } from '#app/locales/prompts.ts';
import type { PresetView } from '#server/generation/prompts/schemas.ts';
import type { ModelView } from '#server/generation/schemas.ts';
import type { PromptApi } from '../prompt-api.ts';
import classes from './dialog.module.css';
import { Dialog } from './dialog.tsx';
import { RemoteNote } from './remote-note.tsx';
import { DeletedNote, SaveForm, useItemDeed } from './saved-items.tsx';
import { useRemote } from './use-remote.ts';

type PresetsDialogProps = {
  api: PromptApi;
  model: ModelView;
  /** The parameters that are in the form. */
  read: () => ParameterValues;
  apply: (params: Record<string, unknown>) => void;
  onClose: () => void;
};

/** Parameters of a model under a name. */
export default function PresetsDialog({ api, model, read, apply, onClose }: PresetsDialogProps) {
  const t = useT(promptTexts);
  const { slug } = model;
  const ask = useCallback(() => api.presets(slug), [api, slug]);
  const { value, failed, reload } = useRemote(ask);
  const [deleted, setDeleted] = useState<PresetView | null>(null);
  const deed = useItemDeed();
  const save = async (name: string, params: ParameterValues) => {
    await api.savePreset({ model: slug, name, params });
    reload();
  };
  const remove = async (preset: PresetView) => {
    const done = await deed.run(() => api.removePreset(preset.id), null);
    if (done) setDeleted(preset);
    reload();
  };
  const takeBack = async (preset: PresetView) => {
    if (await deed.run(() => save(preset.name, preset.params as ParameterValues), null)) setDeleted(null);
  };

  return (
    <Dialog title={t('presets.title', { model: model.title })} onClose={onClose}>
      {value === null ? <RemoteNote failed={failed} /> : null}
      {value?.length === 0 && !deleted ? <p className={classes.quiet}>{t('presets.none')}</p> : null}
      {deed.error ? <ErrorMessage message={deed.error} /> : null}
      {deleted ? <DeletedNote name={deleted.name} onUndo={() => takeBack(deleted)} /> : null}
      <ul className={classes.list}>
        {value?.map((preset) => (
          <li key={preset.id} className={classes.item}>
            <span className={classes.name}>{preset.name}</span>
            <p className={classes.quiet}>{inWords(model, preset.params)}</p>
            <div className={classes.buttons}>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={t('presets.applyThis', { name: preset.name })}
                onClick={() => {
                  apply(preset.params);
                  onClose();
                }}
              >
                {t('presets.apply')}
              </Button>
              <Button
                size="compact-sm"
                variant="subtle"
                color="gray"
                aria-label={t('dialog.deleteThis', { name: preset.name })}
                onClick={() => remove(preset)}
              >
                {t('dialog.delete')}
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <SaveForm label={t('presets.saveLabel')} onSave={(name) => save(name, read())} />
    </Dialog>
  );
}

/** `Images 2 · Size 1024x1024`: those that the model still has. */
function inWords(model: ModelView, params: Record<string, unknown>): string {
  return Object.entries(model.parameters)
    .filter(([name]) => params[name] !== undefined && params[name] !== '')
    .map(([name, { label }]) => {
      const value = params[name];
      if (value === true) return `${label} ✓`;
      return value === false ? `${label} ✗` : `${label} ${String(value)}`;
    })
    .join(' · ');
}
