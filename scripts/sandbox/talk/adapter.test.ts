import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type ConversationAnswer,
  type ConversationTurn,
  conversationAnswer,
  type ToolDefinition,
} from '#server/generation/conversation/schemas.ts';
import type { CreateRequest, PollRef } from '#server/providers/provider.ts';
import { createProviderRuntime } from '#server/providers/registry.ts';
import { createMemoryStore } from '#server/testing/msw/memory-store.ts';
import { collectingLogger } from '#server/testing/msw/upstream.ts';
import { eventually, startTestSandbox, type TestSandbox } from '../test-client.ts';
import { WORK_TOOLS } from './test-talker.ts';

/** Our own adapters hold conversations with the sandbox: what one writes, the other understands. */

let sandbox: TestSandbox;
let runtime: ReturnType<typeof createProviderRuntime>;
beforeAll(async () => {
  // Time enough that a response in the background is polled.
  sandbox = await startTestSandbox({ delays: { text: 40 } });
  runtime = createProviderRuntime({
    storage: createMemoryStore(),
    logger: collectingLogger([]),
    guard: { allowHosts: [new URL(sandbox.url).host] },
  });
});
afterAll(async () => {
  await runtime.close();
  await sandbox.close();
});

const tools: ToolDefinition[] = WORK_TOOLS.map((tool) => ({ ...tool, description: 'A tool.' }));
const { signal } = new AbortController();

type Channel = { protocol: string; endpoint: string; path: string };

async function answerOf(channel: Channel, turns: ConversationTurn[]): Promise<ConversationAnswer> {
  const { protocol, endpoint, path } = channel;
  const access = { protocol, baseUrl: `${sandbox.url}${path}`, apiKey: sandbox.apiKey };
  const request: CreateRequest = {
    kind: 'text',
    endpoint,
    model: 'gpt-5-mini',
    prompt: '',
    params: {},
    references: [],
    conversation: { instructions: 'You plan.', turns, tools },
  };
  const options = { dispatchId: `d${turns.length}`, signal };
  const created = await runtime.create(access, request, { ...options, timeoutMs: 60_000 });
  let outcome: unknown = created;
  if (created.type === 'accepted') {
    // As it comes back from the database.
    const ref = JSON.parse(JSON.stringify(created.pollRef)) as PollRef;
    await eventually(async () => {
      outcome = await runtime.poll(access, ref, options);
      return (outcome as { type: string }).type;
    }).toBe('succeeded');
  }
  const { artefacts } = outcome as { artefacts: { text: string }[] };
  expect(artefacts, JSON.stringify(outcome)).toHaveLength(1);
  return conversationAnswer.parse(JSON.parse(artefacts[0]?.text ?? ''));
}

test.each<Channel>([
  { protocol: 'openai', endpoint: 'chat', path: '/v1' },
  { protocol: 'openai', endpoint: 'responses', path: '/v1' },
  { protocol: 'newapi', endpoint: 'chat', path: '/newapi/v1' },
  { protocol: 'newapi', endpoint: 'responses', path: '/newapi/v1' },
])('$protocol/$endpoint: a run with mistakes, from the goal to the end', async (channel) => {
  const goal = '[[agent:malformed]] [[agent:unknown-tool]] [[agent:ask]] Two postcards';
  const turns: ConversationTurn[] = [{ role: 'user', text: goal }];
  const names: string[][] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    const { text, toolCalls } = await answerOf(channel, turns);
    names.push(toolCalls.map((call) => call.name));
    turns.push({ role: 'assistant', text, toolCalls });
    for (const { id, name } of toolCalls)
      turns.push({ role: 'tool', callId: id, name, text: '{"status":"succeeded"}' });
  }
  expect(names).toEqual([
    ['generate_image'],
    ['paint_everything'],
    ['generate_image', 'generate_video'],
    ['ask_user'],
    ['finish'],
  ]);
});
