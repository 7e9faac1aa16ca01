import type { Conversation, ConversationTurn, ToolCall } from '#server/generation/conversation/schemas.ts';
import { asRecord } from '../json.ts';
import { parseLosslessJson } from '../lossless-json.ts';

/**
 * A conversation as OpenAI's two text endpoints take it. Every request holds all of it, so nothing depends on what
 * upstream remembers.
 */

/** `messages` of chat completions. `images`: content parts that go with the first user's turn. */
export function chatMessages({ instructions, turns }: Conversation, images: readonly unknown[]): unknown[] {
  const messages: unknown[] = instructions === '' ? [] : [{ role: 'system', content: instructions }];
  for (const turn of spoken(turns)) {
    if (turn.role === 'user')
      messages.push({ role: 'user', content: withImages(turn, turns, { type: 'text', images }) });
    else if (turn.role === 'tool')
      messages.push({ role: 'tool', tool_call_id: turn.callId, content: turn.text });
    else {
      const calls = turn.toolCalls.map((call) => ({
        id: call.id,
        type: 'function',
        function: wireCall(call),
      }));
      const content = turn.text === '' ? null : turn.text;
      messages.push({ role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: calls } : {}) });
    }
  }
  return messages;
}

/** `tools` of chat completions; an empty list is refused there, so none is sent. */
export function chatTools({ tools }: Conversation): { tools?: unknown[] } {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters },
    })),
  };
}

/** `input` of responses. `images`: content parts that go with the first user's turn. */
export function responseInput({ turns }: Conversation, images: readonly unknown[]): unknown[] {
  return spoken(turns).flatMap((turn): unknown[] => {
    if (turn.role === 'user') {
      const content = withImages(turn, turns, { type: 'input_text', images });
      return [{ type: 'message', role: 'user', content }];
    }
    if (turn.role === 'tool')
      return [{ type: 'function_call_output', call_id: turn.callId, output: turn.text }];
    const calls = turn.toolCalls.map((call) => ({
      type: 'function_call',
      call_id: call.id,
      ...wireCall(call),
    }));
    return turn.text === '' ? calls : [{ type: 'message', role: 'assistant', content: turn.text }, ...calls];
  });
}

/**
 * `instructions` and `tools` of responses. Without `strict: false` the vendor rewrites schemas so that every field is
 * required.
 */
export function responseGuidance({ instructions, tools }: Conversation): Record<string, unknown> {
  const wireTools = tools.map(({ name, description, parameters }) => ({
    type: 'function',
    name,
    description,
    parameters,
    strict: false,
  }));
  return {
    ...(instructions === '' ? {} : { instructions }),
    ...(wireTools.length === 0 ? {} : { tools: wireTools }),
  };
}

type UserTurn = Extract<ConversationTurn, { role: 'user' }>;

function withImages(
  turn: UserTurn,
  turns: readonly ConversationTurn[],
  parts: { type: 'text' | 'input_text'; images: readonly unknown[] },
): unknown {
  const isFirst = turns.find(({ role }) => role === 'user') === turn;
  if (!isFirst || parts.images.length === 0) return turn.text;
  return [{ type: parts.type, text: turn.text }, ...parts.images];
}

/**
 * The turns without empty ones, which are refused, and with call ids that occur once: some gateways number the calls of
 * every answer from the start.
 */
function spoken(turns: readonly ConversationTurn[]): ConversationTurn[] {
  const used = new Set<string>();
  let current = new Map<string, string>();
  const out: ConversationTurn[] = [];
  for (const turn of turns) {
    if (turn.role === 'tool') out.push({ ...turn, callId: current.get(turn.callId) ?? turn.callId });
    else if (turn.role === 'user') out.push(turn);
    else if (turn.text !== '' || turn.toolCalls.length > 0) {
      current = new Map(turn.toolCalls.map(({ id }) => [id, freeId(id, used)]));
      out.push({
        ...turn,
        toolCalls: turn.toolCalls.map((call) => ({ ...call, id: current.get(call.id) ?? call.id })),
      });
    }
  }
  return out;
}

function freeId(id: string, used: Set<string>): string {
  let free = id;
  for (let attempt = 2; used.has(free); attempt += 1) free = `${id}_${attempt}`;
  used.add(free);
  return free;
}

/**
 * A call as it is told back. Upstreams refuse names that no tool can have and, some of them, arguments that are no JSON
 * object, with which every later request would fail: the model is shown its own text in an object instead.
 */
function wireCall({ name, argumentsText }: ToolCall): { name: string; arguments: string } {
  const isObject = asRecord(parseLosslessJson(argumentsText)) !== undefined;
  return {
    name: name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unnamed',
    arguments: isObject ? argumentsText : JSON.stringify({ invalid_arguments: argumentsText }),
  };
}
