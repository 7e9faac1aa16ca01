import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { CAPTION_MODES, MAX_SHOTS } from '#server/generation/drama/schemas.ts';
import classes from './composer.module.css';
import type { DramaFormFields } from './drama-form.ts';
import { CAPTION_WORDS } from './drama-words.ts';
import { type DramaModelLists, ModelChoice } from './model-choice.tsx';

type FilmOptionsProps = {
  models: DramaModelLists;
  fields: DramaFormFields;
  /** The form came back from the server: what was left empty stays empty. */
  isBack: boolean;
};

/** Who makes what, and how the film is to look. */
export function FilmOptions({ models, fields, isBack }: FilmOptionsProps) {
  const errorOf = (field: keyof DramaFormFields) => fields[field].errors?.join(' ');
  const sent = (field: keyof DramaFormFields) => {
    const value = fields[field].initialValue;
    return typeof value === 'string' ? value : undefined;
  };
  return (
    <>
      <div className={classes.group}>
        <ModelChoice
          id={fields.storyboard.id}
          name="storyboard"
          label="Storyboard"
          models={models.storyboard}
          defaultValue={sent('storyboard')}
          error={errorOf('storyboard')}
        />
        <ModelChoice
          id={fields.picture.id}
          name="picture"
          label="Pictures"
          models={models.picture}
          defaultValue={sent('picture')}
          error={errorOf('picture')}
        />
        <ModelChoice
          id={fields.clip.id}
          name="clip"
          label="Clips"
          models={models.clip}
          none="Still pictures"
          defaultValue={isBack ? (sent('clip') ?? '') : undefined}
          error={errorOf('clip')}
        />
        <ModelChoice
          id={fields.voice.id}
          name="voice"
          label="Voice"
          models={models.voice}
          none="Silent, captions only"
          defaultValue={isBack ? (sent('voice') ?? '') : undefined}
          error={errorOf('voice')}
        />
      </div>

      <div className={classes.group}>
        <NativeSelect
          id={fields.ratio.id}
          name="ratio"
          label="Shape"
          defaultValue={sent('ratio') ?? '16:9'}
          data={[
            { value: '16:9', label: '16:9, wide' },
            { value: '9:16', label: '9:16, upright' },
            { value: '1:1', label: '1:1, square' },
          ]}
          error={errorOf('ratio')}
        />
        <TextInput
          id={fields.shots.id}
          name="shots"
          label="Shots"
          description="You can add and remove some in the storyboard."
          type="number"
          inputMode="numeric"
          min={1}
          max={MAX_SHOTS}
          defaultValue={sent('shots') ?? '6'}
          error={errorOf('shots')}
        />
        <NativeSelect
          id={fields.captions.id}
          name="captions"
          label="Captions"
          defaultValue={sent('captions') ?? 'burnt'}
          data={CAPTION_MODES.map((mode) => ({ value: mode, label: CAPTION_WORDS[mode] }))}
          error={errorOf('captions')}
        />
        <TextInput
          id={fields.startBelowCredits.id}
          name="startBelowCredits"
          label="Start without a review"
          description="When the shots cost at most so many credits. Empty: you see the storyboard first."
          type="number"
          inputMode="numeric"
          min={0}
          max={1_000_000}
          defaultValue={sent('startBelowCredits')}
          error={errorOf('startBelowCredits')}
        />
      </div>
      <Checkbox
        name="titleCard"
        label="Begin with a title card"
        defaultChecked={!isBack || sent('titleCard') === 'on'}
      />
    </>
  );
}
