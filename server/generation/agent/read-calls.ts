import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ToolCall } from '../conversation/schemas.ts';
import { canonicalHash } from '../request-hash.ts';
import type { MakeOrder, RefusalReason } from './agent-step.ts';
import { cutText, storableText } from './cut-text.ts';
import type { AgentMakes } from './schemas.ts';
import { type AllowedModel, MAKE_TOOLS } from './tool-definitions.ts';

/** Reads what a language model has called, one call at a time, and says what is wrong with it in words for the model. Pure. */

export const MAX_ARGUMENTS_CHARACTERS = 20_000;
export const MAX_CALLS = 16;
export const MAX_SUMMARY_CHARACTERS = 20_000;

export type CallReading = { hash: string } & (
  | { type: 'make'; makes: AgentMakes; order: MakeOrder }
  | { type: 'read'; what: string }
  | { type: 'ask'; question: string }
  | { type: 'finish'; summary: string }
  | { type: 'refused'; reason: RefusalReason; problem: string }
);

const clean = (most: number) => z.string().transform(storableText).pipe(z.string().trim().min(1).max(most));
/** Some models send null for what they leave out. */
const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => value ?? undefined, schema.optional());

const makeArguments = z.strictObject({
  model: z.string().max(200),
  prompt: clean(32_000),
  params: optional(z.record(z.string().max(80), z.unknown())),
  image: optional(z.string().max(200)),
  references: optional(z.array(z.string().max(200)).max(16)),
});
const readArguments = z.strictObject({ id: clean(200) });
const askArguments = z.strictObject({ question: clean(4_000) });
const finishArguments = z.strictObject({ summary: clean(MAX_SUMMARY_CHARACTERS) });

export type ReadOptions = {
  models: readonly AllowedModel[];
  /** Hashes of the calls of this run that were accepted before. */
  before: ReadonlySet<string>;
  /** Makes for which there are steps left. */
  stepsLeft: number;
};

/** Reads the calls of one answer in order. Each is checked against those before it too. */
export function readCalls(calls: readonly ToolCall[], options: ReadOptions): CallReading[] {
  const before = new Set(options.before);
  let { stepsLeft } = options;
  let hasFinish = false;
  return calls.map((call, index) => {
    const reading = index < MAX_CALLS ? readCall(call, options.models) : tooMany(call);
    if (reading.type === 'refused') return reading;
    if (before.has(reading.hash)) {
      return refuse(
        reading,
        'repeat',
        'You have made this call before, with the same arguments. Its result stands.',
      );
    }
    if (reading.type === 'finish' && hasFinish) return refuse(reading, 'too_many', 'Call finish once.');
    if (reading.type === 'make' && stepsLeft <= 0) {
      return refuse(reading, 'no_steps', 'No step of this run is left for it.');
    }
    before.add(reading.hash);
    if (reading.type === 'make') stepsLeft -= 1;
    if (reading.type === 'finish') hasFinish = true;
    return reading;
  });
}

/** Reads one call by itself: its tool, its JSON, the schema of the tool. */
export function readCall(
  call: Pick<ToolCall, 'name' | 'argumentsText'>,
  models: readonly AllowedModel[],
): CallReading {
  const parsed = parseArguments(call.argumentsText);
  const hash = hashOf(call, parsed);
  const malformed = (problem: string): CallReading => ({
    hash,
    type: 'refused',
    reason: 'malformed',
    problem,
  });
  const makes = Object.hasOwn(MAKE_TOOLS, call.name) ? MAKE_TOOLS[call.name] : undefined;
  const offered = offeredTools(models);
  if (!offered.includes(call.name)) {
    return malformed(`There is no tool named "${cutText(call.name, 80)}". There are: ${offered.join(', ')}.`);
  }
  if ('problem' in parsed) return malformed(parsed.problem);
  if (makes) return readMake({ hash, makes, value: parsed.value }, models);
  switch (call.name) {
    case 'read_output': {
      const read = readArguments.safeParse(parsed.value);
      return read.success ? { hash, type: 'read', what: read.data.id } : malformed(describe(read.error));
    }
    case 'ask_user': {
      const ask = askArguments.safeParse(parsed.value);
      return ask.success
        ? { hash, type: 'ask', question: ask.data.question }
        : malformed(describe(ask.error));
    }
    default: {
      const finish = finishArguments.safeParse(parsed.value);
      return finish.success
        ? { hash, type: 'finish', summary: finish.data.summary }
        : malformed(describe(finish.error));
    }
  }
}

function readMake(
  call: { hash: string; makes: AgentMakes; value: unknown },
  models: readonly AllowedModel[],
): CallReading {
  const { hash, makes } = call;
  const malformed = (problem: string): CallReading => ({
    hash,
    type: 'refused',
    reason: 'malformed',
    problem,
  });
  const read = makeArguments.safeParse(call.value);
  if (!read.success) return malformed(describe(read.error));
  const { model: slug, prompt, params, image, references } = read.data;
  const ofKind = models.filter(({ kind }) => kind === makes);
  if (!ofKind.some((model) => model.slug === slug)) {
    const names = ofKind.map((model) => model.slug).join(', ');
    return malformed(`You may not use the model "${cutText(slug, 80)}" here. You may use: ${names}.`);
  }
  const images = [...new Set([...(image ? [image] : []), ...(references ?? [])])];
  return { hash, type: 'make', makes, order: { model: slug, prompt, params: params ?? {}, images } };
}

function offeredTools(models: readonly AllowedModel[]): string[] {
  const makes = Object.entries(MAKE_TOOLS).flatMap(([name, kind]) =>
    models.some((model) => model.kind === kind) ? [name] : [],
  );
  return [...makes, 'read_output', 'ask_user', 'finish'];
}

type Parsed = { value: unknown } | { problem: string };

function parseArguments(text: string): Parsed {
  if (text.length > MAX_ARGUMENTS_CHARACTERS) {
    return { problem: `The arguments have more than ${MAX_ARGUMENTS_CHARACTERS} characters.` };
  }
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return { value };
    return { problem: 'The arguments are not a JSON object.' };
  } catch {
    return { problem: 'The arguments are not valid JSON.' };
  }
}

function hashOf(call: Pick<ToolCall, 'name' | 'argumentsText'>, parsed: Parsed): string {
  if ('value' in parsed) {
    try {
      return canonicalHash([call.name, parsed.value]);
    } catch {
      // Nested too deeply to be walked through: as text it is the same call all the same.
    }
  }
  return createHash('sha256').update(`${call.name}\n${call.argumentsText}`).digest('hex');
}

function tooMany(call: ToolCall): CallReading {
  return refuse(
    { hash: hashOf(call, parseArguments(call.argumentsText)) },
    'too_many',
    `Only the first ${MAX_CALLS} calls of an answer are looked at. Make this one in your next answer.`,
  );
}

const refuse = ({ hash }: { hash: string }, reason: RefusalReason, problem: string): CallReading => ({
  hash,
  type: 'refused',
  reason,
  problem,
});

/** What does not fit the schema, one line, without what was sent. */
function describe(error: z.ZodError): string {
  const issues = error.issues.slice(0, 3).map(({ path, message }) => {
    const where = path.map(String).join('.');
    return where ? `${cutText(where, 80)}: ${cutText(message, 200)}` : cutText(message, 200);
  });
  return `The arguments do not fit the tool. ${issues.join('; ')}.`;
}
