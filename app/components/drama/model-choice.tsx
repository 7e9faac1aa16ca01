import { NativeSelect } from '@mantine/core';
import { isFree } from '#app/lib/format.ts';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { compositeTexts } from '#app/locales/composite.ts';
import { dramaTexts } from '#app/locales/drama.ts';
import type { ModelView } from '#server/generation/schemas.ts';

type ModelChoiceProps = {
  name: string;
  id: string;
  label: string;
  description?: string;
  models: readonly ModelView[];
  /** What is chosen instead of a model; left out, one has to be. */
  none?: string;
  defaultValue: string | undefined;
  error: string | undefined;
};

/** Which model makes one part of the film, with its price. The browser's own select: it needs no script. */
export function ModelChoice({ models, none, defaultValue, ...field }: ModelChoiceProps) {
  const t = useT(dramaTexts);
  const common = useT(compositeTexts);
  const format = useFormat();
  return (
    <NativeSelect
      {...field}
      defaultValue={defaultValue ?? models[0]?.slug ?? ''}
      data={[
        ...models.map((model) => ({
          value: model.slug,
          label: t('model.option', {
            model: model.title,
            price: isFree(model.price) ? common('model.free') : format.price(model.price),
          }),
        })),
        ...(none === undefined ? [] : [{ value: '', label: none }]),
      ]}
    />
  );
}

/** Models by what they can do in a film. */
export function modelsForDrama(models: readonly ModelView[]) {
  return {
    storyboard: models.filter(({ kind, converses }) => kind === 'text' && converses),
    picture: models.filter(({ kind }) => kind === 'image'),
    // A clip begins with the picture of its shot.
    clip: models.filter(({ kind, maxReferences }) => kind === 'video' && maxReferences > 0),
    voice: models.filter(({ kind }) => kind === 'audio'),
  };
}
export type DramaModelLists = ReturnType<typeof modelsForDrama>;
