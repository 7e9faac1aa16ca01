import type { ToolDefinition } from '../conversation/schemas.ts';
import type { ParameterSchema, ParameterSpec } from '../schemas.ts';
import { AGENT_MAKES, type AgentMakes } from './schemas.ts';

/** The tools that a language model is offered: only what the settings allow. Pure. */

/** A model that an agent may use, as it can be ordered now. */
export type AllowedModel = {
  slug: string;
  kind: AgentMakes;
  title: string;
  parameters: ParameterSchema;
  maxPromptCharacters: number;
  maxReferences: number;
  /** Of one call with the default parameters. */
  credits: number;
};

export const MAKE_TOOLS: Readonly<Record<string, AgentMakes>> = {
  generate_image: 'image',
  generate_video: 'video',
  generate_audio: 'audio',
};
const makeToolOf = (kind: AgentMakes): string => `generate_${kind}`;

export function toolDefinitions(models: readonly AllowedModel[]): ToolDefinition[] {
  const makes = AGENT_MAKES.flatMap((kind) => {
    const ofKind = models.filter((model) => model.kind === kind);
    return ofKind.length === 0 ? [] : [makeTool(kind, ofKind)];
  });
  return [...makes, READ_OUTPUT, ASK_USER, FINISH];
}

function makeTool(kind: AgentMakes, models: readonly AllowedModel[]): ToolDefinition {
  const params = Object.assign({}, ...models.map(({ parameters }) => mapValues(parameters, describeSpec)));
  const takesImages = models.some(({ maxReferences }) => maxReferences > 0);
  return {
    name: makeToolOf(kind),
    description: [`Makes ${NOUNS[kind]}. It is paid from the budget.`, ...models.map(describeModel)].join(
      '\n',
    ),
    parameters: object(
      {
        model: { type: 'string', enum: models.map(({ slug }) => slug), description: 'Which model makes it.' },
        prompt: { type: 'string', description: PROMPTS[kind] },
        params: {
          type: 'object',
          description: 'Only parameters that the chosen model has. Left out, defaults count.',
          properties: params,
        },
        ...(takesImages ? IMAGES : {}),
      },
      ['model', 'prompt'],
    ),
  };
}

const NOUNS: Record<AgentMakes, string> = { image: 'pictures', video: 'a video', audio: 'a sound' };
const PROMPTS: Record<AgentMakes, string> = {
  image: 'What the picture shows.',
  video: 'What happens in the video.',
  audio: 'What is to be heard or spoken.',
};

const IMAGES = {
  image: {
    type: 'string',
    description: 'Id of a picture to start from: an output of this run or a reference.',
  },
  references: {
    type: 'array',
    items: { type: 'string' },
    description: 'Ids of further pictures to keep to: outputs of this run or references.',
  },
};

function describeModel(model: AllowedModel): string {
  const names = Object.keys(model.parameters).join(', ') || 'none';
  const images =
    model.maxReferences > 0 ? `takes up to ${model.maxReferences} pictures` : 'takes no pictures';
  return `${model.slug}: ${model.credits} credits with its defaults; parameters: ${names}; ${images}.`;
}

function describeSpec(spec: ParameterSpec): Record<string, unknown> {
  switch (spec.type) {
    case 'integer':
      return { type: 'integer', minimum: spec.minimum, maximum: spec.maximum, default: spec.default };
    case 'seed':
      return { type: 'integer', minimum: 0, maximum: spec.maximum };
    case 'choice':
      return { type: 'string', enum: spec.options, default: spec.default };
    case 'text':
      return { type: 'string', maxLength: spec.maxLength };
    case 'boolean':
      return { type: 'boolean', default: spec.default };
  }
}

const object = (properties: Record<string, unknown>, required: string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

function mapValues<T, R>(record: Readonly<Record<string, T>>, map: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

const READ_OUTPUT: ToolDefinition = {
  name: 'read_output',
  description: 'Tells what an output of this run or a reference is; of a text, what it says.',
  parameters: object({ id: { type: 'string', description: 'Id of the output or reference.' } }, ['id']),
};

const ASK_USER: ToolDefinition = {
  name: 'ask_user',
  description:
    'Asks the person one question and waits for the answer. Only when you cannot go on without it.',
  parameters: object({ question: { type: 'string' } }, ['question']),
};

const FINISH: ToolDefinition = {
  name: 'finish',
  description: 'Ends the run. Call it alone, when the goal is reached or cannot be reached.',
  parameters: object({ summary: { type: 'string', description: 'What was made, in a few sentences.' } }, [
    'summary',
  ]),
};
