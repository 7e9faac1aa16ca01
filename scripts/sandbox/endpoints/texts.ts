import { z } from 'zod';
import { answerCancel, answerPoll } from '../answer-job.ts';
import { findBehaviour, takeBehaviour } from '../attachments.ts';
import { type CreateEndpoint, checkModel, hexId, type Sandbox, toSeconds } from '../endpoint.ts';
import { cancelJob, shownByPoll, truthOf } from '../job-view.ts';
import { countTokens, writeProse } from '../media/prose.ts';
import type { Job } from '../state.ts';
import { ApiError, type Exchange, validate } from '../wire.ts';

/** `/v1/responses` (with `background`: create, retrieve, cancel) and `/v1/chat/completions` (not streamed). */

const MODELS = /^(gpt-(?!image)|o\d|chatgpt-)/;

const textPart = z.object({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string() });
const otherPart = z.object({ type: z.enum(['input_image', 'input_file', 'image_url']) });
const message = z.object({
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), z.array(z.union([textPart, otherPart]))]),
});
type Message = z.output<typeof message>;

const sampling = {
  model: z.string().min(1),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  user: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  service_tier: z.string().nullish(),
  store: z.boolean().nullish(),
  // Streams are refused: nothing here reads one.
  stream: z.literal(false, 'streaming is not offered').nullish(),
};

const responsesRequest = z.strictObject({
  ...sampling,
  input: z.union([z.string().min(1, 'must not be empty'), z.array(message).min(1)]),
  instructions: z.string().nullish(),
  background: z.boolean().nullish(),
  max_output_tokens: z.number().int().min(16, 'must be at least 16').nullish(),
  reasoning: z.record(z.string(), z.unknown()).nullish(),
  text: z.record(z.string(), z.unknown()).nullish(),
  tools: z.array(z.unknown()).nullish(),
  previous_response_id: z.string().nullish(),
});

const chatRequest = z.strictObject({
  ...sampling,
  messages: z.array(message).min(1, 'must not be empty'),
  max_tokens: z.number().int().min(1).nullish(),
  max_completion_tokens: z.number().int().min(1).nullish(),
  n: z.literal(1).nullish(),
  reasoning_effort: z.string().nullish(),
  verbosity: z.string().nullish(),
  seed: z.number().int().nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
});

function promptOf(messages: readonly Message[]): string {
  const users = messages.filter((item) => item.role === 'user');
  const texts = users.flatMap((item) =>
    typeof item.content === 'string'
      ? [item.content]
      : item.content.flatMap((part) => ('text' in part ? [part.text] : [])),
  );
  const prompt = texts.join('\n').trim();
  if (!prompt)
    throw new ApiError(400, 'invalid_value', 'There is no text of the user in the input.', 'input');
  return prompt;
}

type TextRequest = {
  limitTokens: number | null;
  instructions: string | null;
  metadata: Record<string, string> | null;
  background: boolean;
};
const requestOf = (job: Job) => job.request as TextRequest;

/** The text as far as the limit and the behaviours let it come. */
function writtenBy(job: Job): {
  text: string;
  cutBy: 'max_output_tokens' | 'content_filter' | null;
  tokens: { input: number; output: number };
} {
  const whole = writeProse(job.text);
  const limit = requestOf(job).limitTokens;
  const incomplete = findBehaviour(job.behaviours, 'incomplete');
  const room = incomplete ? Math.floor(whole.length / 2) : (limit ?? Number.POSITIVE_INFINITY) * 4;
  const text = whole.slice(0, room);
  const cutBy = text.length < whole.length ? (incomplete?.reason ?? 'max_output_tokens') : null;
  return { text, cutBy, tokens: { input: countTokens(job.prompt), output: countTokens(text) } };
}

