import { type TalkDirectives, wordsForChild } from './directives.ts';
import { choicesOf, fitToSchema, propertyOf } from './fit-schema.ts';
import { isChinese, ownText } from './script.ts';
import { type Call, newResults, type Talk, type Tool, type Turn, turnsTaken } from './talk.ts';

/**
 * A worker with tools that follows a script: which answer is due follows from how often it has spoken, so the same
 * conversation gets the same answer and nothing is kept between calls.
 */

const GENERATE = ['generate_image', 'generate_video', 'generate_audio'] as const;
const USUAL_CALLS = 2;
const GOAL_CHARACTERS = 300;

type PlannedCall = Omit<Call, 'id'>;
type Round = { text: string; calls: PlannedCall[] };

const NOUNS: Record<string, readonly [string, string]> = {
  generate_image: ['picture', '图片'],
  generate_video: ['clip', '视频'],
  generate_audio: ['sound', '声音'],
};

/** The goal without the list of files that may follow it. */
const goalOf = ({ text }: TalkDirectives): string => ownText(text.replace(/\n\s*References:\n[\s\S]*$/, ''));

function argumentsFor(tool: Tool, values: Record<string, unknown>, text: string): Record<string, unknown> {
  const model = choicesOf(propertyOf(tool.parameters, 'model'))[0];
  const given = { ...(model === undefined ? {} : { model }), ...values };
  return fitToSchema(given, tool.parameters, text) as Record<string, unknown>;
}

/** The generate call of child `number`, counted over the whole run. */
function generateCall(tool: Tool, number: number, directives: TalkDirectives): PlannedCall {
  const goal = goalOf(directives).replaceAll(/\s+/g, ' ').slice(0, GOAL_CHARACTERS);
  const [english, chinese] = NOUNS[tool.name] ?? ['output', '作品'];
  const which = isChinese(goal) ? `（${chinese} ${number}）` : ` (${english} ${number})`;
  const prompt = `${goal}${which}${wordsForChild(directives, number)}`;
  return { name: tool.name, arguments: JSON.stringify(argumentsFor(tool, { prompt }, goal)) };
}

function workRounds(talk: Talk, directives: TalkDirectives): PlannedCall[][] {
  const offered = GENERATE.flatMap((name) => talk.tools.find((tool) => tool.name === name) ?? []);
  const [first] = offered;
  if (!first) return [];
  const sameTool = (count: number) =>
    Array.from({ length: count }, (_, index) => generateCall(first, index + 1, directives));
  if (directives.steps !== null) return sameTool(directives.steps).map((call) => [call]);
  if (directives.many !== null) return [sameTool(directives.many)];
  return [offered.slice(0, USUAL_CALLS).map((tool, index) => generateCall(tool, index + 1, directives))];
}

/** Answers that are wrong in one way each, before the work begins. */
function wrongRounds(right: PlannedCall | undefined, directives: TalkDirectives): PlannedCall[][] {
  if (!right) return [];
  const rounds: PlannedCall[][] = [];
  const cut = right.arguments.slice(0, Math.floor(right.arguments.length / 2));
  if (directives.malformed) rounds.push([{ ...right, arguments: cut }]);
  if (directives.unknownTool) rounds.push([{ ...right, name: 'paint_everything' }]);
  if (directives.badArguments)
    rounds.push([{ ...right, arguments: JSON.stringify({ prompt: 42, model: 'no-such-model' }) }]);
  return rounds;
}

const FAILED =
  /\b(fail(ed|ure)?|error|reject(ed)?|cancel(l?ed)?|unknown|uncertain|invalid|not)\b|失败|拒绝|取消/i;

/** How many outputs the results of generate calls tell of. */
function countOutputs(turns: readonly Turn[]): number {
  const names = new Map(
    turns.flatMap((turn) =>
      turn.role === 'assistant' ? turn.calls.map((call) => [call.id, call.name]) : [],
    ),
  );
  const results = turns.filter(
    (turn) => turn.role === 'tool' && (GENERATE as readonly string[]).includes(names.get(turn.callId) ?? ''),
  );
  return results.reduce((sum, { text }) => sum + outputsIn(text), 0);
}

