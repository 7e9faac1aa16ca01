import { type AppLoadContext, data } from '@remix-run/node';
import type { z } from 'zod';
import {
  channelForm,
  channelLimitsForm,
  keySetForm,
  switchChannelForm,
  toLimits,
  webhookSecretForm,
} from '#app/components/admin/channel-form-schemas.ts';
import {
  channelInput,
  pauseChannelInput,
  replaceKeyInput,
  resumeChannelInput,
  revealKeyInput,
} from '#server/providers/channels/schemas.ts';
import { runForm } from './form.ts';
import { runModelSwitch } from './model-actions.ts';

type ChannelAnswer = { done: string; test?: { ok: boolean; message: string }; revealed?: string };

type Posted = { request: Request; form: FormData; context: AppLoadContext };

type SavedForm<Schema extends z.ZodType> = {
  name: string;
  schema: Schema;
  secrets?: string[];
  save(value: z.output<Schema>): Promise<void>;
};

/** A form that says only that it went through. */
function runSaved<Schema extends z.ZodType>(
  { request, form }: Posted,
  { save, ...options }: SavedForm<Schema>,
) {
  return runForm(request, form, {
    ...options,
    run: async (value): Promise<ChannelAnswer> => {
      await save(value);
      return { done: options.name };
    },
  });
}

/**
 * Runs the form that a channel's page posted; `intent` names it.
 *
 * @throws Response 400 for a form that the page does not have
 */
export function runChannelForm(posted: Posted) {
  const { request, form, context } = posted;
  const { channels } = context.trpc;
  switch (form.get('intent')) {
    case 'test':
      return runForm(request, form, {
        name: 'test',
        schema: channelInput,
        run: async (input): Promise<ChannelAnswer> => ({ done: 'test', test: await channels.test(input) }),
      });
    case 'reveal-key':
      return runForm(request, form, {
        name: 'reveal-key',
        schema: revealKeyInput,
        run: async (input) => {
          const { apiKey } = await channels.revealKey(input);
          const answer: ChannelAnswer = { done: 'reveal-key', revealed: apiKey };
          return data(answer, { headers: { 'Cache-Control': 'no-store' } });
        },
      });
    case 'switch':
      return runSaved(posted, { name: 'switch', schema: switchChannelForm, save: channels.switch });
    case 'channel':
      return runSaved(posted, { name: 'channel', schema: channelForm, save: channels.update });
    case 'channel-limits':
      return runSaved(posted, {
        name: 'channel-limits',
        schema: channelLimitsForm,
        save: (input) => channels.update(toLimits(input)),
      });
    case 'webhook-secret':
      return runSaved(posted, {
        name: 'webhook-secret',
        schema: webhookSecretForm,
        secrets: ['webhookSecret'],
        save: ({ channelId, webhookSecret, remove }) =>
          channels.update({ channelId, webhookSecret: remove ? null : webhookSecret }),
      });
    case 'key-set':
      return runSaved(posted, {
        name: 'key-set',
        schema: keySetForm,
        save: ({ channelId, jwksUrl }) =>
          channels.update({ channelId, settings: jwksUrl === undefined ? null : { jwksUrl } }),
      });
    case 'pause':
      return runSaved(posted, { name: 'pause', schema: pauseChannelInput, save: channels.pause });
    case 'resume':
      return runSaved(posted, { name: 'resume', schema: resumeChannelInput, save: channels.resume });
    case 'replace-key':
      return runSaved(posted, {
        name: 'replace-key',
        schema: replaceKeyInput,
        secrets: ['apiKey'],
        save: channels.replaceKey,
      });
    case 'enable-model':
      return runModelSwitch(request, form, context);
    default:
      throw new Response('This form is not known. Reload the page and try again.', { status: 400 });
  }
}
