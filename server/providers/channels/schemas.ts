import { z } from 'zod';
import { isStorable, type PollPace, pollPace } from '#server/generation/schemas.ts';
import type { Kind } from '#server/generation/status.ts';
import type { AdminModelView } from './models/schemas.ts';

/** The catalogue of protocols, and inputs and views of channel administration. Isomorphic: imports zod, schemas and status only. */

type CatalogueEntry = {
  /** As people call it. */
  title: string;
  /** Offered in the form; empty where every account has its own. */
  baseUrl: string;
  /** What goes into the key field. */
  keyLabel: string;
  endpoints: Readonly<Record<string, Kind>>;
  /** `signed`: the vendor signs deliveries; `unsigned`: a delivery is only a hint to look. */
  webhooks: 'signed' | 'unsigned' | 'none';
  /** Where an administrator finds the secret of signed deliveries, when one has to be stored. */
  webhookSecretLabel?: string;
};

/** The wire protocols, in the order of the form, and the kind of artefact that each of their endpoints makes. */
export const CATALOGUE = {
  openai: {
    title: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    keyLabel: 'API key',
    endpoints: { images: 'image', videos: 'video', speech: 'audio', responses: 'text', chat: 'text' },
    webhooks: 'signed',
    webhookSecretLabel: 'Webhook signing secret (whsec_…)',
  },
  newapi: {
    title: 'New API / One API gateway',
    baseUrl: '',
    keyLabel: 'Token (sk-…)',
    endpoints: {
      video: 'video',
      videos: 'video',
      images: 'image',
      speech: 'audio',
      responses: 'text',
      chat: 'text',
      suno: 'audio',
      midjourney: 'image',
    },
    webhooks: 'unsigned',
  },
  replicate: {
    title: 'Replicate',
    baseUrl: 'https://api.replicate.com/v1',
    keyLabel: 'API token (r8_…)',
    endpoints: { image: 'image', video: 'video', audio: 'audio', text: 'text' },
    webhooks: 'signed',
    webhookSecretLabel: 'Webhook signing key (whsec_…)',
  },
  fal: {
    title: 'fal',
    baseUrl: 'https://queue.fal.run',
    keyLabel: 'Key (id:secret)',
    endpoints: { image: 'image', video: 'video', audio: 'audio' },
    webhooks: 'signed',
  },
  gemini: {
    title: 'Google Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keyLabel: 'API key',
    endpoints: { video: 'video', image: 'image' },
    webhooks: 'none',
  },
  runway: {
    title: 'Runway',
    baseUrl: 'https://api.dev.runwayml.com/v1',
    keyLabel: 'API key',
    endpoints: { video: 'video', image: 'image', speech: 'audio', sound: 'audio' },
    webhooks: 'none',
  },
  luma: {
    title: 'Luma Dream Machine',
    baseUrl: 'https://api.lumalabs.ai/dream-machine/v1',
    keyLabel: 'API key',
    endpoints: { video: 'video', image: 'image' },
    webhooks: 'unsigned',
  },
  kling: {
    title: 'Kling',
    baseUrl: 'https://api-singapore.klingai.com',
    keyLabel: 'Access key and secret key (access:secret)',
    endpoints: { video: 'video', image: 'image' },
    webhooks: 'unsigned',
  },
  minimax: {
    title: 'MiniMax (Hailuo)',
    baseUrl: 'https://api.minimax.io',
    keyLabel: 'API key',
    endpoints: { video: 'video', speech: 'audio', music: 'audio' },
    webhooks: 'unsigned',
  },
  ark: {
    title: 'Volcengine Ark / BytePlus (Seedance)',
    baseUrl: 'https://ark.ap-southeast.bytepluses.com/api/v3',
    keyLabel: 'API key',
    endpoints: { video: 'video', images: 'image' },
    webhooks: 'unsigned',
  },
  dashscope: {
    title: 'Alibaba DashScope (Wan)',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/api/v1',
    keyLabel: 'API key',
    endpoints: { video: 'video', image: 'image' },
    webhooks: 'none',
  },
  elevenlabs: {
    title: 'ElevenLabs',
    baseUrl: 'https://api.elevenlabs.io/v1',
    keyLabel: 'API key',
    endpoints: { speech: 'audio', sound: 'audio', music: 'audio' },
    webhooks: 'none',
  },
  custom: {
    title: 'Custom (described here)',
    baseUrl: '',
    keyLabel: 'API key',
    endpoints: { image: 'image', video: 'video', audio: 'audio', text: 'text' },
    webhooks: 'unsigned',
  },
} as const satisfies Record<string, CatalogueEntry>;

export type Protocol = keyof typeof CATALOGUE;
export const PROTOCOLS = Object.keys(CATALOGUE) as [Protocol, ...Protocol[]];

/** The catalogue's entry of a protocol name, also of one that a newer version wrote. */
export function catalogueEntry(protocol: string): CatalogueEntry | undefined {
  return Object.hasOwn(CATALOGUE, protocol) ? CATALOGUE[protocol as Protocol] : undefined;
}

/** Every endpoint name of every protocol, once. */
export const ENDPOINTS = [
  ...new Set(PROTOCOLS.flatMap((name) => Object.keys(CATALOGUE[name].endpoints))),
] as [string, ...string[]];

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

const wholeNumber = () => z.number('Enter a number.').int('Enter a whole number.');

