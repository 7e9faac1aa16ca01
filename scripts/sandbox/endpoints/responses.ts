import { z } from 'zod';
import { answerCancel, answerPoll } from '../answer-job.ts';
import { takeBehaviour } from '../attachments.ts';
import { type CreateEndpoint, checkModel, hexId, type Sandbox, toSeconds } from '../endpoint.ts';
import { cancelJob, shownByPoll, truthOf } from '../job-view.ts';
import type { Job } from '../state.ts';
import { checkResults, type Turn } from '../talk/talk.ts';
import { ApiError, type Exchange, validate } from '../wire.ts';
import { type TextRequest, talkOf, textRequestOf, writtenBy } from './text-answer.ts';
import {
  content,
  functionTool,
  promptOf,
  readTool,
  sampling,
  TEXT_MODELS,
  textOf,
  toolName,
} from './text-request.ts';

/** `/v1/responses`: create, with `background` also retrieve and cancel. */

const message = z.object({
  type: z.literal('message').optional(),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content,
});
const functionCall = z.object({
  type: z.literal('function_call'),
  call_id: z.string().min(1),
  name: toolName,
  arguments: z.string(),
});
const functionOutput = z.object({
  type: z.literal('function_call_output'),
  call_id: z.string().min(1),
  output: content,
});
const item = z.union([functionCall, functionOutput, message]);

const responsesRequest = z.strictObject({
  ...sampling,
  input: z.union([z.string().min(1, 'must not be empty'), z.array(item).min(1)]),
  instructions: z.string().nullish(),
  background: z.boolean().nullish(),
  max_output_tokens: z.number().int().min(16, 'must be at least 16').nullish(),
  reasoning: z.record(z.string(), z.unknown()).nullish(),
  text: z.record(z.string(), z.unknown()).nullish(),
  tools: z.array(functionTool.extend({ type: z.literal('function') })).nullish(),
  previous_response_id: z.string().nullish(),
});

/** Calls belong to the assistant's message before them. */
function turnsOf(input: z.output<typeof responsesRequest>['input']): Turn[] {
  if (typeof input === 'string') return [{ role: 'user', text: input }];
  const turns: Turn[] = [];
  for (const each of input) {
    if (!('role' in each)) {
      if (each.type === 'function_call_output') {
        turns.push({ role: 'tool', callId: each.call_id, text: textOf(each.output) });
        continue;
      }
      const last = turns.at(-1);
      const call = { id: each.call_id, name: each.name, arguments: each.arguments };
      if (last?.role === 'assistant') last.calls.push(call);
      else turns.push({ role: 'assistant', text: '', calls: [call] });
    } else if (each.role === 'user') turns.push({ role: 'user', text: textOf(each.content) });
    else if (each.role === 'assistant')
      turns.push({ role: 'assistant', text: textOf(each.content), calls: [] });
  }
  return turns;
}

function outputOf(job: Job, status: string): object[] {
  const { text, calls } = writtenBy(job);
  const suffix = job.id.replace(/^resp_/, '');
  const ended = status === 'incomplete' ? 'incomplete' : 'completed';
  const said = {
    type: 'message',
    id: `msg_${suffix}`,
    status: ended,
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
  const called = calls.map((call, index) => ({
    type: 'function_call',
    id: `fc_${suffix}_${index}`,
    call_id: call.id,
    name: call.name,
    arguments: call.arguments,
    status: index === calls.length - 1 ? ended : 'completed',
  }));
  return text === '' ? called : [said, ...called];
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
  const { tokens } = written;
  const request = textRequestOf(job);
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
    output: delivers && !empty ? outputOf(job, status) : [],
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
    checkModel(request.model, TEXT_MODELS);
    const background = request.background === true;
    if (background && request.store === false) {
      throw new ApiError(
        400,
        'invalid_value',
        "Invalid value for 'store': background responses need store to be true.",
        'store',
      );
    }
    const turns = turnsOf(request.input);
    const prompt = typeof request.input === 'string' ? request.input : promptOf(turns);
    checkResults(turns, 'input');
    const kept: TextRequest = {
      limitTokens: request.max_output_tokens ?? null,
      instructions: request.instructions ?? null,
      metadata: request.metadata ?? null,
      background,
      talk: talkOf({ turns, tools: (request.tools ?? []).map(readTool) }),
    };
    return { kind: 'text', prompt, model: request.model, request: kept, synchronous: !background };
  },
  make: async () => [],
  answer: async (_sandbox, job) => ({ type: 'json', value: responseObject(job, false) }),
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
