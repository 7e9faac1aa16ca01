import { type AgentStep, isCall } from './agent-step.ts';
import type { Round } from './build-conversation.ts';
import { CALL_A_TOOL } from './instructions.ts';

/** The rounds of a run so far, from its steps: every answer with what its calls gave. Pure. */
export function toRounds(steps: readonly AgentStep[]): Round[] {
  const calls = steps.filter(isCall);
  return steps.flatMap((step): Round[] => {
    if (step.kind !== 'turn' || step.status !== 'done' || !step.result || 'failure' in step.result) return [];
    const { text, calls: made, problem } = step.result;
    const { number } = step.input;
    return [
      {
        text,
        calls: made.map((call, at) => ({
          call,
          told: toldOf(calls.find(({ input }) => input.turn === number && input.index === at + 1)),
        })),
        remark: made.length > 0 ? null : (problem ?? CALL_A_TOOL),
      },
    ];
  });
}

const toldOf = (step: AgentStep | undefined): string =>
  (step?.result && 'told' in step.result ? step.result.told : undefined) ?? 'Nothing came of this call.';
