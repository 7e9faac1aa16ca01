import type { TFunction } from 'i18next';
import { z } from 'zod';
import { parameterFormSchema } from '#app/components/parameters/parameter-values.ts';
import { workbenchTexts } from '#app/locales/workbench.ts';
import { type ModelView, type ReferenceRole, requestKey } from '#server/generation/schemas.ts';
import { KINDS } from '#server/generation/status.ts';

/**
 * What the composer's form holds, for one model. `parseWithZod` runs it in the browser (errors at once) and in the
 * action (before hydration); the procedure validates again.
 */
export function composerSchema(model: ModelView, t: TFunction<'workbench'> = workbenchTexts.in('en')) {
  const { title, maxPromptCharacters, maxReferences } = model;
  const missing = t('prompt.missing');
  const tooMany =
    maxReferences === 0
      ? t('references.noneTaken', { model: title })
      : t('references.mostOf', { model: title, count: maxReferences });
  return z.object({
    kind: z.enum(KINDS),
    model: z.string(),
    requestKey,
    // Sent once the server has confirmed what the page shows; without scripts nothing was quoted.
    quotedCredits: z.number().int().min(0).optional(),
    prompt: z
      .string(missing)
      .trim()
      .min(1, missing)
      .max(maxPromptCharacters, t('prompt.tooLongFor', { model: title, count: maxPromptCharacters })),
    // A model without parameters sends no field at all.
    params: parameterFormSchema(model.parameters, t).default({}),
    references: z.array(z.uuid('This is not an upload id.')).max(maxReferences, tooMany).default([]),
  });
}

/**
 * The model a composer shows: the asked one when it exists for this kind, else the first of the kind, or the first that
 * takes a reference in this role where one is brought along.
 */
export function chooseModel(
  models: readonly ModelView[],
  kind: string,
  { slug, role }: { slug: string | null; role?: ReferenceRole | null },
): ModelView | undefined {
  const ofKind = models.filter((model) => model.kind === kind);
  const asked = ofKind.find((model) => model.slug === slug);
  if (asked || !role) return asked ?? ofKind[0];
  const taking = ofKind.filter((model) => model.maxReferences > 0);
  return taking.find((model) => model.referenceRoles.includes(role)) ?? taking[0] ?? ofKind[0];
}
