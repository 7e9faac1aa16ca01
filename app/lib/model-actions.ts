import type { AppLoadContext } from '@remix-run/node';
import { z } from 'zod';
import { runForm } from './form.ts';

/** A switch posts its new state as a checkbox would: "on", or nothing. */
const switchForm = z.object({ modelId: z.uuid(), enabled: z.boolean().default(false) });

/** Runs the switch of a model list; shared by the pages that show one. */
export function runModelSwitch(request: Request, form: FormData, context: AppLoadContext) {
  return runForm(request, form, {
    name: 'enable-model',
    schema: switchForm,
    run: async (input) => {
      await context.trpc.models.enable(input);
      return { done: 'enable-model' };
    },
  });
}
