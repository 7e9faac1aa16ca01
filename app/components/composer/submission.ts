import { parse } from '@conform-to/react';
import type { TFunction } from 'i18next';
import { checkParameters, type ParameterValues } from '#app/components/parameters/parameter-values.ts';
import { isRecord } from '#app/lib/is-record.ts';
import { isUuid } from '#app/lib/read-query.ts';
import { workbenchTexts } from '#app/locales/workbench.ts';
import type { ModelView, SubmitInput } from '#server/generation/schemas.ts';
import type { ReferenceRole } from '#server/generation/status.ts';

/** What the composer's form holds, for one model. */
export type Order = Pick<SubmitInput, 'kind' | 'model' | 'prompt' | 'requestKey' | 'quotedCredits'> & {
  params: ParameterValues;
  references: string[];
};

type Problems = Record<string, string[]>;

/**
 * Reads the composer's form: in the browser (errors at once) and in the action (before hydration). By hand, because
 * everybody loads it; the procedure checks all of it again by its schema, with what has no field here.
 */
export function readOrder(
  form: FormData,
  model: ModelView,
  t: TFunction<'workbench'> = workbenchTexts.in('en'),
) {
  return parse<Order, string[]>(form, {
    resolve: (payload) => {
      const problems: Problems = {};
      const order: Order = {
        kind: model.kind,
        model: model.slug,
        requestKey: textOf(payload.requestKey),
        // Sent once the server has confirmed what the page shows; without scripts nothing was quoted.
        ...(payload.quotedCredits ? { quotedCredits: Number(payload.quotedCredits) } : {}),
        prompt: checkPrompt(textOf(payload.prompt).trim(), model, { t, problems }),
        // A model without parameters sends no field at all.
        params: checkParameters(isRecord(payload.params) ? payload.params : {}, model.parameters, {
          t,
          problems,
        }),
        references: checkReferences(payload.references, model, { t, problems }),
      };
      return Object.keys(problems).length > 0 ? { error: problems } : { value: order };
    },
  });
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

type Checking = { t: TFunction<'workbench'>; problems: Problems };

function checkPrompt(prompt: string, model: ModelView, { t, problems }: Checking): string {
  const { title, maxPromptCharacters } = model;
  if (prompt === '') problems.prompt = [t('prompt.missing')];
  else if (prompt.length > maxPromptCharacters)
    problems.prompt = [t('prompt.tooLongFor', { model: title, count: maxPromptCharacters })];
  return prompt;
}

function checkReferences(sent: unknown, model: ModelView, { t, problems }: Checking): string[] {
  // An empty place stays one, and is refused below: files count by their places.
  const ids = Array.from(Array.isArray(sent) ? sent : [], textOf);
  const { title, maxReferences } = model;
  if (ids.length > maxReferences)
    problems.references = [
      maxReferences === 0
        ? t('references.noneTaken', { model: title })
        : t('references.mostOf', { model: title, count: maxReferences }),
    ];
  // An empty place before a file: a last frame alone, which would be sent as the first one. The field says so by itself.
  if (Array.isArray(sent) && sent[0] === '' && ids.length > 0)
    problems['references[0]'] = [t('references.firstMissing')];
  for (const [place, id] of ids.entries())
    if (!isUuid(id)) problems[`references[${place}]`] = ['This is not an upload id.'];
  return ids;
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