/** Limits and pace of a channel; null: none of its own. */
const channelLimits = {
  requestsPerMinute: wholeNumber()
    .min(1, 'At least 1 request a minute must be allowed.')
    .max(100_000, 'At most 100000 requests a minute.')
    .nullable(),
  pollPace: pollPace
    .refine((pace) => pace.capMs >= pace.firstMs, {
      path: ['capMs'],
      message: 'The longest wait must not be shorter than the first one.',
    })
    .nullable(),
  deadlineSeconds: wholeNumber()
    .min(30, 'A deadline is at least 30 seconds.')
    .max(604_800, 'A deadline is at most 7 days.')
    .nullable(),
  resultWindowSeconds: wholeNumber()
    .min(60, 'A result stays for at least 60 seconds.')
    .max(2_592_000, 'A result stays for at most 30 days.')
    .nullable(),
};

/** The secret of signed webhooks, as the vendor shows it. Never answered, only whether there is one. */
export const webhookSecret = z
  .string()
  .trim()
  .min(8, 'A webhook secret has at least 8 characters. Copy it whole.')
  .max(500, 'A webhook secret has at most 500 characters.')
  .regex(
    /^[\x21-\x7e]*$/,
    'A webhook secret has visible ASCII characters only, without spaces. Copy it again.',
  );

/** Why an administrator does something that is written into the audit log. */
export const auditReason = z
  .string('Say why.')
  .trim()
  .min(3, 'Say why, in at least 3 characters.')
  .max(500, 'A reason has at most 500 characters.')
  .refine(isStorable, 'This has characters that are not text. Type it anew.');

export const createChannelInput = z.object({
  name: channelName,
  protocol: z.enum(PROTOCOLS, 'Choose a protocol.').default('openai'),
  baseUrl,
  apiKey,
  maxInFlight: maxInFlight.default(100),
  requestsPerMinute: channelLimits.requestsPerMinute.optional(),
  pollPace: channelLimits.pollPace.optional(),
  deadlineSeconds: channelLimits.deadlineSeconds.optional(),
  resultWindowSeconds: channelLimits.resultWindowSeconds.optional(),
  webhookSecret: webhookSecret.optional(),
  /** What the protocol needs beyond address and key; checked by the protocol's own schema. */
  settings: z.unknown().optional(),
  /** Ids of ready-made models to add with the channel. */
  templates: z.array(z.string().max(80)).max(50).default([]),
});
export type CreateChannelInput = z.infer<typeof createChannelInput>;

/** Fields that are left out stay as they are; null takes away what there is. */
export const updateChannelInput = z.object({
  channelId,
  name: channelName.optional(),
  baseUrl: baseUrl.optional(),
  enabled: z.boolean().optional(),
  maxInFlight: maxInFlight.optional(),
  requestsPerMinute: channelLimits.requestsPerMinute.optional(),
  pollPace: channelLimits.pollPace.optional(),
  deadlineSeconds: channelLimits.deadlineSeconds.optional(),
  resultWindowSeconds: channelLimits.resultWindowSeconds.optional(),
  webhookSecret: webhookSecret.nullable().optional(),
  settings: z.unknown().optional(),
});
export type UpdateChannelInput = z.infer<typeof updateChannelInput>;

export const replaceKeyInput = z.object({ channelId, apiKey });
export const channelInput = z.object({ channelId });

/** Shows the current key once, to the administrator who says why. */
export const revealKeyInput = z.object({ channelId, reason: auditReason });

export const pauseChannelInput = z.object({
  channelId,
  minutes: wholeNumber()
    .min(1, 'A pause is at least 1 minute.')
    .max(1_440, 'A pause is at most 24 hours. Turn the channel off for longer.'),
  reason: auditReason,
});

/** Off: no new tasks are sent, and those that upstream has are followed to their end. */
export const switchChannelInput = z.object({ channelId, enabled: z.boolean(), reason: auditReason });

/** Ends a pause and a cool-down, whoever set them. */
export const resumeChannelInput = z.object({ channelId, reason: auditReason });

export type ChannelView = {
  id: string;
  name: string;
  protocol: string;
  baseUrl: string;
  enabled: boolean;
  maxInFlight: number;
  requestsPerMinute: number | null;
  pollPace: PollPace | null;
  deadlineSeconds: number | null;
  resultWindowSeconds: number | null;
  settings: unknown;
  /** After a 429, or by an administrator; null when it is not paused. */
  pausedUntil: Date | null;
  /** After failures in a row; null when it takes new work. */
  coolDownUntil: Date | null;
  consecutiveFailures: number;
  lastErrorClass: string | null;
  lastErrorAt: Date | null;
  /** The last characters of the current key, never more of it. */
  key: { hint: string; since: Date } | null;
  retiredKeys: number;
  hasWebhookSecret: boolean;
  /** Where the vendor may report; null when the protocol has no webhooks or this server no public address. */
  webhookAddress: string | null;
  models: number;
  /** What the last test by an administrator came to; null before the first. */
  lastTest: { at: Date; by: string | null; ok: boolean; message: string } | null;
  createdAt: Date;
};

export type ChannelTestView = { ok: boolean; message: string };

/** A ready-made model, offered when a channel is added. Its `id` is also its slug, if that is still free. */
export type ModelTemplate = Omit<
  AdminModelView,
  'slug' | 'channel' | 'candidates' | 'cost' | 'enabled' | 'sortOrder'
> & {
  protocol: string;
};
