import { z } from 'zod';
import { KINDS } from '#server/generation/status.ts';
import { createChannelInput } from '#server/providers/channels/schemas.ts';
import type { dryRunInput } from '#server/providers/custom/dry-run/schemas.ts';
import {
  AUTH_STYLES,
  CANCEL_METHODS,
  CREATE_BODIES,
  CREATE_METHODS,
  customSettings,
  ENCODINGS,
  MEDIA_STYLES,
  POLL_METHODS,
  RESULT_HOPS,
} from '#server/providers/custom/schemas.ts';
import { formFieldOf, toSettings } from './custom-settings-text.ts';

/** The form is shaped as the settings are, with lists as text: one per line, or with commas between. */

const text = z.string().max(20_000, 'At most 20000 characters.').optional();
const choice = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values).default(values[0]);
const status = z.number('Enter a number.').int().min(100, 'From 100 to 599.').max(599, 'From 100 to 599.');

const description = z.object({
  auth: z.object({ style: choice(AUTH_STYLES), name: text, prefix: text }),
  headers: text,
  create: z.object({
    method: choice(CREATE_METHODS),
    path: text,
    body: choice(CREATE_BODIES),
    template: text,
    media: choice(MEDIA_STYLES),
  }),
  poll: z.object({ method: choice(POLL_METHODS), path: text, template: text }),
  result: z.object({ path: text, as: choice(RESULT_HOPS) }),
  cancel: z.object({ method: choice(CANCEL_METHODS), path: text }),
  fields: z.object({
    id: text,
    status: text,
    progress: text,
    result: text,
    encoding: choice(ENCODINGS),
    errorMessage: text,
    errorCode: text,
    retryAfter: text,
  }),
  words: text,
  accepted: z.object({ path: text, values: text }),
  refused: z.object({ path: text, values: text }),
  lookup: z.object({ path: text, id: text, echo: text, reliable: z.boolean().default(false) }),
  webhook: z.object({ id: text }),
  check: z.object({ path: text }),
});
export type DescriptionText = z.input<typeof description>;

const sampleAnswer = z.object({ status: status.default(200), body: z.string().max(200_000).optional() });
const sample = z.object({
  kind: choice(KINDS),
  model: z.string().trim().max(200).optional(),
  prompt: z.string().max(4_000).optional(),
  params: text,
  created: sampleAnswer,
  polled: sampleAnswer,
  result: sampleAnswer,
});

export type SampleText = z.input<typeof sample>;

export const customForm = z
  .object({
    /** Which button was pressed. */
    intent: z.enum(['dry-run', 'save']).default('save'),
    /** Of the channel that is changed; none for a new one. */
    channelId: z.uuid('This is not a channel id.').optional(),
    name: text,
    baseUrl: text,
    apiKey: text,
    settings: description,
    sample,
  })
  .superRefine((form, ctx) => {
    const fail = (path: PropertyKey[], message: string) => ctx.addIssue({ code: 'custom', path, message });
    for (const { path, message } of customSettings.safeParse(toSettings(form.settings)).error?.issues ?? [])
      fail(...formFieldOf(path, message));
    if (paramsOf(form.sample.params) === undefined)
      fail(['sample', 'params'], 'Write a JSON object, such as {"size":"1024x1024"}.');
    if (form.intent === 'save') checkAccount(form, fail);
    else if (form.baseUrl) check(createChannelInput.shape.baseUrl, ['baseUrl'], form.baseUrl, fail);
  });
export type CustomForm = z.output<typeof customForm>;

type Account = Pick<CustomForm, 'channelId' | 'name' | 'baseUrl' | 'apiKey' | 'settings'>;
type Fail = (path: PropertyKey[], message: string) => void;

/** Needed only to save; a dry run works without. */
function checkAccount({ channelId, name, baseUrl, apiKey, settings }: Account, fail: Fail): void {
  const { shape } = createChannelInput;
  check(shape.name, ['name'], name ?? '', fail);
  check(shape.baseUrl, ['baseUrl'], baseUrl ?? '', fail);
  const needsKey = channelId === undefined && settings.auth.style !== 'none';
  if (needsKey || apiKey) check(shape.apiKey, ['apiKey'], apiKey ?? '', fail);
}

function check(schema: z.ZodType, path: PropertyKey[], value: unknown, fail: Fail): void {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  if (issue) fail(path, issue.message);
}

/** The parameters of the sample; undefined when the text is no JSON object. */
function paramsOf(json: string | undefined): Record<string, unknown> | undefined {
  if (!json?.trim()) return {};
  try {
    const value: unknown = JSON.parse(json);
    return z.record(z.string(), z.unknown()).safeParse(value).data;
  } catch {
    return undefined;
  }
}

/** What the procedure takes. Samples that are empty count as not given. */
export function toDryRun({ settings, sample, baseUrl }: CustomForm): z.input<typeof dryRunInput> {
  const { kind, model, prompt } = sample;
  const answerOf = ({ status, body }: CustomForm['sample']['created']) =>
    body?.trim() ? { status, body } : undefined;
  return {
    settings: toSettings(settings),
    baseUrl: baseUrl || undefined,
    sample: { kind, model: model || undefined, prompt: prompt || undefined, params: paramsOf(sample.params) },
    created: answerOf(sample.created),
    polled: answerOf(sample.polled),
    result: answerOf(sample.result),
  };
}
