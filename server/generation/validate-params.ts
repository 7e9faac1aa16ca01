import { AppError } from '#server/lib/app-error.ts';
import { isStorable, type ParameterSchema, type ParameterSpec } from './schemas.ts';

/**
 * Checks parameters against a model's schema and fills in its defaults; a seed that is not given stays out, so that upstream
 * chooses it. Whole numbers and booleans may come as text, because a form without scripts sends text. Nothing is clamped: what is out of range is refused before any charge.
 *
 * @throws AppError `bad_request` naming the field and the allowed values
 */
export function validateParams(
  schema: ParameterSchema,
  params: Record<string, unknown>,
): Record<string, unknown> {
  for (const name of Object.keys(params)) {
    if (!Object.hasOwn(schema, name)) {
      const known = Object.keys(schema).join(', ') || 'none';
      throw new AppError('bad_request', `This model has no parameter "${name}". It has: ${known}.`, {
        field: 'params',
      });
    }
  }
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, spec]) => {
      const given = params[name];
      const isMissing = given === undefined || given === null;
      if (spec.type === 'seed' && (isMissing || given === '')) return [];
      return [[name, isMissing && spec.type !== 'seed' ? spec.default : validateOne(name, spec, given)]];
    }),
  );
}

function validateOne(name: string, spec: ParameterSpec, value: unknown): unknown {
  const refuse = (allowed: string): never => {
    throw new AppError('bad_request', `${spec.label}: ${allowed}.`, { field: `params.${name}` });
  };
  switch (spec.type) {
    case 'integer':
      return (
        wholeNumber(value, spec.minimum, spec.maximum) ??
        refuse(`choose a whole number from ${spec.minimum} to ${spec.maximum}`)
      );
    case 'seed':
      return (
        wholeNumber(value, 0, spec.maximum) ??
        refuse(`choose a whole number from 0 to ${spec.maximum}, or leave it empty`)
      );
    case 'choice':
      return typeof value === 'string' && spec.options.includes(value)
        ? value
        : refuse(`choose one of ${spec.options.join(', ')}`);
    case 'text':
      return typeof value === 'string' && value.length <= spec.maxLength && isStorable(value)
        ? value
        : refuse(`write at most ${spec.maxLength} characters`);
    case 'boolean':
      if (typeof value === 'boolean') return value;
      return value === 'true' || value === 'false' ? value === 'true' : refuse('choose yes or no');
  }
}

/** A whole number, also as a form's text; undefined when it is none or out of range. */
function wholeNumber(value: unknown, minimum: number, maximum: number): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) return undefined;
  return number >= minimum && number <= maximum ? number : undefined;
}