function responseObject(job: Job, poll: boolean): unknown {
  const now = Date.now();
  const truth = truthOf(job, now);
  const shown = poll ? shownByPoll(job, truth) : { status: truth.status, truth };
  const written = writtenBy(job);
  const cut = truth.status === 'completed' && shown.truth === truth && written.cutBy !== null;
  const status = cut ? 'incomplete' : shown.truth.status;
  const delivers = status === 'completed' || status === 'incomplete';
  const empty = delivers && takeBehaviour(job.behaviours, (item) => item.type === 'no_artifact');
  const suffix = job.id.replace(/^resp_/, '');
  const { tokens } = written;
  const output = [
    {
      type: 'message',
      id: `msg_${suffix}`,
      status: status === 'incomplete' ? 'incomplete' : 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: written.text, annotations: [] }],
    },
  ];
  const request = requestOf(job);
  return {
    id: job.id,
    object: 'response',
    created_at: toSeconds(job.createdAt),
    completed_at: status === 'completed' ? toSeconds(now) : null,
    status: cut ? 'incomplete' : shown.status,
    background: request.background,
    error: shown.truth.error,
    incomplete_details: status === 'incomplete' ? { reason: written.cutBy ?? 'max_output_tokens' } : null,
    instructions: request.instructions,
    max_output_tokens: request.limitTokens,
    metadata: request.metadata ?? {},
    model: job.model,
    output: delivers && !empty ? output : [],
    usage: delivers
      ? {
          input_tokens: tokens.input,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: tokens.output,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: tokens.input + tokens.output,
        }
      : null,
  };
}

export const responsesEndpoint: CreateEndpoint = {
  name: 'responses',
  newId: () => hexId('resp_'),

  read(body) {
    const request = validate(responsesRequest, body.fields);
    checkModel(request.model, MODELS);
    const background = request.background === true;
    if (background && request.store === false) {
      throw new ApiError(
        400,
        'invalid_value',
        "Invalid value for 'store': background responses need store to be true.",
        'store',
      );
    }
    const prompt = typeof request.input === 'string' ? request.input : promptOf(request.input);
    const kept: TextRequest = {
      limitTokens: request.max_output_tokens ?? null,
      instructions: request.instructions ?? null,
      metadata: request.metadata ?? null,
      background,
    };
    return { kind: 'text', prompt, model: request.model, request: kept, synchronous: !background };
  },
  make: async () => [],
  answer: async (_sandbox, job) => ({ type: 'json', value: responseObject(job, false) }),
};

export const chatEndpoint: CreateEndpoint = {
  name: 'chat',
  newId: () => hexId('chatcmpl-'),

  read(body) {
    const request = validate(chatRequest, body.fields);
    checkModel(request.model, MODELS);
    const limitTokens = request.max_completion_tokens ?? request.max_tokens ?? null;
    const kept: TextRequest = {
      limitTokens,
      instructions: null,
      metadata: request.metadata ?? null,
      background: false,
    };
    const prompt = promptOf(request.messages);
    return { kind: 'text', prompt, model: request.model, request: kept, synchronous: true };
  },
  make: async () => [],
  answer: async (_sandbox, job) => {
    const { text, cutBy, tokens } = writtenBy(job);
    const empty = findBehaviour(job.behaviours, 'no_artifact') !== undefined;
    const finishReason = cutBy === null ? 'stop' : cutBy === 'content_filter' ? 'content_filter' : 'length';
    const answer = { role: 'assistant', content: empty ? null : text, refusal: null };
    return {
      type: 'json',
      value: {
        id: job.id,
        object: 'chat.completion',
        created: toSeconds(job.createdAt),
        model: job.model,
        choices: [{ index: 0, message: answer, logprobs: null, finish_reason: finishReason }],
        usage: {
          prompt_tokens: tokens.input,
          completion_tokens: tokens.output,
          total_tokens: tokens.input + tokens.output,
        },
      },
    };
  },
};

/** `GET /v1/responses/{id}`. */
export const retrieveResponse = (sandbox: Sandbox, exchange: Exchange, job: Job) =>
  answerPoll(sandbox, exchange, job, () => ({ value: responseObject(job, true) }));

/** `POST /v1/responses/{id}/cancel`: background ones only; a finished one is answered as it is. */
export async function cancelResponse(sandbox: Sandbox, exchange: Exchange, job: Job): Promise<void> {
  if (!job.background)
    throw new ApiError(400, 'invalid_value', 'Only background responses can be cancelled.');
  await answerCancel(sandbox, exchange, job, () => {
    cancelJob(job);
    return { value: responseObject(job, false) };
  });
}
