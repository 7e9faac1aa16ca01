import type { AppLoadContext } from '@remix-run/node';
import { z } from 'zod';
import { CANDIDATE_COST, candidateCostForm } from '#app/components/admin/cost/cost-form-schema.ts';
import { editModelForm } from '#app/components/admin/model-form-schema.ts';
import {
  addCandidateInput,
  candidateInput,
  moveModelInput,
  reorderCandidatesInput,
} from '#server/providers/channels/models/schemas.ts';
import { runForm } from './form.ts';

/** A switch posts its new state as a checkbox would: "on", or nothing. */
const switchForm = z.object({ modelId: z.uuid(), enabled: z.boolean().default(false) });

/** Runs the switch of a model list, or moves one of its rows; shared by the pages that show one. */
export function runModelSwitch(request: Request, form: FormData, context: AppLoadContext) {
  if (form.get('intent') === 'move-model') {
    return runForm(request, form, {
      name: 'move-model',
      schema: moveModelInput,
      run: async (input) => {
        await context.trpc.models.move(input);
        return { done: 'move-model' };
      },
    });
  }
  return runForm(request, form, {
    name: 'enable-model',
    schema: switchForm,
    run: async (input) => {
      await context.trpc.models.enable(input);
      return { done: 'enable-model' };
    },
  });
}

/**
 * Runs the form that a model's page posted; `intent` names it.
 *
 * @throws Response 400 for a form that the page does not have
 */
export function runModelForm(request: Request, form: FormData, context: AppLoadContext) {
  const { models } = context.trpc;
  const { candidates } = models;
  const name = form.get('intent');
  const done = (intent: string) => () => ({ done: intent });
  switch (name) {
    case 'edit-model':
      return runForm(request, form, {
        name,
        schema: editModelForm,
        run: (input) => models.update(input).then(done(name)),
      });
    case 'add-candidate':
      return runForm(request, form, {
        name,
        schema: addCandidateInput,
        run: (input) => candidates.add(input).then(done(name)),
      });
    case 'remove-candidate':
      return runForm(request, form, {
        name,
        schema: candidateInput,
        run: (input) => candidates.remove(input).then(done(name)),
      });
    case 'move-candidate':
      return runForm(request, form, {
        name,
        schema: reorderCandidatesInput,
        run: (input) => candidates.reorder(input).then(done(name)),
      });
    default:
      if (typeof name === 'string' && name.startsWith(CANDIDATE_COST)) {
        return runForm(request, form, {
          name,
          schema: candidateCostForm,
          run: (input) => candidates.setCost(input).then(done('candidate-cost')),
        });
      }
      throw new Response('This form is not known. Reload the page and try again.', { status: 400 });
  }
}
