import type { TFunction } from 'i18next';
import { z } from 'zod';
import { workbenchTexts } from '#app/locales/workbench.ts';
import type { ParameterSchema, ParameterSpec } from '#server/generation/schemas.ts';

type T = TFunction<'workbench'>;
const ENGLISH = workbenchTexts.in('en');

/** Parameter values by name, as the form and the API carry them. */
export type ParameterValues = Record<string, string | number | boolean>;

/** The values a model starts with. A seed has none: left empty, upstream chooses. */
export function defaultParameters(schema: ParameterSchema): ParameterValues {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, spec]) => (spec.type === 'seed' ? [] : [[name, spec.default]])),
  );
}

/**
 * Zod object for the parameters of one model, for the form before it is sent. The server validates again: this one
 * only puts the same sentence beside the field at once.
 */
export function parameterFormSchema(schema: ParameterSchema, t: T = ENGLISH) {
  return z.object(
    Object.fromEntries(Object.entries(schema).map(([name, spec]) => [name, fieldSchema(spec, t)])),
  );
}

function fieldSchema(spec: ParameterSpec, t: T = ENGLISH) {
  const { label } = spec;
  switch (spec.type) {
    case 'integer': {
      const { minimum, maximum } = spec;
      const range = t('parameters.errorInteger', { label, minimum, maximum });
      return z.number(range).int(range).min(spec.minimum, range).max(spec.maximum, range);
    }
    case 'choice': {
      const choose = t('parameters.errorChoice', { label, options: spec.options.join(', ') });
      return z.string(choose).refine((value) => spec.options.includes(value), choose);
    }
    case 'text':
      // An empty text box is sent as nothing at all; here it is a value.
      return z
        .string()
        .max(spec.maxLength, t('parameters.errorText', { label, most: spec.maxLength }))
        .default('');
    case 'seed': {
      const range = t('parameters.errorSeed', { label, maximum: spec.maximum });
      return z.number(range).int(range).min(0, range).max(spec.maximum, range).optional();
    }
    case 'boolean':
      // A browser sends nothing for a box that is not ticked.
      return z.boolean().default(false);
  }
}

/**
 * Current values of a form's parameter fields, read leniently: a field that holds no valid value gives its default, so
 * that a price can be shown while somebody types.
 */
export function readParameters(form: FormData, schema: ParameterSchema): ParameterValues {
  const values: ParameterValues = {};
  for (const [name, spec] of Object.entries(schema)) {
    const raw = form.get(parameterField(name));
    const parsed = fieldSchema(spec).safeParse(decode(spec, raw));
    const value = parsed.success ? parsed.data : spec.type === 'seed' ? undefined : spec.default;
    if (value !== undefined) values[name] = value;
  }
  return values;
}

/** Those of some earlier values that fit a model as it is today; what does not is left to its default. */
export function fittingParameters(
  schema: ParameterSchema,
  values: Readonly<Record<string, unknown>>,
): ParameterValues {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, spec]) => {
      const parsed = fieldSchema(spec).safeParse(values[name]);
      const isGiven = values[name] !== undefined;
      return isGiven && parsed.success && parsed.data !== undefined ? [[name, parsed.data] as const] : [];
    }),
  );
}

function decode(spec: ParameterSpec, raw: FormDataEntryValue | null): unknown {
  if (spec.type === 'boolean') return raw !== null;
  if (typeof raw !== 'string') return undefined;
  if (spec.type === 'integer' || spec.type === 'seed') return raw.trim() === '' ? undefined : Number(raw);
  return raw;
}

/** Name of a parameter's form field; conform reads the dot as nesting. */
export function parameterField(name: string): string {
  return `params.${name}`;
}
