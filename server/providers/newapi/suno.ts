import { sendJsonCreate } from '../calls.ts';
import { isModerated, readNegative, rejectedBy, uncertainAnswer } from '../error-envelope.ts';
import { readJobId } from '../job-reading.ts';
import { asRecord, asText, firstText, isHttpUrl, type JsonRecord, valueAt } from '../json.ts';
import { parseEach } from '../openai/schemas.ts';
import { pollJobAt } from '../openai/videos.ts';
import type {
  ArtefactRef,
  CallContext,
  CreateOutcome,
  CreateRequest,
  PollOutcome,
  PollRef,
} from '../provider.ts';
import { refuseReferences } from '../request-params.ts';
import { readStatusWord } from '../status-words.ts';
import { besideVersion, sunoBody } from './client.ts';
import { type SunoClip, sunoClip } from './schemas.ts';

/** Where gateways put the clips of a task. */
const CLIP_PATHS = ['data.data', 'data.response.sunoData', 'data.clips', 'data', 'clips'];

/** `POST /suno/submit/music`: one task, usually of two clips. */
export async function createMusic(request: CreateRequest, ctx: CallContext): Promise<CreateOutcome> {
  const refusal = refuseReferences(request, () => false);
  if (refusal) return refusal;
  const sent = await sendJsonCreate(ctx, besideVersion(ctx, '/suno/submit/music'), {
    json: sunoBody(request, ctx.webhookUrl),
  });
  if ('outcome' in sent) return sent.outcome;

  const { response, body } = sent;
  const negative = readNegative(body);
  const id = body.success === false ? undefined : readJobId(body);
  if (id !== undefined)
    return { type: 'accepted', upstreamId: id, pollRef: { id, endpoint: 'suno' }, raw: body };
  return negative ? rejectedBy(negative, response, body) : uncertainAnswer(response, 'no_id');
}

/**
 * `GET /suno/fetch/{id}`. An address may play a clip that is still being sung, so a finished task whose clips are not all
 * at their end is not finished yet.
 */
export async function pollMusic(ref: PollRef, ctx: CallContext): Promise<PollOutcome> {
  const url = besideVersion(ctx, `/suno/fetch/${encodeURIComponent(ref.id)}`);
  let seen: JsonRecord = {};
  const outcome = await pollJobAt(ctx, url, {
    artefactsOf(body) {
      seen = body;
      return clipsOf(body).flatMap(clipArtefact);
    },
  });
  if (outcome.type === 'succeeded' && clipsOf(seen).some(isGrowing))
    return { type: 'pending', status: 'streaming', known: true };
  if (outcome.type === 'failed') return withClipReason(outcome);
  return outcome;
}

function clipsOf(body: JsonRecord): SunoClip[] {
  for (const path of CLIP_PATHS) {
    const value = valueAt(body, path);
    const items = Array.isArray(value)
      ? value
      : path.endsWith('clips')
        ? Object.values(asRecord(value) ?? {})
        : [];
    const clips = parseEach(items, sunoClip);
    if (clips.length > 0) return clips;
  }
  return [];
}

function isGrowing(clip: SunoClip): boolean {
  const { raw, meaning } = readStatusWord(clip.status);
  return meaning === 'queued' || meaning === 'running' || raw.toLowerCase() === 'streaming';
}

function clipArtefact(clip: SunoClip): ArtefactRef[] {
  const url = clip.audio_url || clip.audioUrl;
  return readStatusWord(clip.status).meaning !== 'failed' && isHttpUrl(url) ? [{ type: 'url', url }] : [];
}

/** The clips know more than the task why nothing came of it. */
function withClipReason(outcome: Extract<PollOutcome, { type: 'failed' }>): PollOutcome {
  for (const clip of clipsOf(asRecord(outcome.raw) ?? {})) {
    const message = firstText(clip, ['metadata.error_message']);
    const type = asText(valueAt(clip, 'metadata.error_type')) ?? '';
    if (message === undefined && type === '') continue;
    const moderated = outcome.moderated || isModerated({ code: type, type: '', message: message ?? '' });
    return { ...outcome, code: type || outcome.code, reason: message ?? outcome.reason, moderated };
  }
  return outcome;
}
