import type { ModelNumbers } from '#server/overview/schemas.ts';
import type { AdminModelView } from '#server/providers/channels/models/schemas.ts';

export const MODEL_SORTS = ['position', 'title', 'price', 'used', 'time'] as const;
type ModelSort = (typeof MODEL_SORTS)[number];

/** A list of models in another order; `position` keeps the one that people see. What has no number comes last. */
export function sortModels(
  models: readonly AdminModelView[],
  { by, numbers }: { by: ModelSort; numbers: readonly ModelNumbers[] },
): AdminModelView[] {
  if (by === 'position') return [...models];
  if (by === 'title') return models.toSorted((one, other) => one.title.localeCompare(other.title, 'en'));
  const rank = ({ id, price }: AdminModelView): number => {
    const found = numbers.find(({ modelId }) => modelId === id);
    if (by === 'price') return price.credits;
    if (by === 'used') return -(found?.submitted ?? 0);
    return found?.p50Seconds ?? Number.MAX_VALUE;
  };
  return models.toSorted((one, other) => rank(one) - rank(other));
}
