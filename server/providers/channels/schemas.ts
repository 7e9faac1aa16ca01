import { z } from 'zod';
import {
  type ParameterSchema,
  type PriceRule,
  parameterSchema,
  priceRule,
} from '#server/generation/schemas.ts';
import { KINDS, type Kind } from '#server/generation/status.ts';

/** Inputs and views of channel and model administration. Isomorphic: imports zod, schemas and status only. */

/** Wire protocols with their endpoints, and the kind of artefact that each endpoint makes. */
export const PROTOCOL_ENDPOINTS = {
  openai: { images: 'image', videos: 'video', speech: 'audio', responses: 'text', chat: 'text' },
} as const satisfies Record<string, Record<string, Kind>>;

export const PROTOCOLS = ['openai'] as const satisfies readonly (keyof typeof PROTOCOL_ENDPOINTS)[];
export const ENDPOINTS = ['images', 'videos', 'speech', 'responses', 'chat'] as const;

/** An http(s) address without credentials, query or fragment; trailing slashes are dropped. With or without `/v1`. */
export const baseUrl = z
  .string()
  .trim()
  .min(1, 'Enter the base URL, such as https://api.openai.com/v1.')
  .max(500, 'A base URL has at most 500 characters.')
  .transform((text, ctx) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const problem = !url
      ? 'Enter a complete address, such as https://api.openai.com/v1.'
      : url.protocol !== 'https:' && url.protocol !== 'http:'
        ? 'The base URL must start with https:// or http://.'
        : url.username || url.password
          ? 'The base URL must not contain a user name or password; the key goes into its own field.'
          : url.search || url.hash || /[?#]/.test(text)
            ? 'The base URL must not contain "?" or "#".'
            : undefined;
    if (!url || problem) {
      ctx.addIssue({ code: 'custom', message: problem ?? '' });
      return z.NEVER;
    }
    return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  });

/** A key as it goes into a header. Surrounding space and line ends, the usual copying mistakes, are dropped. */
export const apiKey = z
  .string()
  .trim()
  .min(1, 'Enter the API key.')
  .max(500, 'A key has at most 500 characters.')
  .regex(/^[\x21-\x7e]*$/, 'A key has visible ASCII characters only, without spaces. Copy it again.');

const channelName = z.string().trim().min(1, 'Enter a name.').max(80, 'A name has at most 80 characters.');
const maxInFlight = z
  .number()
  .int('Enter a whole number.')
  .min(1, 'At least 1 task must be allowed at once.')
  .max(100_000, 'At most 100000 tasks may be allowed at once.');
export const channelId = z.uuid('This is not a channel id.');

export const createChannelInput = z.object({
  name: channelName,
  protocol: z.enum(PROTOCOLS, 'Choose a protocol.').default('openai'),
  baseUrl,
  apiKey,
  maxInFlight: maxInFlight.default(100),
  /** Ids of ready-made models to add with the channel. */
  templates: z.array(z.string().max(80)).max(50).default([]),
});
export type CreateChannelInput = z.infer<typeof createChannelInput>;

export const updateChannelInput = z.object({
  channelId,
  name: channelName.optional(),
  baseUrl: baseUrl.optional(),
  enabled: z.boolean().optional(),
  maxInFlight: maxInFlight.optional(),
});
export type UpdateChannelInput = z.infer<typeof updateChannelInput>;

export const replaceKeyInput = z.object({ channelId, apiKey });
export const channelInput = z.object({ channelId });

export type ChannelView = {
  id: string;
  name: string;
  protocol: string;
  baseUrl: string;
  enabled: boolean;
  maxInFlight: number;
  /** After a 429; null when it takes work. */
  pausedUntil: Date | null;
  consecutiveFailures: number;
  lastErrorClass: string | null;
  lastErrorAt: Date | null;
  /** The last characters of the current key, never more of it. */
  key: { hint: string; since: Date } | null;
  retiredKeys: number;
  models: number;
  createdAt: Date;
};

export type ChannelTestView = { ok: boolean; message: string };

const slug = z
  .string()
  .trim()
  .regex(/^[a-z0-9][a-z0-9._-]{0,79}$/, 'Use lower-case letters, digits, dots and dashes, at most 80.');

