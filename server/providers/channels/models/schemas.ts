import { z } from 'zod';
import { type CostRule, costRule } from '#server/generation/cost/schemas.ts';
import { type PriceRule, type PriceTier, priceRule } from '#server/generation/price/schemas.ts';
import { type ParameterSchema, parameterSchema, type ReferenceRole } from '#server/generation/schemas.ts';
import { KINDS, type Kind, REFERENCE_ROLES } from '#server/generation/status.ts';
import { catalogueEntry, channelId, ENDPOINTS, PROTOCOLS } from '../schemas.ts';

/** Inputs and views of model administration. Isomorphic: imports zod, schemas and status only. */

/** Kinds that some protocol makes by an endpoint of this name. */
function kindsOf(endpoint: string): Kind[] {
  return PROTOCOLS.flatMap((name) => catalogueEntry(name)?.endpoints[endpoint] ?? []);
}

/** More would not be tried within one task's patience. */
export const MAX_CANDIDATES = 10;

const modelId = z.uuid('This is not a model id.');
const candidateId = z.uuid('This is not the id of a candidate.');

const slug = z
  .string()
  .trim()
  .regex(/^[a-z0-9][a-z0-9._-]{0,79}$/, 'Use lower-case letters, digits, dots and dashes, at most 80.');

const modelFields = z.object({
  title: z.string().trim().min(1, 'Enter a title.').max(120, 'A title has at most 120 characters.'),
  description: z.string().trim().max(500, 'A description has at most 500 characters.').default(''),
  upstreamModel: z.string().trim().min(1, 'Enter the name that the upstream knows.').max(200),
  endpoint: z.enum(ENDPOINTS, 'Choose an endpoint.'),
  parameters: parameterSchema.default({}),
  price: priceRule,
  /** What upstream takes for it on the model's own channel; null: not known. Never shown to users. */
  cost: costRule.nullable().default(null),
  maxPromptCharacters: z.number().int().min(1).max(32_000).default(4_000),
  maxReferences: z.number().int().min(0).max(16).default(0),
  /** What each file is for, by its place; the last role counts for all further files. */
  referenceRoles: z.array(z.enum(REFERENCE_ROLES)).min(1).max(16).default(['reference']),
  /** How long a create may take before its outcome counts as unknown. */
  createTimeoutSeconds: z.number().int().min(5).max(900).default(300),
  /** Upstream run time after which a task is overdue. */
  deadlineSeconds: z.number().int().min(30).max(604_800).default(3_600),
  chargedWhenCancelled: z.boolean().default(false),
  enabled: z.boolean().default(true),
  sortOrder: z.number().int().min(-10_000).max(10_000).default(0),
});

type Checked = {
  kind?: Kind;
  endpoint?: string;
  parameters?: ParameterSchema;
  price?: PriceRule;
  cost?: CostRule | null;
};

/** Rules over several fields; each is checked only when the fields that it needs are there. */
function checkModel(model: Checked, ctx: z.RefinementCtx): void {
  const fail = (path: string[], message: string) => ctx.addIssue({ code: 'custom', path, message });
  if (model.kind && model.endpoint && !kindsOf(model.endpoint).includes(model.kind)) {
    fail(['endpoint'], `The endpoint "${model.endpoint}" does not make ${model.kind}.`);
  }
  for (const [name, spec] of Object.entries(model.parameters ?? {})) {
    if (spec.type === 'integer' && !(spec.minimum <= spec.default && spec.default <= spec.maximum)) {
      fail(['parameters', name], `The default of "${name}" must lie between its minimum and its maximum.`);
    }
    if (spec.type === 'choice' && !spec.options.includes(spec.default)) {
      fail(['parameters', name], `The default of "${name}" must be one of its options.`);
    }
    if (spec.type === 'text' && spec.default.length > spec.maxLength) {
      fail(['parameters', name], `The default of "${name}" is longer than allowed.`);
    }
    if ((name === 'n' || name === 'seconds') && !countsWholeNumbers(spec)) {
      fail(
        ['parameters', name],
        `"${name}" must be a whole number from 1 to 1000000, because the price may depend on it.`,
      );
    }
  }
  const problem = model.price && model.parameters && priceProblem(model.price, model.parameters);
  if (problem) fail(['price'], problem);
  const costly = model.cost && model.parameters && costProblem(model.cost, model.parameters);
  if (costly) fail(['cost'], costly);
}

function countsWholeNumbers(spec: ParameterSchema[string]): boolean {
  if (spec.type === 'integer') return spec.minimum >= 1 && spec.maximum <= 1_000_000;
  return spec.type === 'choice' && spec.options.every((option) => /^[1-9]\d{0,5}$/.test(option));
}

/** Why a price cannot be the price of a model with these parameters, as a sentence; undefined: it can. */
export function priceProblem(price: PriceRule, parameters: ParameterSchema): string | undefined {
  if (price.unit === 'second' && !('seconds' in parameters)) {
    return 'A price per second needs a parameter named "seconds".';
  }
  if (price.unit === 'tokens' && !boundsTokens(parameters.max_tokens)) {
    return 'A price per block of tokens needs a parameter "max_tokens" of type integer, from 1 to at most 1000000: without a bound nothing can be held.';
  }
  return tiersProblem(price.tiers, parameters);
}

/** Why a cost cannot be that of a model with these parameters, as a sentence; undefined: it can. */
export const costProblem = (cost: CostRule, parameters: ParameterSchema): string | undefined =>
  tiersProblem(cost.tiers, parameters);

