import { z } from 'zod';
import { parameterFormSchema } from '#app/components/parameters/parameter-values.ts';
import { type ModelView, requestKey } from '#server/generation/schemas.ts';
import { KINDS } from '#server/generation/status.ts';

/**
 * What the composer's form holds, for one model. `parseWithZod` runs it in the browser (errors at once) and in the
 * action (before hydration); the procedure validates again.
 */
export function composerSchema(model: ModelView) {
  const tooLong = `A prompt for ${model.title} has at most ${model.maxPromptCharacters.toLocaleString('en-US')} characters.`;
  return z.object({
    kind: z.enum(KINDS),
    model: z.string(),
    requestKey,
    prompt: z
      .string('Write a prompt.')
      .trim()
      .min(1, 'Write a prompt.')
      .max(model.maxPromptCharacters, tooLong),
    // A model without parameters sends no field at all.
    params: parameterFormSchema(model.parameters).default({}),
    references: z
      .array(z.uuid('This is not an upload id.'))
      .max(model.maxReferences, referenceLimit(model))
      .default([]),
  });
}

function referenceLimit(model: ModelView): string {
  return model.maxReferences === 0
    ? `${model.title} takes no reference files. Remove them.`
    : `${model.title} takes at most ${model.maxReferences} reference ${model.maxReferences === 1 ? 'file' : 'files'}. Remove some.`;
}

/** The model a composer shows: the asked one when it exists for this kind, else the first of the kind. */
export function chooseModel(
  models: readonly ModelView[],
  kind: string,
  slug: string | null,
): ModelView | undefined {
  const ofKind = models.filter((model) => model.kind === kind);
  return ofKind.find((model) => model.slug === slug) ?? ofKind[0];
}