/** Ids behind the names of kinds, a status in JSON, or at least no word of failure. */
function outputsIn(text: string): number {
  const named = text.match(/\b(image|video|audio) [0-9a-f]{8}-[0-9a-f-]{27}\b/g)?.length ?? 0;
  if (named > 0) return named;
  const status = /"status"\s*:\s*"(\w+)"/.exec(text)?.[1];
  if (status !== undefined) return status === 'succeeded' ? 1 : 0;
  return FAILED.test(text) ? 0 : 1;
}

function lastRound(talk: Talk, goal: string): Round {
  const made = countOutputs(talk.turns);
  const summary = isChinese(goal)
    ? `完成：共有 ${made} 个作品。`
    : `Done: ${made} ${made === 1 ? 'output is' : 'outputs are'} ready.`;
  const finish = talk.tools.find((tool) => tool.name === 'finish');
  if (!finish) return { text: summary, calls: [] };
  const args = JSON.stringify(argumentsFor(finish, { summary }, summary));
  return { text: '', calls: [{ name: 'finish', arguments: args }] };
}

function scriptOf(talk: Talk, directives: TalkDirectives): Round[] {
  const chinese = isChinese(directives.text);
  const work = workRounds(talk, directives);
  const [begin, goOn] = chinese ? ['我先这样开始。', '继续。'] : ['I begin with this.', 'Going on.'];
  const rounds: Round[] = [...wrongRounds(work[0]?.[0], directives), ...work].map((calls, index) => ({
    text: index === 0 ? begin : goOn,
    calls,
  }));
  for (const { name, arguments: args } of directives.calls)
    rounds.push({ text: goOn, calls: [{ name, arguments: withIds(args, talk, directives) }] });
  const ask = talk.tools.find((tool) => tool.name === 'ask_user');
  if (directives.ask !== null && ask) {
    const question = directives.ask || (chinese ? '你喜欢哪种颜色？' : 'Which colour do you prefer?');
    const args = JSON.stringify(argumentsFor(ask, { question }, question));
    rounds.push({ text: '', calls: [{ name: 'ask_user', arguments: args }] });
  }
  return rounds;
}

const ID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

/** `$output` is the newest id in the results, `$reference` the first one beside the goal. */
function withIds(args: string, { turns }: Talk, { text }: TalkDirectives): string {
  const told = turns.flatMap((turn) => (turn.role === 'tool' ? (turn.text.match(ID) ?? []) : []));
  return args
    .replaceAll('$output', told.at(-1) ?? 'no-output')
    .replaceAll('$reference', text.match(ID)?.[0] ?? 'no-reference');
}

const ORDER = /<<call\s+([\w-]+)\s*(\{.*?\})?\s*>>/gs;

/** What the newest tool results order, for a model that takes them for its master. */
function ordersIn(turns: readonly Turn[]): PlannedCall[] {
  return newResults(turns).flatMap(({ text }) =>
    [...text.matchAll(ORDER)].map(([, name = '', args = '{}']) => ({ name, arguments: args })),
  );
}

/** Answers that were orders carried out: they take no place in the script. */
function ordersTaken({ turns }: Talk): number {
  return turns.filter(
    (turn, index) => turn.role === 'assistant' && ordersIn(turns.slice(0, index)).length > 0,
  ).length;
}

/** The worker's next answer, without ids of its calls. */
export function nextRound(talk: Talk, directives: TalkDirectives): Round {
  const spoken = turnsTaken(talk);
  const goal = goalOf(directives);
  if (directives.chatter) {
    const text = isChinese(goal) ? `我还在想（${spoken + 1}）。` : `I am still thinking (${spoken + 1}).`;
    return { text, calls: [] };
  }
  const orders = directives.obey ? ordersIn(talk.turns) : [];
  if (orders.length > 0) return { text: '', calls: orders };
  const script = scriptOf(talk, directives);
  const due = spoken - (directives.obey ? ordersTaken(talk) : 0);
  const [first] = script;
  if (directives.repeat && first) return { text: first.text, calls: first.calls.slice(0, 1) };
  return script[due] ?? lastRound(talk, goal);
}
