import type { Schema } from './talk.ts';

/** Values that a tool's own JSON Schema accepts: the model writes what it was asked for, whatever was asked. */

const asSchema = (value: unknown): Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {};
const numberAt = (schema: Schema, name: string): number | undefined => {
  const value = schema[name];
  return typeof value === 'number' ? value : undefined;
};

const propertiesOf = (schema: Schema): Schema => asSchema(schema.properties);
export const propertyOf = (schema: Schema, name: string): Schema => asSchema(propertiesOf(schema)[name]);
export const choicesOf = (schema: Schema): readonly unknown[] =>
  Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : [];

/** The least that the schema accepts; texts are `text`. */
function sampleOf(schema: Schema, text: string): unknown {
  const choices = choicesOf(schema);
  if (choices.length > 0) return choices[0];
  switch (schema.type) {
    case 'object':
      return fitToSchema({}, schema, text);
    case 'array': {
      const least = numberAt(schema, 'minItems') ?? 0;
      return Array.from({ length: least }, () => sampleOf(asSchema(schema.items), text));
    }
    case 'integer':
    case 'number':
      return numberAt(schema, 'minimum') ?? numberAt(schema, 'maximum') ?? 1;
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return fitToSchema(text, schema, text);
  }
}

/** `value` made to fit: unknown fields go where none are allowed, missing ones come, numbers and lengths are bounded. */
export function fitToSchema(value: unknown, schema: Schema, text: string): unknown {
  const choices = choicesOf(schema);
  if (choices.length > 0) return choices.includes(value) ? value : choices[0];
  if (typeof value === 'string') return value.slice(0, numberAt(schema, 'maxLength'));
  if (typeof value === 'number')
    return Math.min(
      numberAt(schema, 'maximum') ?? value,
      Math.max(numberAt(schema, 'minimum') ?? value, value),
    );
  if (Array.isArray(value))
    return value
      .slice(0, numberAt(schema, 'maxItems'))
      .map((item) => fitToSchema(item, asSchema(schema.items), text));
  if (typeof value !== 'object' || value === null) return value;
  const properties = propertiesOf(schema);
  const kept = Object.entries(value).filter(
    ([name]) => schema.additionalProperties !== false || Object.hasOwn(properties, name),
  );
  const fitted = kept.map(([name, item]) => [name, fitToSchema(item, propertyOf(schema, name), text)]);
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const missing = required.filter((name) => !kept.some(([known]) => known === name));
  return Object.fromEntries([
    ...fitted,
    ...missing.map((name) => [name, sampleOf(propertyOf(schema, name), text)]),
  ]);
}
