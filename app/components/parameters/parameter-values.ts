import type { TFunction } from 'i18next';
import type { ParameterSchema, ParameterSpec } from '#server/generation/schemas.ts';
import { parameterLabel } from './parameter-label.ts';

type T = TFunction<'workbench'>;
type Value = string | number | boolean;

/** Parameter values by name, as the form and the API carry them. */
export type ParameterValues = Record<string, Value>;

/** The values a model starts with. A seed has none: left empty, upstream chooses. */
export function defaultParameters(schema: ParameterSchema): ParameterValues {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, spec]) => (spec.type === 'seed' ? [] : [[name, spec.default]])),
  );
}

/**
 * The parameters of an order as a form has sent them, by name. What does not fit goes into `problems` under the name of
 * its field. The server checks again: this only puts the same sentence beside the field at once.
 */
export function checkParameters(
  sent: Readonly<Record<string, unknown>>,
  schema: ParameterSchema,
  { t, problems }: { t: T; problems: Record<string, string[]> },
): ParameterValues {
  const values: ParameterValues = {};
  for (const [name, spec] of Object.entries(schema)) {
    const value = fitTo(spec, decode(spec, sent[name] ?? null));
    if (value === UNFIT) problems[parameterField(name)] = [describeRange(spec, t)];
    else if (value !== undefined) values[name] = value;
  }
  return values;
}

const UNFIT = Symbol('unfit');

/** The value as it counts: undefined where none is sent, what an absent one means, or {@link UNFIT}. */
function fitTo(spec: ParameterSpec, value: unknown): Value | undefined | typeof UNFIT {
  switch (spec.type) {
    case 'integer':
      return isWithin(value, spec.minimum, spec.maximum) ? value : UNFIT;
    case 'choice':
      return typeof value === 'string' && spec.options.includes(value) ? value : UNFIT;
    case 'text':
      // An empty text box is sent as nothing at all; here it is a value.
      if (value === undefined) return '';
      return typeof value === 'string' && value.length <= spec.maxLength ? value : UNFIT;
    case 'seed':
      if (value === undefined) return undefined;
      return isWithin(value, 0, spec.maximum) ? value : UNFIT;
    case 'boolean':
      // A browser sends nothing for a box that is not ticked.
      if (value === undefined) return false;
      return typeof value === 'boolean' ? value : UNFIT;
  }
}

const isWithin = (value: unknown, minimum: number, maximum: number): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum && value <= maximum;

/** What a parameter takes, in a sentence. */
function describeRange(spec: ParameterSpec, t: T): string {
  const label = parameterLabel(t, spec.label);
  switch (spec.type) {
    case 'integer':
      return t('parameters.errorInteger', { label, minimum: spec.minimum, maximum: spec.maximum });
    case 'choice':
      return t('parameters.errorChoice', { label, options: spec.options.join(', ') });
    case 'text':
      return t('parameters.errorText', { label, most: spec.maxLength });
    case 'seed':
      return t('parameters.errorSeed', { label, maximum: spec.maximum });
    case 'boolean':
      // A box is ticked or it is not: no form can send it wrong.
      return label;
  }
}

/**
 * Current values of a form's parameter fields, read leniently: a field that holds no valid value gives its default, so
 * that a price can be shown while somebody types.
 */
export function readParameters(form: FormData, schema: ParameterSchema): ParameterValues {
  const values: ParameterValues = {};
  for (const [name, spec] of Object.entries(schema)) {
    const fitting = fitTo(spec, decode(spec, form.get(parameterField(name))));
    const value = fitting !== UNFIT ? fitting : spec.type === 'seed' ? undefined : spec.default;
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
      if (values[name] === undefined) return [];
      const value = fitTo(spec, values[name]);
      return value === undefined || value === UNFIT ? [] : [[name, value] as const];
    }),
  );
}

/** What a form field holds, as the type of its parameter; undefined for an empty one, null is an absent field. */
function decode(spec: ParameterSpec, raw: unknown): unknown {
  if (spec.type === 'boolean') return raw !== null;
  if (typeof raw !== 'string') return undefined;
  if (spec.type === 'integer' || spec.type === 'seed') return raw.trim() === '' ? undefined : Number(raw);
  return raw;
}

/** Name of a parameter's form field; conform reads the dot as nesting. */
export function parameterField(name: string): string {
  return `params.${name}`;
}
