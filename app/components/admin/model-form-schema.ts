import { z } from 'zod';
import { parameterSchema, priceRule, type ReferenceRole } from '#server/generation/schemas.ts';
import { KINDS } from '#server/generation/status.ts';
import { updateModelInput } from '#server/providers/channels/models/schemas.ts';
import { channelId, ENDPOINTS } from '#server/providers/channels/schemas.ts';

/** The parameters of a model, typed as JSON; an empty field means none. */
const parametersJson = z
  .string()
  .max(20_000, 'At most 20000 characters.')
  .default('{}')
  .transform((text, ctx) => {
    try {
      return JSON.parse(text) as unknown;
    } catch (error) {
      ctx.addIssue({ code: 'custom', message: `This is no valid JSON: ${(error as Error).message}` });
      return z.NEVER;
    }
  })
  .pipe(parameterSchema);

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
  upstreamModel: z.string('Enter the name that the upstream knows.').trim().min(1).max(200),
  parameters: parametersJson,
  price: priceRule,
  maxPromptCharacters: z.number('Enter a number.').int().min(1).max(32_000),
  maxReferences: z.number('Enter a number.').int().min(0).max(16),
  referenceRoles: rolesText,
  createTimeoutSeconds: z.number('Enter a number.').int().min(5).max(900),
  deadlineSeconds: z.number('Enter a number.').int().min(30).max(604_800),
  chargedWhenCancelled: z.boolean().default(false),
  sortOrder: z.number('Enter a number.').int().min(-10_000).max(10_000).default(0),
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
