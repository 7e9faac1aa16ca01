import { NativeSelect } from '@mantine/core';
import { formatPrice, isFree } from '#app/lib/format.ts';
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
  return (
    <NativeSelect
      {...field}
      defaultValue={defaultValue ?? models[0]?.slug ?? ''}
      data={[
        ...models.map((model) => ({
          value: model.slug,
          label: `${model.title} (${isFree(model.price) ? 'free' : formatPrice(model.price)})`,
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
