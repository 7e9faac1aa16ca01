import { getJob, sendJsonCreate } from '../calls.ts';
import {
  pollOutcomeOfEnvelope,
  readErrorEnvelope,
  readNegative,
  rejectedBy,
  uncertainAnswer,
} from '../error-envelope.ts';
import {
  deliveredSeconds,
  failedOutcome,
  jobOutcome,
  readJobId,
  readJobProgress,
  readJobStatus,
  readResultUrls,
} from '../job-reading.ts';
import type { JsonRecord } from '../json.ts';
import type {
  ArtefactRef,
  CallContext,
  CreateOutcome,
  CreateRequest,
  PollOutcome,
  PollRef,
  ReferenceFile,
} from '../provider.ts';
import { isImage, refuseReferences, toForm, wireParams } from '../request-params.ts';
import { apiUrl, artefactAt } from './client.ts';

/** What `POST /videos` takes as a reference. */
export const isImageOrVideo = (file: Pick<ReferenceFile, 'mime'>): boolean =>
  isImage(file) || file.mime.startsWith('video/');

/** `POST /videos`: JSON, or a form when a reference is given. `seconds` is text on this wire. */
export async function createVideo(request: CreateRequest, ctx: CallContext): Promise<CreateOutcome> {
  const refusal = refuseReferences(request, isImageOrVideo);
  if (refusal) return refusal;
  const params = wireParams(request.params);
  const fields = {
    model: request.model,
    prompt: request.prompt,
    ...params,
    ...(params.seconds === undefined ? {} : { seconds: String(params.seconds) }),
  };
  const files = request.references.map((file) => ({ name: 'input_reference', file }));
  const sent = await sendJsonCreate(
    ctx,
    apiUrl(ctx.baseUrl, '/videos'),
    files.length === 0 ? { json: fields } : { form: await toForm(fields, files) },
  );
  if ('outcome' in sent) return sent.outcome;

  const { response, body } = sent;
  const id = body.success === false ? undefined : readJobId(body);
  if (id !== undefined)
    return { type: 'accepted', upstreamId: id, pollRef: { id, endpoint: 'videos' }, raw: body };
  const negative = readNegative(body);
  return negative ? rejectedBy(negative, response, body) : uncertainAnswer(response, 'no_id');
}

/** `GET /videos/{id}`. The object names no file: that is below `/content`, and the key opens it. */
export async function pollVideo(ref: PollRef, ctx: CallContext): Promise<PollOutcome> {
  const contentUrl = videoContentUrl(ref, ctx);
  return pollJobAt(ctx, apiUrl(ctx.baseUrl, `/videos/${encodeURIComponent(ref.id)}`), {
    artefactsOf: (body) => videoArtefacts(body, contentUrl),
  });
}

/** `GET /videos/{id}/content`: the bytes, for the key only. */
export function videoContentUrl(ref: PollRef, ctx: CallContext): string {
  return apiUrl(ctx.baseUrl, `/videos/${encodeURIComponent(ref.id)}/content`);
}

/** Reads a job as tolerantly as the gateways that speak this protocol need it. */
export async function pollJobAt(
  ctx: CallContext,
  url: string,
  options: {
    artefactsOf(body: JsonRecord): ArtefactRef[];
    /** Words outside the shared vocabulary by which this route says that a job goes on. */
    goesOn?(body: JsonRecord): boolean;
  },
): Promise<PollOutcome> {
  const polled = await getJob(ctx, url, { verdictOf });
  if ('outcome' in polled) return polled.outcome;

  const { response, body } = polled;
  const status = readJobStatus(body);
  if (!status.present) {
    const envelope = readErrorEnvelope(body);
    if (envelope) return pollOutcomeOfEnvelope(envelope, response);
  }
  return jobOutcome(body, status, response, {
    artefacts: () => options.artefactsOf(body),
    usage: () => deliveredSeconds(body),
    progress: readJobProgress(body),
    goesOn: options.goesOn?.(body),
  });
}

/** Only an explicit failure of the job is a verdict in an answer other than 2xx. */
function verdictOf(body: JsonRecord): PollOutcome | undefined {
  const status = readJobStatus(body);
  return status.present && status.meaning === 'failed' ? failedOutcome(body, status) : undefined;
}

/** An address in the object is preferred: `/content` of a gateway proxies the vendor and dies with it. */
export function videoArtefacts(body: JsonRecord, contentUrl: string): ArtefactRef[] {
  const urls = readResultUrls(body);
  if (urls.length === 0) return [{ type: 'url', url: contentUrl, authenticated: true }];
  return urls.map((url) => artefactAt(url, contentUrl));
}