const modelFields = z.object({
  title: z.string().trim().min(1, 'Enter a title.').max(120, 'A title has at most 120 characters.'),
  description: z.string().trim().max(500, 'A description has at most 500 characters.').default(''),
  upstreamModel: z.string().trim().min(1, 'Enter the name that the upstream knows.').max(200),
  endpoint: z.enum(ENDPOINTS, 'Choose an endpoint.'),
  parameters: parameterSchema.default({}),
  price: priceRule,
  maxPromptCharacters: z.number().int().min(1).max(32_000).default(4_000),
  maxReferences: z.number().int().min(0).max(16).default(0),
  /** How long a create may take before its outcome counts as unknown. */
  createTimeoutSeconds: z.number().int().min(5).max(900).default(300),
  /** Upstream run time after which a task is overdue. */
  deadlineSeconds: z.number().int().min(30).max(604_800).default(3_600),
  chargedWhenCancelled: z.boolean().default(false),
  enabled: z.boolean().default(true),
  sortOrder: z.number().int().min(-10_000).max(10_000).default(0),
});

type Checked = {
  kind?: Kind;
  endpoint?: (typeof ENDPOINTS)[number];
  parameters?: ParameterSchema;
  price?: PriceRule;
};

/** Rules over several fields; each is checked only when the fields that it needs are there. */
function checkModel(model: Checked, ctx: z.RefinementCtx): void {
  const fail = (path: string[], message: string) => ctx.addIssue({ code: 'custom', path, message });
  if (model.kind && model.endpoint && PROTOCOL_ENDPOINTS.openai[model.endpoint] !== model.kind) {
    fail(['endpoint'], `The endpoint "${model.endpoint}" does not make ${model.kind}.`);
  }
  for (const [name, spec] of Object.entries(model.parameters ?? {})) {
    if (spec.type === 'integer' && !(spec.minimum <= spec.default && spec.default <= spec.maximum)) {
      fail(['parameters', name], `The default of "${name}" must lie between its minimum and its maximum.`);
    }
    if (spec.type === 'choice' && !spec.options.includes(spec.default)) {
      fail(['parameters', name], `The default of "${name}" must be one of its options.`);
    }
    if (spec.type === 'text' && spec.default.length > spec.maxLength) {
      fail(['parameters', name], `The default of "${name}" is longer than allowed.`);
    }
    if ((name === 'n' || name === 'seconds') && !countsWholeNumbers(spec)) {
      fail(
        ['parameters', name],
        `"${name}" must be a whole number of at least 1, because the price may depend on it.`,
      );
    }
  }
  if (model.price?.unit === 'second' && model.parameters && !('seconds' in model.parameters)) {
    fail(['price'], 'A price per second needs a parameter named "seconds".');
  }
}

function countsWholeNumbers(spec: ParameterSchema[string]): boolean {
  if (spec.type === 'integer') return spec.minimum >= 1;
  return spec.type === 'choice' && spec.options.every((option) => /^[1-9]\d{0,5}$/.test(option));
}

export const createModelInput = modelFields
  .extend({ slug, kind: z.enum(KINDS, 'Choose a kind.'), channelId })
  .superRefine(checkModel);
export type CreateModelInput = z.infer<typeof createModelInput>;

/** Fields that are left out stay as they are. Running tasks keep the conditions they were submitted under. */
export const updateModelInput = z
  .object({
    modelId: z.uuid('This is not a model id.'),
    title: modelFields.shape.title.optional(),
    description: modelFields.shape.description.unwrap().optional(),
    upstreamModel: modelFields.shape.upstreamModel.optional(),
    parameters: parameterSchema.optional(),
    price: priceRule.optional(),
    maxPromptCharacters: modelFields.shape.maxPromptCharacters.unwrap().optional(),
    maxReferences: modelFields.shape.maxReferences.unwrap().optional(),
    createTimeoutSeconds: modelFields.shape.createTimeoutSeconds.unwrap().optional(),
    deadlineSeconds: modelFields.shape.deadlineSeconds.unwrap().optional(),
    chargedWhenCancelled: z.boolean().optional(),
    sortOrder: modelFields.shape.sortOrder.unwrap().optional(),
  })
  .superRefine(checkModel);
export type UpdateModelInput = z.infer<typeof updateModelInput>;

export const enableModelInput = z.object({
  modelId: z.uuid('This is not a model id.'),
  enabled: z.boolean(),
});

export type AdminModelView = {
  id: string;
  slug: string;
  kind: Kind;
  title: string;
  description: string;
  channel: { id: string; name: string; enabled: boolean };
  upstreamModel: string;
  endpoint: string;
  parameters: ParameterSchema;
  price: PriceRule;
  maxPromptCharacters: number;
  maxReferences: number;
  createTimeoutSeconds: number;
  deadlineSeconds: number;
  chargedWhenCancelled: boolean;
  enabled: boolean;
  sortOrder: number;
};

/** A ready-made model, offered when a channel is added. Its `id` is also its slug, if that is still free. */
export type ModelTemplate = Omit<AdminModelView, 'slug' | 'channel' | 'enabled' | 'sortOrder'> & {
  protocol: string;
};
