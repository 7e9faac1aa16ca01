import { z } from 'zod';
import { parameterSchema, type ReferenceRole } from '#server/generation/schemas.ts';
import { KINDS } from '#server/generation/status.ts';
import { updateModelInput } from '#server/providers/channels/models/schemas.ts';
import { channelId, ENDPOINTS } from '#server/providers/channels/schemas.ts';
import { costForm } from './cost/cost-form-schema.ts';
import { priceForm } from './price-form-schema.ts';

/** The parameters of a model, typed as JSON; an empty field means none. */
const parametersJson = z
  .string()
  .max(20_000, 'At most 20000 characters.')
  .default('{}')
  .transform((text, ctx) => {
    const fail = (message: string) => {
      ctx.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    try {
      const parsed = parameterSchema.safeParse(JSON.parse(text));
      return parsed.success ? parsed.data : fail(describeIssue(parsed.error.issues[0]));
    } catch (error) {
      return fail(
        `This is no valid JSON (${(error as Error).message}). Put names and texts into double quotes, and no comma after the last entry.`,
      );
    }
  });

/** The first issue as a sentence. It belongs to the whole field: no input is named after a place inside the JSON. */
function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  const [name, property] = issue?.path ?? [];
  if (!issue || name === undefined)
    return 'Write an object of parameters by name, such as {"n": {"type": "integer", …}}; {} for none.';
  if (issue.code === 'invalid_key')
    return `"${String(name)}" is no name: use lower-case letters, digits and "_", a letter first.`;
  if (property === undefined)
    return `Describe "${String(name)}" by an object with its type, label and default.`;
  if (property === 'type')
    return `The type of "${String(name)}" must be integer, choice, text, boolean or seed.`;
  return `"${String(name)}" has no usable "${String(property)}": ${issue.message}.`;
}

/** Each limit says itself: a message of the number would be shown for every one of them. */
const wholeNumber = (least: number, most: number) =>
  z
    .number('Enter a number.')
    .int('Enter a whole number.')
    .min(least, `Enter at least ${least}.`)
    .max(most, `Enter at most ${most}.`);

const roles = updateModelInput.shape.referenceRoles.unwrap();

/** Roles by place, in one select: `first_frame,last_frame`. Not piped into the list, which would need many selects. */
const rolesText = z
  .string()
  .default('reference')
  .transform((text, ctx) => {
    const parsed = roles.safeParse(text.split(','));
    if (parsed.success) return parsed.data;
    ctx.addIssue({ code: 'custom', message: 'Choose what the files are for.' });
    return z.NEVER;
  });

export const toRolesText = (roles: readonly ReferenceRole[]): string => roles.join(',');

// Forms send every field, and an empty one as nothing at all: what the procedure takes as "unchanged" must be a value.
const fields = {
  title: z
    .string('Enter a title.')
    .trim()
    .min(1, 'Enter a title.')
    .max(120, 'A title has at most 120 characters.'),
  description: z.string().trim().max(500, 'A description has at most 500 characters.').default(''),
  upstreamModel: z
    .string('Enter the name that the upstream knows.')
    .trim()
    .min(1, 'Enter the name that the upstream knows.')
    .max(200, 'The name that the upstream knows has at most 200 characters.'),
  parameters: parametersJson,
  price: priceForm,
  cost: costForm,
  maxPromptCharacters: wholeNumber(1, 32_000),
  maxReferences: wholeNumber(0, 16),
  referenceRoles: rolesText,
  createTimeoutSeconds: wholeNumber(5, 900),
  deadlineSeconds: wholeNumber(30, 604_800),
  chargedWhenCancelled: z.boolean().default(false),
  sortOrder: wholeNumber(-10_000, 10_000).default(0),
};

export const editModelForm = z.object({ modelId: updateModelInput.shape.modelId, ...fields });

export const newModelForm = z.object({
  ...fields,
  channelId,
  slug: z
    .string('Enter a name.')
    .trim()
    .regex(/^[a-z0-9][a-z0-9._-]{0,79}$/, 'Use lower-case letters, digits, dots and dashes, at most 80.'),
  kind: z.enum(KINDS, 'Choose a kind.'),
  endpoint: z.enum(ENDPOINTS, 'Choose an endpoint.'),
});
