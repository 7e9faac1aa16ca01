import { isUuid } from '#app/lib/read-query.ts';
import type { PrefillInput, PrefillView } from '#server/generation/prompts/schemas.ts';
import type { ModelView } from '#server/generation/schemas.ts';
import { KINDS, type Kind, REFERENCE_ROLES, type ReferenceRole } from '#server/generation/status.ts';
import { chooseModel } from './submission.ts';

/**
 * What the workbench's address brings along for the composer: `from`, a task whose order is taken over, and `reference`,
 * an output that becomes a reference. What does not parse counts as absent.
 */
export function readPrefillInput(params: URLSearchParams): PrefillInput | null {
  const idOf = (name: string) => {
    const value = params.get(name);
    return value !== null && isUuid(value) ? value : undefined;
  };
  const [from, reference] = [idOf('from'), idOf('reference')];
  return from || reference ? { from, reference } : null;
}

/** Kind and model of the composer: those of the address, else of the order that it brings along, else the first. */
export function chooseComposer(
  models: readonly ModelView[],
  params: URLSearchParams,
  prefill: PrefillView | null,
): { kind: Kind; model: ModelView | undefined; isReferenceLost: boolean } {
  const kind = KINDS.find((each) => each === params.get('make')) ?? prefill?.order?.kind ?? 'image';
  const hasReference = params.has('reference');
  const role: ReferenceRole | null = hasReference
    ? (REFERENCE_ROLES.find((each) => each === params.get('role')) ?? 'reference')
    : null;
  const model = chooseModel(models, kind, {
    slug: params.get('model') ?? prefill?.order?.model ?? null,
    role,
  });
  return { kind, model, isReferenceLost: hasReference && model?.maxReferences === 0 };
}

/** Where the form is sent; a form without scripts comes back to what the address has brought along. */
export function composerAction(params: URLSearchParams, model: ModelView): string {
  const query = new URLSearchParams({ index: '', make: model.kind, model: model.slug });
  for (const name of ['from', 'reference', 'role']) {
    const value = params.get(name);
    if (value !== null) query.set(name, value);
  }
  return `/workbench?${query}`;
}
