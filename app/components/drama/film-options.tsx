import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useServerWords } from '#app/components/composite/server-words.ts';
import { useT } from '#app/lib/language.tsx';
import { dramaTexts } from '#app/locales/drama.ts';
import { CAPTION_MODES, MAX_SHOTS } from '#server/generation/drama/schemas.ts';
import classes from './composer.module.css';
import type { DramaFormFields } from './drama-form.ts';
import { type DramaModelLists, ModelChoice } from './model-choice.tsx';

type FilmOptionsProps = {
  models: DramaModelLists;
  fields: DramaFormFields;
  /** The form came back from the server: what was left empty stays empty. */
  isBack: boolean;
};

/** Who makes what, and how the film is to look. */
export function FilmOptions({ models, fields, isBack }: FilmOptionsProps) {
  const t = useT(dramaTexts);
  const words = useServerWords();
  const errorOf = (field: keyof DramaFormFields) => words(fields[field].errors);
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
          label={t('form.storyboard')}
          models={models.storyboard}
          defaultValue={sent('storyboard')}
          error={errorOf('storyboard')}
        />
        <ModelChoice
          id={fields.picture.id}
          name="picture"
          label={t('form.picture')}
          models={models.picture}
          defaultValue={sent('picture')}
          error={errorOf('picture')}
        />
        <ModelChoice
          id={fields.clip.id}
          name="clip"
          label={t('form.clip')}
          models={models.clip}
          none={t('form.noClip')}
          defaultValue={isBack ? (sent('clip') ?? '') : undefined}
          error={errorOf('clip')}
        />
        <ModelChoice
          id={fields.voice.id}
          name="voice"
          label={t('form.voice')}
          models={models.voice}
          none={t('form.noVoice')}
          defaultValue={isBack ? (sent('voice') ?? '') : undefined}
          error={errorOf('voice')}
        />
      </div>

      <div className={classes.group}>
        <NativeSelect
          id={fields.ratio.id}
          name="ratio"
          label={t('form.ratio')}
          defaultValue={sent('ratio') ?? '16:9'}
          data={[
            { value: '16:9', label: t('form.wide') },
            { value: '9:16', label: t('form.upright') },
            { value: '1:1', label: t('form.square') },
          ]}
          error={errorOf('ratio')}
        />
        <TextInput
          id={fields.shots.id}
          name="shots"
          label={t('form.shots')}
          description={t('form.shotsHint')}
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
          label={t('form.captions')}
          defaultValue={sent('captions') ?? 'burnt'}
          data={CAPTION_MODES.map((mode) => ({ value: mode, label: t(`captions.${mode}`) }))}
          error={errorOf('captions')}
        />
        <TextInput
          id={fields.startBelowCredits.id}
          name="startBelowCredits"
          label={t('form.startBelow')}
          description={t('form.startBelowHint')}
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
        label={t('form.titleCard')}
        defaultChecked={!isBack || sent('titleCard') === 'on'}
      />
    </>
  );
}
