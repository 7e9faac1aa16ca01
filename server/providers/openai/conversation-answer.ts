import type { ConversationAnswer, ToolCall } from '#server/generation/conversation/schemas.ts';
import { textArtefacts } from '../job-reading.ts';
import { asRecord, asText, type JsonRecord } from '../json.ts';
import type { ArtefactRef, CallContext } from '../provider.ts';
import { storable } from '../sanitize.ts';

/** Longer ones are not ids; upstream is told ours instead. */
const MAX_ID_CHARACTERS = 200;

/**
 * Calls of tools as chat completions (`{id, function: {name, arguments}}`), responses (`{call_id, name, arguments}`) and
 * old gateways (`{name, arguments}`) write them. Every call gets an id of its own; what is no call is left out. Whether
 * the tool exists and the arguments are JSON is for the reader of the answer.
 */
export function readToolCalls(items: readonly unknown[]): ToolCall[] {
  const calls: ToolCall[] = [];
  const ids = new Set<string>();
  for (const item of items) {
    const record = asRecord(item);
    const called = asRecord(record?.function) ?? record;
    const name = storable(typeof called?.name === 'string' ? called.name.trim() : '');
    if (!record || !called || (name === '' && isBlank(called.arguments))) continue;
    const id = uniqueId(givenId(record), ids, calls.length);
    ids.add(id);
    calls.push({ id, name, argumentsText: argumentsText(called.arguments) });
  }
  return calls;
}

/** The one artefact of an answer, or none when there is nothing in it. */
export function answerArtefacts(answer: ConversationAnswer, ctx: CallContext): Promise<ArtefactRef[]> {
  const isEmpty = answer.text.trim() === '' && answer.toolCalls.length === 0;
  // Before it becomes JSON, which would hide unstorable characters behind escapes.
  const said = { ...answer, text: storable(answer.text) };
  return textArtefacts(isEmpty ? [] : [JSON.stringify(said)], ctx);
}

function givenId(record: JsonRecord): string | undefined {
  const id = asText(record.call_id) ?? asText(record.id);
  return id === undefined || id.length > MAX_ID_CHARACTERS ? undefined : storable(id);
}

/** Gateways leave the id out, or give the name of the tool for it, twice when it is called twice. */
function uniqueId(given: string | undefined, taken: ReadonlySet<string>, index: number): string {
  if (given !== undefined && !taken.has(given)) return given;
  let id = `call_${index}`;
  while (taken.has(id)) id = `${id}_${index}`;
  return id;
}

/** As upstream wrote it; objects as JSON, and none at all as an empty object, which calls of tools without parameters are. */
function argumentsText(value: unknown): string {
  if (isBlank(value)) return '{}';
  return withoutBadEscapes(storable(typeof value === 'string' ? value : JSON.stringify(value)));
}

const isBlank = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** Escapes of characters that no database can hold, which reading the JSON would bring back. */
function withoutBadEscapes(json: string): string {
  return json.replaceAll(
    /\\u(?:d[89ab][0-9a-f]{2})\\u(?:d[c-f][0-9a-f]{2})|\\u(0000|d[89a-f][0-9a-f]{2})|\\[\s\S]/gi,
    (found, bad: string | undefined) => (bad === undefined ? found : '\\ufffd'),
  );
}
