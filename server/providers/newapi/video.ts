import { sendJsonCreate } from '../calls.ts';
import { readNegative, rejectedBy, uncertainAnswer } from '../error-envelope.ts';
import { readJobId } from '../job-reading.ts';
import { asRecord, type JsonRecord } from '../json.ts';
import { pollJobAt, videoArtefacts, videoContentUrl } from '../openai/videos.ts';
import type { CallContext, CreateOutcome, CreateRequest, PollOutcome, PollRef } from '../provider.ts';
import { isImage, refuseReferences } from '../request-params.ts';
import { readUpstreamId } from '../upstream-id.ts';
import { videoBody, videoUrl } from './client.ts';

/** `POST /v1/video/generations`: one route for every vendor behind the gateway. */
export async function createUnifiedVideo(request: CreateRequest, ctx: CallContext): Promise<CreateOutcome> {
  const refusal = refuseReferences(request, isImage);
  if (refusal) return refusal;
  const sent = await sendJsonCreate(ctx, videoUrl(ctx), { json: await videoBody(request) });
  if ('outcome' in sent) return sent.outcome;

  const { response, body } = sent;
  const negative = readNegative(body);
  const id =
    body.success === false ? undefined : (readTaskId(body) ?? (negative ? undefined : traceId(body)));
  if (id !== undefined)
    return { type: 'accepted', upstreamId: id, pollRef: { id, endpoint: 'video' }, raw: body };
  return negative ? rejectedBy(negative, response, body) : uncertainAnswer(response, 'no_id');
}

/** The gateway's database row has a number of its own in `id`; polls want the text in `task_id`. */
function readTaskId(body: JsonRecord): string | undefined {
  for (const level of [body, asRecord(body.data)]) {
    if (typeof level?.id === 'number' && typeof level.task_id === 'string') {
      const id = readUpstreamId(level.task_id);
      if (id !== undefined) return id;
    }
  }
  return readJobId(body);
}

/** Vendors that know a job only by the id of the request that made it. */
function traceId(body: JsonRecord): string | undefined {
  return readUpstreamId(body.request_id);
}

/**
 * `GET /v1/video/generations/{id}`: the gateway's task, a flat object, or whatever the vendor said, in one envelope more
 * or less. A result without an address (media that came inside the vendor's answer) lies below `/v1/videos/{id}/content`.
 */
export function pollUnifiedVideo(ref: PollRef, ctx: CallContext): Promise<PollOutcome> {
  const contentUrl = videoContentUrl(ref, ctx);
  return pollJobAt(ctx, videoUrl(ctx, ref.id), { artefactsOf: (body) => videoArtefacts(body, contentUrl) });
}
