import type { TestSandbox } from '../test-client.ts';

/** Holds a conversation with the sandbox over HTTP, in either of the two formats, as a client of it does. */

export type TalkFormat = 'chat' | 'responses';
type SaidCall = { id: string; name: string; arguments: string };
export type Said = {
  text: string;
  calls: SaidCall[];
  end: string;
  tokens: { input: number; output: number };
};
export type TalkTool = { name: string; parameters: Record<string, unknown> };

const text = (extra: object = {}) => ({ type: 'string', ...extra });
const object = (properties: object, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const generate = (name: string, models: string[], more: object = {}): TalkTool => ({
  name,
  parameters: object({ model: text({ enum: models }), prompt: text(), ...more }, ['model', 'prompt']),
});

/** What an agent offers. */
export const WORK_TOOLS: TalkTool[] = [
  generate('generate_image', ['paint', 'sketch'], { params: { type: 'object' } }),
  generate('generate_video', ['move'], { image: text() }),
  generate('generate_audio', ['speak']),
  { name: 'read_output', parameters: object({ id: text() }) },
  { name: 'ask_user', parameters: object({ question: text() }) },
  { name: 'finish', parameters: object({ summary: text() }) },
];

export const BOARD_TOOL: TalkTool = {
  name: 'save_storyboard',
  parameters: object({
    title: text({ maxLength: 120 }),
    style: text(),
    characters: { type: 'array', items: object({ id: text(), name: text(), look: text(), voice: text() }) },
    scenes: { type: 'array', items: object({ id: text(), title: text(), place: text() }) },
    shots: {
      type: 'array',
      maxItems: 40,
      items: object({
        id: text(),
        sceneId: text(),
        characterIds: { type: 'array', items: text() },
        seconds: { type: 'integer', minimum: 1, maximum: 15 },
        picturePrompt: text(),
        motionPrompt: text(),
        narration: text(),
        speakerId: text(),
      }),
    },
  }),
};

type ChatBody = {
  choices: [
    {
      finish_reason: string;
      message: {
        content: string | null;
        tool_calls?: { id: string; function: { name: string; arguments: string } }[];
      };
    },
  ];
  usage: { prompt_tokens: number; completion_tokens: number };
};
type ResponseBody = {
  status: string;
  output: (
    | { type: 'message'; content: { text: string }[] }
    | { type: 'function_call'; call_id: string; name: string; arguments: string }
  )[];
  usage: { input_tokens: number; output_tokens: number };
};

function readChat({ choices: [choice], usage }: ChatBody): Said {
  return {
    text: choice.message.content ?? '',
    calls: (choice.message.tool_calls ?? []).map((call) => ({ id: call.id, ...call.function })),
    end: choice.finish_reason,
    tokens: { input: usage.prompt_tokens, output: usage.completion_tokens },
  };
}

function readResponse({ status, output, usage }: ResponseBody): Said {
  const said: Said = {
    text: '',
    calls: [],
    end: status,
    tokens: { input: usage.input_tokens, output: usage.output_tokens },
  };
  for (const item of output) {
    if (item.type === 'message') said.text += item.content.map((part) => part.text).join('');
    else said.calls.push({ id: item.call_id, name: item.name, arguments: item.arguments });
  }
  return said;
}

export function createTalker(
  sandbox: TestSandbox,
  options: { format: TalkFormat; tools: readonly TalkTool[]; more?: Record<string, unknown> },
) {
  const { format, tools } = options;
  const chat = format === 'chat';
  const items: object[] = [];

  async function post(): Promise<Response> {
    const body = chat
      ? {
          messages: [{ role: 'system', content: 'You plan.' }, ...items],
          tools: tools.map((tool) => ({ type: 'function', function: tool })),
        }
      : {
          instructions: 'You plan.',
          input: items,
          tools: tools.map((tool) => ({ type: 'function', ...tool })),
        };
    return sandbox.call('POST', chat ? '/v1/chat/completions' : '/v1/responses', {
      body: { model: 'gpt-5-mini', ...body, ...options.more },
    });
  }

  return {
    items,
    post,
    user(words: string) {
      items.push(chat ? { role: 'user', content: words } : { type: 'message', role: 'user', content: words });
    },
    result(callId: string, words: string) {
      items.push(
        chat
          ? { role: 'tool', tool_call_id: callId, content: words }
          : { type: 'function_call_output', call_id: callId, output: words },
      );
    },
    /** Asks for the next answer and takes it into the conversation. */
    async next(): Promise<Said> {
      const response = await post();
      const body: unknown = await response.json();
      if (response.status !== 200) throw new Error(JSON.stringify(body));
      const said = chat ? readChat(body as ChatBody) : readResponse(body as ResponseBody);
      if (chat) {
        const calls = said.calls.map(({ id, ...fn }) => ({ id, type: 'function', function: fn }));
        const content = said.text === '' ? null : said.text;
        items.push({ role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: calls } : {}) });
      } else {
        if (said.text !== '') items.push({ type: 'message', role: 'assistant', content: said.text });
        for (const { id, ...call } of said.calls) items.push({ type: 'function_call', call_id: id, ...call });
      }
      return said;
    },
  };
}