function tiersProblem(
  tiers: readonly Pick<PriceTier, 'when'>[] | undefined,
  parameters: ParameterSchema,
): string | undefined {
  for (const [index, tier] of (tiers ?? []).entries()) {
    const problem = tierProblem(tier, parameters);
    if (problem) return `Tier ${index + 1}: ${problem}`;
  }
  return undefined;
}

const boundsTokens = (spec: ParameterSchema[string] | undefined): boolean =>
  spec?.type === 'integer' && countsWholeNumbers(spec);

function tierProblem({ when }: Pick<PriceTier, 'when'>, parameters: ParameterSchema): string | undefined {
  for (const [name, value] of Object.entries(when)) {
    const allowed = Object.hasOwn(parameters, name) ? allowedValues(parameters[name]) : undefined;
    if (!allowed) {
      const known = Object.keys(parameters).filter((each) => allowedValues(parameters[each]));
      return `a price cannot depend on "${name}". It can depend on: ${known.join(', ') || 'nothing of this model'}.`;
    }
    if (!allowed.has(String(value))) return `"${name}" is never "${String(value)}". It is ${allowed.words}.`;
  }
  return undefined;
}

/** The values that a parameter can take, as text; undefined where there is none that a price could depend on. */
function allowedValues(
  spec: ParameterSchema[string] | undefined,
): { has(text: string): boolean; words: string } | undefined {
  switch (spec?.type) {
    case 'integer': {
      const { minimum, maximum } = spec;
      // Only as the number itself is written: "010" and "1e1" would never match.
      const has = (text: string) => {
        const number = Number(text);
        return (
          String(number) === text && Number.isSafeInteger(number) && number >= minimum && number <= maximum
        );
      };
      return { has, words: `a whole number from ${minimum} to ${maximum}` };
    }
    case 'choice':
      return { has: (text) => spec.options.includes(text), words: `one of ${spec.options.join(', ')}` };
    case 'boolean':
      return { has: (text) => text === 'true' || text === 'false', words: 'true or false' };
    default:
      return undefined;
  }
}

export const createModelInput = modelFields
  .extend({ slug, kind: z.enum(KINDS, 'Choose a kind.'), channelId })
  .superRefine(checkModel);
export type CreateModelInput = z.infer<typeof createModelInput>;

/** Fields that are left out stay as they are. Running tasks keep the conditions they were submitted under. */
export const updateModelInput = z
  .object({
    modelId,
    title: modelFields.shape.title.optional(),
    description: modelFields.shape.description.unwrap().optional(),
    upstreamModel: modelFields.shape.upstreamModel.optional(),
    parameters: parameterSchema.optional(),
    price: priceRule.optional(),
    cost: costRule.nullable().optional(),
    maxPromptCharacters: modelFields.shape.maxPromptCharacters.unwrap().optional(),
    maxReferences: modelFields.shape.maxReferences.unwrap().optional(),
    referenceRoles: modelFields.shape.referenceRoles.unwrap().optional(),
    createTimeoutSeconds: modelFields.shape.createTimeoutSeconds.unwrap().optional(),
    deadlineSeconds: modelFields.shape.deadlineSeconds.unwrap().optional(),
    chargedWhenCancelled: z.boolean().optional(),
    sortOrder: modelFields.shape.sortOrder.unwrap().optional(),
  })
  .superRefine(checkModel);
export type UpdateModelInput = z.infer<typeof updateModelInput>;

export const enableModelInput = z.object({
  modelId,
  enabled: z.boolean(),
});

/** One place up or down among the models of its kind. */
export const moveModelInput = z.object({ modelId, direction: z.enum(['up', 'down']) });

/** A further account for a model's tasks. */
export const addCandidateInput = z.object({
  modelId,
  channelId,
  upstreamModel: modelFields.shape.upstreamModel,
  endpoint: modelFields.shape.endpoint,
  /** What upstream takes for it on this account; null: not known. */
  cost: modelFields.shape.cost,
});
export type AddCandidateInput = z.infer<typeof addCandidateInput>;

export const modelInput = z.object({ modelId });
export const candidateInput = z.object({ modelId, candidateId });

/** What upstream takes on a candidate's account from now on; null: not known. */
export const candidateCostInput = candidateInput.extend({ cost: costRule.nullable() });

/** All candidates of the model, the first one first. */
export const reorderCandidatesInput = z.object({
  modelId,
  candidateIds: z.array(candidateId).max(MAX_CANDIDATES),
});

export type CandidateView = {
  id: string;
  channel: { id: string; name: string; protocol: string; enabled: boolean };
  upstreamModel: string;
  endpoint: string;
  /** 1 is tried first, after the model's own channel. */
  priority: number;
  cost: CostRule | null;
};

export type AdminModelView = {
  id: string;
  slug: string;
  kind: Kind;
  title: string;
  description: string;
  channel: { id: string; name: string; protocol: string; enabled: boolean };
  /** Tried in this order after the model's own channel. */
  candidates: CandidateView[];
  upstreamModel: string;
  endpoint: string;
  parameters: ParameterSchema;
  price: PriceRule;
  /** Null: not known. */
  cost: CostRule | null;
  maxPromptCharacters: number;
  maxReferences: number;
  referenceRoles: ReferenceRole[];
  createTimeoutSeconds: number;
  deadlineSeconds: number;
  chargedWhenCancelled: boolean;
  enabled: boolean;
  sortOrder: number;
};
