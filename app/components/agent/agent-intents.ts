import { failedIntent } from '#app/components/composite/composite-intents.ts';
import { readTrpcError } from '#app/lib/trpc-errors.ts';
import { type AgentDecisionInput, agentDecisionInput } from '#server/generation/agent/schemas.ts';

/** What the page's action answers when a decision did not go through: what was typed comes back with it. */
export type DecisionFailure = {
  error: string;
  stepKey: string;
  /** The field that the error is about. */
  field?: DecisionField;
  typed: Partial<Record<DecisionField, string>>;
};

const FIELDS = ['argumentsText', 'reason', 'answer'] as const;
type DecisionField = (typeof FIELDS)[number];

type DecisionResult =
  | { ok: true }
  | { ok: false; failure: DecisionFailure; status: number; unexpected?: unknown };

/** Runs one of the forms for what waits for the user; its two decisions on one step have one effect. */
export async function runDecision(
  taskId: string,
  form: FormData,
  decide: (input: AgentDecisionInput) => Promise<unknown>,
): Promise<DecisionResult> {
  const text = (name: string) => String(form.get(name) ?? '');
  const stepKey = text('stepKey');
  const typed = Object.fromEntries(FIELDS.map((field) => [field, text(field)]));
  const fail = (error: string, status: number, field?: string): DecisionResult => ({
    ok: false,
    failure: { error, stepKey, field: FIELDS.find((each) => each === field), typed },
    status,
  });
  const parsed = agentDecisionInput.safeParse({ taskId, stepKey, decision: text('decision'), ...typed });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = String(issue?.path[0] ?? '');
    return fail(
      field === 'decision' ? 'Choose what to do with this step.' : (issue?.message ?? ''),
      400,
      field,
    );
  }
  try {
    await decide(parsed.data);
    return { ok: true };
  } catch (error) {
    const { error: message, status, unexpected } = failedIntent(error);
    return {
      ...fail(message, status, readTrpcError(error)?.field),
      ...(unexpected ? { unexpected } : {}),
    } as DecisionResult;
  }
}
