import { ActionIcon, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { ArrowDown, ArrowUp, Lock, LockOpen, Plus, Trash2 } from 'lucide-react';
import { type Dispatch, memo } from 'react';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { dramaTexts } from '#app/locales/drama.ts';
import {
  type DramaPlan,
  type DramaShot,
  MAX_SHOT_SECONDS,
  type ShotCost,
} from '#server/generation/drama/schemas.ts';
import type { DramaTexts } from './drama-words.ts';
import classes from './editor.module.css';
import { costWords, shotCredits } from './plan-cost.ts';
import { elementId, type PlanEdit } from './plan-edit.ts';

type ShotCardProps = {
  shot: DramaShot;
  /** Place in the film, from 0. */
  index: number;
  count: number;
  scenes: DramaPlan['scenes'];
  characters: DramaPlan['characters'];
  /** Sentences by field of this shot. */
  errors: Readonly<Record<string, string>> | undefined;
  cost: ShotCost | undefined;
  /** Films of still pictures have no motion, silent ones nobody who speaks. */
  hasClips: boolean;
  hasVoice: boolean;
  mayAdd: boolean;
  dispatch: Dispatch<PlanEdit>;
};

/** One shot of the storyboard: everything that is made from it, and where it stands. */
export const ShotCard = memo(function ShotCard(props: ShotCardProps) {
  const { shot, index, count, errors, mayAdd, dispatch } = props;
  const t = useT(dramaTexts);
  const isLocked = shot.locked === true;
  const number = index + 1;
  return (
    <li className={classes.shot} data-locked={isLocked || undefined} data-testid={`shot-${shot.id}`}>
      <fieldset className={classes.fields}>
        <legend className={classes.legend}>{t('shot.name', { number })}</legend>
        <ShotFields {...props} errors={errors} />
      </fieldset>
      <div className={classes.shotBar}>
        <Cost cost={props.cost} />
        <div className={classes.buttons}>
          <ActionIcon
            id={elementId(shot.id, 'up')}
            variant="default"
            size={40}
            aria-label={t('shot.up', { number })}
            disabled={index === 0}
            onClick={() => dispatch({ type: 'move', id: shot.id, by: -1 })}
          >
            <ArrowUp size={17} aria-hidden />
          </ActionIcon>
          <ActionIcon
            id={elementId(shot.id, 'down')}
            variant="default"
            size={40}
            aria-label={t('shot.down', { number })}
            disabled={index === count - 1}
            onClick={() => dispatch({ type: 'move', id: shot.id, by: 1 })}
          >
            <ArrowDown size={17} aria-hidden />
          </ActionIcon>
          <ActionIcon
            variant="default"
            size={40}
            aria-label={t('shot.addAfter', { number })}
            disabled={!mayAdd}
            onClick={() => dispatch({ type: 'add', list: 'shots', after: shot.id })}
          >
            <Plus size={17} aria-hidden />
          </ActionIcon>
          <ActionIcon
            variant="default"
            size={40}
            aria-pressed={isLocked}
            aria-label={t('shot.lock', { number })}
            title={t(isLocked ? 'shot.locked' : 'shot.unlocked')}
            onClick={() => dispatch({ type: 'shot', id: shot.id, change: { locked: !isLocked } })}
          >
            {isLocked ? <Lock size={17} aria-hidden /> : <LockOpen size={17} aria-hidden />}
          </ActionIcon>
          <ActionIcon
            variant="default"
            size={40}
            aria-label={t('shot.remove', { number })}
            disabled={isLocked || count === 1}
            onClick={() => dispatch({ type: 'remove', list: 'shots', id: shot.id })}
          >
            <Trash2 size={17} aria-hidden />
          </ActionIcon>
        </div>
      </div>
    </li>
  );
});

function ShotFields({
  shot,
  index,
  scenes,
  characters,
  errors,
  hasClips,
  hasVoice,
  dispatch,
}: ShotCardProps) {
  const t = useT(dramaTexts);
  const isLocked = shot.locked === true;
  const set = (change: Partial<Omit<DramaShot, 'id'>>) => dispatch({ type: 'shot', id: shot.id, change });
  return (
    <>
      <div className={classes.pair}>
        <NativeSelect
          label={t('shot.scene')}
          id={elementId(shot.id, 'sceneId')}
          value={shot.sceneId}
          data={[
            ...(scenes.some(({ id }) => id === shot.sceneId)
              ? []
              : [{ value: shot.sceneId, label: t('shot.chooseScene') }]),
            ...scenes.map((scene, place) => ({
              value: scene.id,
              label: scene.title || t('things.scenes', { number: place + 1 }),
            })),
          ]}
          error={errors?.sceneId}
          disabled={isLocked}
          onChange={(event) => set({ sceneId: event.currentTarget.value })}
        />
        <TextInput
          label={t('shot.seconds')}
          id={elementId(shot.id, 'seconds')}
          type="number"
          inputMode="numeric"
          min={1}
          max={MAX_SHOT_SECONDS}
          step={1}
          value={Number.isFinite(shot.seconds) ? shot.seconds : ''}
          error={errors?.seconds}
          readOnly={isLocked}
          onChange={(event) => set({ seconds: event.currentTarget.valueAsNumber })}
        />
      </div>
      <Textarea
        label={t('shot.picture')}
        description={t('shot.pictureHint')}
        id={elementId(shot.id, 'picturePrompt')}
        rows={3}
        value={shot.picturePrompt}
        error={errors?.picturePrompt}
        readOnly={isLocked}
        onChange={(event) => set({ picturePrompt: event.currentTarget.value })}
      />
      {hasClips ? (
        <Textarea
          label={t('shot.motion')}
          description={t('shot.motionHint')}
          id={elementId(shot.id, 'motionPrompt')}
          rows={2}
          value={shot.motionPrompt}
          error={errors?.motionPrompt}
          readOnly={isLocked}
          onChange={(event) => set({ motionPrompt: event.currentTarget.value })}
        />
      ) : null}
      <Textarea
        label={t(hasVoice ? 'shot.narration' : 'shot.caption')}
        description={t(hasVoice ? 'shot.narrationHint' : 'shot.captionHint')}
        id={elementId(shot.id, 'narration')}
        rows={2}
        value={shot.narration}
        error={errors?.narration}
        readOnly={isLocked}
        onChange={(event) => set({ narration: event.currentTarget.value })}
      />
      {hasVoice ? (
        <NativeSelect
          label={t('shot.speaker')}
          id={elementId(shot.id, 'speakerId')}
          value={shot.speakerId}
          data={[{ value: '', label: t('shot.narrator') }, ...named(characters, t)]}
          error={errors?.speakerId}
          disabled={isLocked}
          onChange={(event) => set({ speakerId: event.currentTarget.value })}
        />
      ) : null}
      {characters.length > 0 ? (
        <Checkbox.Group
          label={t('shot.characters', { number: index + 1 })}
          value={shot.characterIds}
          error={errors?.characterIds}
          readOnly={isLocked}
          onChange={(characterIds) => set({ characterIds })}
        >
          <div className={classes.checks}>
            {named(characters, t).map(({ value, label }) => (
              <Checkbox key={value} value={value} label={label} disabled={isLocked} />
            ))}
          </div>
        </Checkbox.Group>
      ) : null}
    </>
  );
}

function named(characters: DramaPlan['characters'], t: DramaTexts): { value: string; label: string }[] {
  return characters.map(({ id, name }, place) => ({
    value: id,
    label: name || t('things.characters', { number: place + 1 }),
  }));
}

function Cost({ cost }: { cost: ShotCost | undefined }) {
  const t = useT(dramaTexts);
  const format = useFormat();
  if (!cost) return <p className={classes.shotCost}>{t('shot.noPrice')}</p>;
  const credits = shotCredits(cost);
  return (
    <p className={classes.shotCost}>
      <strong>{credits === 0 ? t('shot.free') : format.credits(credits)}</strong>
      {credits > 0 ? <span> {costWords(cost, t)}</span> : null}
    </p>
  );
}
