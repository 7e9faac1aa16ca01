import { pollOutcomeOfEnvelope, readErrorEnvelope } from '../error-envelope.ts';
import { failedOutcome } from '../job-reading.ts';
import { isHttpUrl, type JsonRecord } from '../json.ts';
import type { ArtefactRef, PollOutcome, UpstreamResponse } from '../provider.ts';
import { readStatusWord } from '../status-words.ts';
import { type Generation, generation } from './schemas.ts';

/** Reads a generation. Only the asset of its own kind is the result: a video comes with a preview and a still. */
export function readGeneration(body: JsonRecord, endpoint: string, response: UpstreamResponse): PollOutcome {
  const answer = generation.parse(body);
  if (answer.state === undefined) {
    const envelope = readErrorEnvelope(body);
    if (envelope) return pollOutcomeOfEnvelope(envelope, response);
  }
  const status = readStatusWord(answer.state);
  switch (status.meaning) {
    case 'succeeded':
      return { type: 'succeeded', artefacts: assetOf(answer, endpoint), status: status.raw, raw: body };
    case 'failed':
      return failedOutcome(body, status);
    case 'cancelled':
      return { type: 'cancelled', status: status.raw, raw: body };
    default:
      return {
        type: 'pending',
        status: status.raw,
        known: status.meaning !== undefined,
        retryAfterMs: response.retryAfterMs,
      };
  }
}

function assetOf({ assets }: Generation, endpoint: string): ArtefactRef[] {
  const url = endpoint === 'image' ? assets?.image : assets?.video;
  return isHttpUrl(url) ? [{ type: 'url', url }] : [];
}
