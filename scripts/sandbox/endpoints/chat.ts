import { z } from 'zod';
import { findBehaviour } from '../attachments.ts';
import { type CreateEndpoint, checkModel, hexId, toSeconds } from '../endpoint.ts';
import type { Job } from '../state.ts';
import { checkResults, type Turn } from '../talk/talk.ts';
import { validate } from '../wire.ts';
import { type TextRequest, talkOf, writtenBy } from './text-answer.ts';
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

/** `/v1/chat/completions`, not streamed. */

const toolCall = z.object({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.object({ name: toolName, arguments: z.string() }),
});

const message = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['user', 'system', 'developer']), content }),
  z
    .object({
      role: z.literal('assistant'),
      content: content.nullish(),
      tool_calls: z.array(toolCall).min(1).nullish(),
    })
    .refine((said) => said.tool_calls || textOf(said.content) !== '', 'needs content or tool_calls'),
  z.object({ role: z.literal('tool'), tool_call_id: z.string().min(1), content }),
]);

const chatRequest = z.strictObject({
  ...sampling,
  messages: z.array(message).min(1, 'must not be empty'),
  tools: z
    .array(z.object({ type: z.literal('function'), function: functionTool }))
    .min(1, 'must not be empty')
    .nullish(),
  max_tokens: z.number().int().min(1).nullish(),
  max_completion_tokens: z.number().int().min(1).nullish(),
  n: z.literal(1).nullish(),
  reasoning_effort: z.string().nullish(),
  verbosity: z.string().nullish(),
  seed: z.number().int().nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
});

function turnsOf(messages: z.output<typeof chatRequest>['messages']): Turn[] {
  return messages.flatMap((said): Turn[] => {
    const text = textOf(said.content);
    if (said.role === 'tool') return [{ role: 'tool', callId: said.tool_call_id, text }];
    if (said.role === 'user') return [{ role: 'user', text }];
    if (said.role !== 'assistant') return [];
    const calls = (said.tool_calls ?? []).map((call) => ({ id: call.id, ...call.function }));
    return [{ role: 'assistant', text, calls }];
  });
}

function messageOf(job: Job): { message: object; finishReason: string } {
  const { text, calls, cutBy } = writtenBy(job);
  if (findBehaviour(job.behaviours, 'no_artifact'))
    return { message: { role: 'assistant', content: null, refusal: null }, finishReason: 'stop' };
  const toolCalls = calls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }));
  const ended = calls.length > 0 ? 'tool_calls' : 'stop';
  return {
    message: {
      role: 'assistant',
      content: text === '' ? null : text,
      refusal: null,
      ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
    },
    finishReason: cutBy === null ? ended : cutBy === 'content_filter' ? 'content_filter' : 'length',
  };
}

export const chatEndpoint: CreateEndpoint = {
  name: 'chat',
  newId: () => hexId('chatcmpl-'),

  read(body) {
    const request = validate(chatRequest, body.fields);
    checkModel(request.model, TEXT_MODELS);
    const turns = turnsOf(request.messages);
    const prompt = promptOf(turns);
    checkResults(turns, 'messages');
    const tools = (request.tools ?? []).map((tool) => readTool(tool.function));
    const kept: TextRequest = {
      limitTokens: request.max_completion_tokens ?? request.max_tokens ?? null,
      instructions: null,
      metadata: request.metadata ?? null,
      background: false,
      talk: talkOf({ turns, tools }),
    };
    return { kind: 'text', prompt, model: request.model, request: kept, synchronous: true };
  },
  make: async () => [],
  answer: async (_sandbox, job) => {
    const { tokens } = writtenBy(job);
    const { message: answer, finishReason } = messageOf(job);
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
