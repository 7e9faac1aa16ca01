import { z } from 'zod';
import { AppError } from '#server/lib/app-error.ts';
import { customSettings } from '../custom/schemas.ts';
import { inputsSetting } from '../hosted-model.ts';

const falSettings = z.strictObject({
  /** Where the public keys of signed webhooks are, when not at fal's own address. */
  jwksUrl: z
    .url({ protocol: /^https?$/, error: 'Enter a complete address, such as https://example.com/jwks.json.' })
    .max(500, 'An address has at most 500 characters.')
    .optional(),
  inputs: inputsSetting.optional(),
});
const replicateSettings = z.strictObject({ inputs: inputsSetting.optional() });

/** What each protocol is told beyond address and key; those that are not here take nothing. */
const SETTINGS: Readonly<Record<string, z.ZodType>> = {
  custom: customSettings,
  fal: falSettings,
  replicate: replicateSettings,
};

/**
 * The settings of a channel as they are stored: parsed by its protocol's own schema, null where it has none.
 *
 * @throws AppError `unprocessable` naming each part that is wrong and what to do
 */
export function validateSettings(protocol: string, settings: unknown): unknown {
  const schema = SETTINGS[protocol];
  const isEmpty = settings === undefined || settings === null;
  if (!schema) {
    if (isEmpty) return null;
    throw refuse(`The protocol "${protocol}" takes no settings. Leave them out.`);
  }
  if (isEmpty && protocol !== 'custom') return null;
  if (isEmpty) throw refuse('Describe the protocol before you save the channel.');
  const parsed = schema.safeParse(settings);
  if (!parsed.success) throw refuse(parsed.error.issues.map(describeIssue).join(' '));
  return parsed.data;
}

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  return path.length > 0 ? `${path.map(String).join('.')}: ${message}` : message;
}

function refuse(message: string): AppError {
  return new AppError('unprocessable', message, { field: 'settings' });
}
