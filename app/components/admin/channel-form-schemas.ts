import { z } from 'zod';
import {
  createChannelInput,
  switchChannelInput,
  updateChannelInput,
  webhookSecret,
} from '#server/providers/channels/schemas.ts';

/** Forms send every field, and an empty one as nothing at all: here that means "none", not "unchanged". */
const noneWhenEmpty = <T extends z.ZodType>(field: T) => field.transform((value) => value ?? null);

export const channelForm = z.object({
  channelId: updateChannelInput.shape.channelId,
  name: createChannelInput.shape.name,
  baseUrl: createChannelInput.shape.baseUrl,
});

/** A switch posts its new state as a checkbox would: "on", or nothing. */
export const switchChannelForm = switchChannelInput.extend({ enabled: z.boolean().default(false) });

const pollSeconds = (least: number, most: number) =>
  z
    .number('Enter a number.')
    .min(least, `Enter at least ${least} seconds.`)
    .max(most, `Enter at most ${most} seconds.`)
    .optional();

export const channelLimitsForm = z
  .object({
    channelId: updateChannelInput.shape.channelId,
    maxInFlight: createChannelInput.shape.maxInFlight.unwrap(),
    requestsPerMinute: noneWhenEmpty(updateChannelInput.shape.requestsPerMinute),
    pollFirstSeconds: pollSeconds(0.05, 600),
    pollCapSeconds: pollSeconds(0.1, 3_600),
    deadlineSeconds: noneWhenEmpty(updateChannelInput.shape.deadlineSeconds),
    resultWindowSeconds: noneWhenEmpty(updateChannelInput.shape.resultWindowSeconds),
  })
  .superRefine(({ pollFirstSeconds: first, pollCapSeconds: cap }, ctx) => {
    const fail = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [path], message });
    if (first !== undefined && cap === undefined) fail('pollCapSeconds', 'Fill in both waits, or neither.');
    if (first === undefined && cap !== undefined) fail('pollFirstSeconds', 'Fill in both waits, or neither.');
    if (first !== undefined && cap !== undefined && cap < first)
      fail('pollCapSeconds', 'The longest wait must not be shorter than the first one.');
  });

/** What the procedure takes: milliseconds, and none when the fields are empty. */
export function toLimits({ pollFirstSeconds, pollCapSeconds, ...rest }: z.output<typeof channelLimitsForm>) {
  const pollPace =
    pollFirstSeconds === undefined || pollCapSeconds === undefined
      ? null
      : { firstMs: Math.round(pollFirstSeconds * 1_000), capMs: Math.round(pollCapSeconds * 1_000) };
  return { ...rest, pollPace };
}

/** An empty secret keeps the one that is stored; the box takes it away. */
export const webhookSecretForm = z
  .object({
    channelId: updateChannelInput.shape.channelId,
    webhookSecret: webhookSecret.optional(),
    remove: z.boolean().default(false),
  })
  .superRefine((form, ctx) => {
    if (form.webhookSecret === undefined && !form.remove)
      ctx.addIssue({ code: 'custom', path: ['webhookSecret'], message: 'Paste the secret.' });
  });

export const keySetForm = z.object({
  channelId: updateChannelInput.shape.channelId,
  jwksUrl: z
    .url({ protocol: /^https?$/, error: 'Enter a complete address, or leave it empty.' })
    .max(500)
    .optional(),
});
