import { ActionIcon, Button, Textarea, TextInput } from '@mantine/core';
import { Plus, Trash2 } from 'lucide-react';
import type { Dispatch, ReactNode } from 'react';
import { useT } from '#app/lib/language.tsx';
import { dramaTexts } from '#app/locales/drama.ts';
import type { DramaPlan } from '#server/generation/drama/schemas.ts';
import classes from './editor.module.css';
import { elementId, MOST, type PlanEdit } from './plan-edit.ts';
import type { PlanErrors } from './plan-errors.ts';

type CastProps = { plan: DramaPlan; errors: PlanErrors; hasVoice: boolean; dispatch: Dispatch<PlanEdit> };

/** Who is in the film: name, looks (kept the same in every picture) and voice. */
export function CharacterFields({ plan, errors, hasVoice, dispatch }: CastProps) {
  const t = useT(dramaTexts);
  return (
    <section aria-labelledby="characters-heading" className={classes.cast}>
      <h3 id="characters-heading" className={classes.subtitle}>
        {t('editor.characters')}
      </h3>
      <ListError message={errors.characters} />
      <ul className={classes.people}>
        {plan.characters.map(({ id, name, look, voice }, index) => {
          const errorOf = (field: string) => errors[`characters.${index}.${field}`];
          const set = (change: Partial<DramaPlan['characters'][number]>) =>
            dispatch({ type: 'character', id, change });
          return (
            <li key={id} className={classes.person}>
              <Head
                label={name || t('thingsIn.characters', { number: index + 1 })}
                onRemove={() => dispatch({ type: 'remove', list: 'characters', id })}
              >
                <TextInput
                  label={t('editor.name')}
                  id={elementId(id, 'name')}
                  value={name}
                  error={errorOf('name')}
                  onChange={(event) => set({ name: event.currentTarget.value })}
                />
              </Head>
              <Textarea
                label={t('editor.looks')}
                id={elementId(id, 'look')}
                rows={2}
                value={look}
                error={errorOf('look')}
                onChange={(event) => set({ look: event.currentTarget.value })}
              />
              {hasVoice ? (
                <TextInput
                  label={t('editor.voice')}
                  id={elementId(id, 'voice')}
                  value={voice}
                  error={errorOf('voice')}
                  onChange={(event) => set({ voice: event.currentTarget.value })}
                />
              ) : null}
            </li>
          );
        })}
      </ul>
      <AddButton
        disabled={plan.characters.length >= MOST.characters}
        onClick={() => dispatch({ type: 'add', list: 'characters' })}
      >
        {t('editor.addCharacter')}
      </AddButton>
    </section>
  );
}

/** Where the film takes place. */
export function SceneFields({ plan, errors, dispatch }: Omit<CastProps, 'hasVoice'>) {
  const t = useT(dramaTexts);
  return (
    <section aria-labelledby="scenes-heading" className={classes.cast}>
      <h3 id="scenes-heading" className={classes.subtitle}>
        {t('editor.scenes')}
      </h3>
      <ListError message={errors.scenes} />
      <ul className={classes.people}>
        {plan.scenes.map(({ id, title, place }, index) => {
          const errorOf = (field: string) => errors[`scenes.${index}.${field}`];
          const set = (change: Partial<DramaPlan['scenes'][number]>) =>
            dispatch({ type: 'scene', id, change });
          return (
            <li key={id} className={classes.person}>
              <Head
                label={title || t('thingsIn.scenes', { number: index + 1 })}
                disabled={plan.scenes.length === 1}
                onRemove={() => dispatch({ type: 'remove', list: 'scenes', id })}
              >
                <TextInput
                  label={t('editor.sceneTitle')}
                  id={elementId(id, 'title')}
                  value={title}
                  error={errorOf('title')}
                  onChange={(event) => set({ title: event.currentTarget.value })}
                />
              </Head>
              <Textarea
                label={t('editor.place')}
                id={elementId(id, 'place')}
                rows={2}
                value={place}
                error={errorOf('place')}
                onChange={(event) => set({ place: event.currentTarget.value })}
              />
            </li>
          );
        })}
      </ul>
      <AddButton
        disabled={plan.scenes.length >= MOST.scenes}
        onClick={() => dispatch({ type: 'add', list: 'scenes' })}
      >
        {t('editor.addScene')}
      </AddButton>
    </section>
  );
}

type HeadProps = { label: string; disabled?: boolean; onRemove: () => void; children: ReactNode };

function Head({ label, disabled = false, onRemove, children }: HeadProps) {
  const t = useT(dramaTexts);
  return (
    <div className={classes.personHead}>
      {children}
      <ActionIcon
        variant="default"
        size={36}
        aria-label={t('editor.remove', { name: label })}
        disabled={disabled}
        onClick={onRemove}
      >
        <Trash2 size={16} aria-hidden />
      </ActionIcon>
    </div>
  );
}

type AddButtonProps = { disabled: boolean; onClick: () => void; children: string };

export function AddButton({ disabled, onClick, children }: AddButtonProps) {
  return (
    <Button
      variant="default"
      leftSection={<Plus size={16} aria-hidden />}
      disabled={disabled}
      onClick={onClick}
      className={classes.addButton}
    >
      {children}
    </Button>
  );
}

/** What is wrong with a list as a whole. */
export function ListError({ message }: { message: string | undefined }) {
  return message ? (
    <p className={classes.listError} role="alert">
      {message}
    </p>
  ) : null;
}
