import { pollOutcomeOfEnvelope, readErrorEnvelope } from '../error-envelope.ts';
import { jobOutcome } from '../job-reading.ts';
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
  return jobOutcome(body, readStatusWord(answer.state), response, {
    artefacts: () => assetOf(answer, endpoint),
  });
}

function assetOf({ assets }: Generation, endpoint: string): ArtefactRef[] {
  const url = endpoint === 'image' ? assets?.image : assets?.video;
  return isHttpUrl(url) ? [{ type: 'url', url }] : [];
}
