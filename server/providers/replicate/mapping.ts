import { decodeDataUri } from '../inline-media.ts';
import { failedOutcome, readResultUrls, textArtefacts } from '../job-reading.ts';
import { asArray, asNumber, asRecord, asText, type JsonRecord, valueAt } from '../json.ts';
import { normaliseProgress } from '../progress.ts';
import type { ArtefactRef, CallContext, CreateOutcome, PollOutcome, PollRef, Usage } from '../provider.ts';
import { readStatusWord } from '../status-words.ts';

const MAX_OUTPUTS = 32;
/** Only the end of the logs can say how far a prediction is now. */
const LOG_TAIL_CHARACTERS = 2_000;

/** What is kept of a prediction: without our own address, whose signature opens our webhook. */
export function keptBody(body: JsonRecord): JsonRecord {
  return body.webhook === undefined ? body : { ...body, webhook: '[ours]' };
}

/**
 * How to reach a prediction again. Its own addresses are taken only where they are on the channel's origin: a gateway
 * passes Replicate's on, where the channel's key would not be sent.
 */
export function pollRefOf(id: string, endpoint: string, body: JsonRecord, baseUrl: string): PollRef {
  const { origin } = new URL(baseUrl);
  const own = (path: string) => {
    const url = asText(valueAt(body, path));
    return url && URL.canParse(url) && new URL(url).origin === origin ? url : undefined;
  };
  return { id, endpoint, pollUrl: own('urls.get'), cancelUrl: own('urls.cancel') };
}

/** A prediction object as the outcome of a poll. */
export async function readPrediction(
  body: JsonRecord,
  endpoint: string,
  ctx: CallContext,
): Promise<PollOutcome> {
  const status = readStatusWord(body.status);
  switch (status.meaning) {
    case 'succeeded':
      return {
        type: 'succeeded',
        artefacts: await readOutput(body.output, endpoint, ctx),
        usage: tokensOf(body),
        status: status.raw,
        raw: keptBody(body),
      };
    case 'failed':
      return failedOutcome(keptBody(body), status);
    case 'cancelled':
      return { type: 'cancelled', status: status.raw, raw: keptBody(body) };
    default:
      return {
        type: 'pending',
        status: status.raw,
        known: status.meaning !== undefined,
        progress: progressOf(body.logs),
      };
  }
}

/** Output is whatever the model makes: an address, a list of them, an object that has them, or text in pieces. */
async function readOutput(output: unknown, endpoint: string, ctx: CallContext): Promise<ArtefactRef[]> {
  if (endpoint === 'text') return textArtefacts([textOf(output)], ctx);
  const artefacts: ArtefactRef[] = [];
  for (const item of itemsOf(output, endpoint).slice(0, MAX_OUTPUTS)) {
    const bytes = typeof item === 'string' ? decodeDataUri(item) : undefined;
    const [url] = bytes ? [] : readResultUrls({ output: item });
    if (bytes) artefacts.push(await ctx.keep(artefacts.length, bytes));
    else if (url !== undefined) artefacts.push({ type: 'url', url });
  }
  return artefacts;
}

function itemsOf(output: unknown, endpoint: string): readonly unknown[] {
  const record = asRecord(output);
  if (!record) return Array.isArray(output) ? output : [output];
  const named = record[endpoint] ?? record[`${endpoint}s`] ?? record[`${endpoint}_out`];
  if (named !== undefined && named !== null) return Array.isArray(named) ? named : [named];
  return readResultUrls({ output: record }).length > 0 ? [record] : Object.values(record).flat();
}

function textOf(output: unknown): string {
  if (typeof output === 'string') return output;
  const pieces = asArray(output);
  if (pieces.length > 0) return pieces.map((piece) => (typeof piece === 'string' ? piece : '')).join('');
  const record = asRecord(output);
  if (!record) return '';
  const text = record.text ?? record.output ?? record.content ?? record.response;
  return typeof text === 'string' ? text : JSON.stringify(record);
}

function tokensOf(body: JsonRecord): Usage | undefined {
  const inputTokens = asNumber(valueAt(body, 'metrics.input_token_count'));
  const outputTokens = asNumber(valueAt(body, 'metrics.output_token_count'));
  return inputTokens === undefined && outputTokens === undefined ? undefined : { inputTokens, outputTokens };
}

/** There is no field for progress; many models log the bar of a loop (`45%|████`). */
function progressOf(logs: unknown): number | undefined {
  if (typeof logs !== 'string') return undefined;
  const last = [...logs.slice(-LOG_TAIL_CHARACTERS).matchAll(/\b(\d{1,3})%/g)].at(-1);
  return last && normaliseProgress(`${last[1]}%`);
}

/** Refusals whose text, not their code, says that it is this account or its offer that does not take the request. */
export function scoped(outcome: CreateOutcome): CreateOutcome {
  if (outcome.type !== 'rejected' || outcome.moderated) return outcome;
  const isUnknownModel =
    outcome.code === 'http_404' ||
    /version does not exist|not permitted|don't have permission/i.test(outcome.message);
  return isUnknownModel ? { ...outcome, code: 'model_not_found', scope: 'account' } : outcome;
}
