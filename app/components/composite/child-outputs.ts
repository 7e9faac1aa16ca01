import type { OutputSource } from '#app/components/media/output-source.ts';
import type { ChildView } from '#server/generation/composite/schemas.ts';

/** A child as the pictures and players of a task's page take it; `label` stands for its prompt. */
export function childOutputs(child: ChildView, label: string): OutputSource {
  return {
    kind: child.kind,
    params: {},
    status: child.status,
    prompt: label,
    orderedOutputs: Math.max(1, child.outputs.length),
    outputs: child.outputs.map((output, ordinal) => ({ ...output, ordinal, bytes: 0, late: false })),
  };
}
