import { z } from 'zod';
import {
  AGENT_MAKES,
  type AgentInput,
  type AgentMakes,
  agentInput,
} from '#server/generation/agent/schemas.ts';
import type { ModelView } from '#server/generation/schemas.ts';

/**
 * What the agent composer's form holds: the procedure's input, but with the allowed models as plain slugs, which is
 * what checkboxes send.
 */
export const agentForm = agentInput.omit({ allowed: true }).extend({
  allowed: z
    .array(z.string().max(120))
    .min(1, 'Allow at least one model.')
    .max(12, 'Allow at most 12 models.'),
});
type AgentForm = z.output<typeof agentForm>;

/** Language models that can call tools. */
export function languageModels(models: readonly ModelView[]): ModelView[] {
  return models.filter((model) => model.kind === 'text' && model.converses);
}

/** Models that an agent may be allowed to use, by kind; kinds without one are left out. */
export function makingModels(models: readonly ModelView[]): { kind: AgentMakes; models: ModelView[] }[] {
  return AGENT_MAKES.map((kind) => ({ kind, models: models.filter((model) => model.kind === kind) })).filter(
    (group) => group.models.length > 0,
  );
}

/** The allowed models with their kinds; null when one is not offered any more. */
export function allowedOf(
  slugs: readonly string[],
  models: readonly ModelView[],
): AgentInput['allowed'] | null {
  const allowed: AgentInput['allowed'] = [];
  for (const slug of new Set(slugs)) {
    const model = models.find((each) => each.slug === slug);
    const kind = AGENT_MAKES.find((each) => each === model?.kind);
    if (!kind) return null;
    allowed.push({ kind, model: slug });
  }
  return allowed;
}

/** The procedure's input of a form that was read. */
export function toAgentInput(form: AgentForm, allowed: AgentInput['allowed']): AgentInput {
  const { allowed: _slugs, ...rest } = form;
  return { ...rest, allowed };
}
