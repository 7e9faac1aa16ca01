import type { SubmissionResult } from '@conform-to/react';
import { type AppLoadContext, redirect } from '@remix-run/node';
import { type CustomForm, customForm, toDryRun } from '#app/components/admin/custom-form-schema.ts';
import { toSettings } from '#app/components/admin/custom-settings-text.ts';
import { runForm } from './form.ts';
import type { FormReply } from './form-reply.ts';
import { parseForm } from './parse-form.ts';

/** Sealed for a channel whose upstream asks for no key, because every channel has one. */
const NO_KEY = 'no-key-is-needed';
const SECRETS = ['apiKey'];

type Posted = { request: Request; form: FormData; context: AppLoadContext };

/** Runs the form of a custom protocol: a dry run, which answers with what would be read, or a save. */
export function runCustomForm({ request, form, context }: Posted) {
  return runForm(request, form, {
    name: 'custom',
    schema: customForm,
    secrets: SECRETS,
    async run(input) {
      if (input.intent === 'save') throw await save(input, context);
      const dryRun = await context.trpc.customProtocol.dryRun(toDryRun(input));
      // The form comes back as it was sent, also to a page without scripts.
      const reply = parseForm(form, customForm).reply({ hideFields: SECRETS }) as SubmissionResult<string[]>;
      return { form: 'custom', reply, dryRun } satisfies FormReply & { dryRun: typeof dryRun };
    },
  });
}

/** The page of the channel that was saved. */
async function save(input: CustomForm, { trpc }: AppLoadContext): Promise<Response> {
  const { channelId, name = '', baseUrl = '', apiKey } = input;
  const settings = toSettings(input.settings);
  if (channelId !== undefined) {
    await trpc.channels.update({ channelId, name, baseUrl, settings });
    return redirect(`/admin/channels/${channelId}`);
  }
  const made = await trpc.channels.create({
    name,
    protocol: 'custom',
    baseUrl,
    apiKey: apiKey || NO_KEY,
    settings,
  });
  return redirect(`/admin/channels/${made.channelId}?added=1`);
}
