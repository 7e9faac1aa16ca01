import { readTrpcError } from '#app/lib/trpc-errors.ts';

type Named = { taskId: string };
type CancelAnswer = 'cancelled' | 'requested' | 'unsupported' | 'finished';

type CompositeProcedures = {
  composites: {
    pause(input: Named): Promise<unknown>;
    resume(input: Named): Promise<unknown>;
    stop(input: Named): Promise<unknown>;
  };
  generation: { cancel(input: Named): Promise<{ answer: CancelAnswer }> };
};

export type CompositeIntentResult =
  | { ok: true }
  | { ok: false; error: string; status: number; unexpected?: unknown };

const INTENTS = ['pause', 'resume', 'stop', 'cancel'] as const;

/**
 * Runs one of the buttons that agents and dramas share.
 *
 * @returns null for a form of another intent, which is the page's own
 */
export async function runCompositeIntent(
  taskId: string,
  form: FormData,
  { composites, generation }: CompositeProcedures,
): Promise<CompositeIntentResult | null> {
  const intent = INTENTS.find((each) => each === form.get('intent'));
  if (intent === undefined) return null;
  try {
    if (intent === 'cancel') {
      const { answer } = await generation.cancel({ taskId });
      return answer === 'finished'
        ? { ok: false, error: 'It had ended before. There is nothing to cancel.', status: 409 }
        : { ok: true };
    }
    await composites[intent]({ taskId });
    return { ok: true };
  } catch (error) {
    return failedIntent(error);
  }
}

/** The sentence for an error of a button on a composite's page. */
export function failedIntent(error: unknown): Extract<CompositeIntentResult, { ok: false }> {
  const view = readTrpcError(error);
  if (view) return { ok: false, error: view.message, status: view.status };
  return {
    ok: false,
    error: 'Something went wrong on our side. Press again: nothing is done twice.',
    status: 500,
    unexpected: error,
  };
}
