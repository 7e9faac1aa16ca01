import type { AppLoadContext } from '@remix-run/node';
import type { z } from 'zod';
import {
  failureForm,
  resultTextForm,
  resultUrlsForm,
  upstreamIdForm,
} from '#app/components/admin/resolve-form-schemas.ts';
import { recoverInput } from '#server/generation/schemas.ts';
import { runForm } from './form.ts';

type Posted = { request: Request; form: FormData; context: AppLoadContext };

/** What an administrator did to a task; the page says it in its language. */
type TaskDeed = 'followed' | 'fetched' | 'failed' | 'recover';

type Deed<Schema extends z.ZodType> = {
  name: string;
  schema: Schema;
  run(value: z.output<Schema>): Promise<unknown>;
  /** What happens now, by the key of its text. */
  done: TaskDeed;
};

function runDeed<Schema extends z.ZodType>({ request, form }: Posted, deed: Deed<Schema>) {
  return runForm(request, form, {
    name: deed.name,
    schema: deed.schema,
    run: async (value) => {
      await deed.run(value);
      return { done: deed.done };
    },
  });
}

/**
 * Runs the form that an administrator posted on a task's page; `intent` names it.
 *
 * @throws Response 400 for a form that the page does not have
 */
export function runAdminTaskForm(posted: Posted) {
  const { resolve, recover } = posted.context.trpc.adminTasks;
  switch (posted.form.get('intent')) {
    case 'resolve-upstream-id':
      return runDeed(posted, {
        name: 'resolve-upstream-id',
        schema: upstreamIdForm,
        run: resolve,
        done: 'followed',
      });
    case 'resolve-urls':
      return runDeed(posted, { name: 'resolve-urls', schema: resultUrlsForm, run: resolve, done: 'fetched' });
    case 'resolve-text':
      return runDeed(posted, { name: 'resolve-text', schema: resultTextForm, run: resolve, done: 'fetched' });
    case 'resolve-failed':
      return runDeed(posted, {
        name: 'resolve-failed',
        schema: failureForm,
        run: resolve,
        done: 'failed',
      });
    case 'recover':
      return runDeed(posted, {
        name: 'recover',
        schema: recoverInput,
        run: recover,
        done: 'recover',
      });
    default:
      throw new Response('This form is not known. Reload the page and try again.', { status: 400 });
  }
}
