import { z } from 'zod';

/** Ways in which messages to a webhook go wrong; part of the behaviours in `rules.ts`. */

const flag = z.union([z.boolean(), z.stringbool()]);

export const WEBHOOK_BEHAVIOURS = [
  z
    .strictObject({
      type: z.literal('webhook_duplicate'),
      copies: z.coerce.number().int().min(2).max(100).default(3),
    })
    .describe('Webhook: the same signed message this many times.'),
  z
    .strictObject({ type: z.literal('webhook_early') })
    .describe('Webhook: the work is done and told before the create is answered.'),
  z
    .strictObject({
      type: z.literal('webhook_forged'),
      how: z.enum(['signature', 'body', 'unsigned']).default('signature'),
      genuine: flag.default(false),
    })
    .describe(
      'Webhook: signed with another key, changed after signing (results at an address of the attacker), or unsigned. genuine: the true message follows.',
    ),
  z
    .strictObject({
      type: z.literal('webhook_old'),
      ageSeconds: z.coerce.number().int().min(1).max(31_536_000).default(3_600),
    })
    .describe('Webhook: rightly signed, with a time stamp of long ago.'),
  z.strictObject({ type: z.literal('webhook_none') }).describe('Webhook: nothing is sent.'),
  z
    .strictObject({ type: z.literal('webhook_contradict') })
    .describe('Webhook: after the message of the end, one that says the job failed.'),
] as const;
