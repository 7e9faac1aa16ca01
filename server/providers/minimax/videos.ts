import { getJob, sendCancel, sendJsonCreate } from '../calls.ts';
import { cancelWhileQueued } from '../cancel-queued.ts';
import { valueAt } from '../json.ts';
import type {
  CallContext,
  CancelOutcome,
  CreateOutcome,
  CreateRequest,
  PollOutcome,
  PollRef,
} from '../provider.ts';
import { readUpstreamId } from '../upstream-id.ts';
import { createOutcomeOfIdOrCode } from '../vendor-codes.ts';
import { isVersion2, minimaxUrl, refuseVideoFiles, videoBody } from './client.ts';
import { readCode, refusalOf } from './codes.ts';
import { readFile, readFirstVersion, readSecondVersion } from './mapping.ts';

/** `POST /v1/video_generation`, or the second version's for the models that only it serves. */
export async function createVideo(request: CreateRequest, ctx: CallContext): Promise<CreateOutcome> {
  const refusal = refuseVideoFiles(request);
  if (refusal) return refusal;
  const { version, json } = await videoBody(request, ctx);
  const url = minimaxUrl(ctx.baseUrl, version, '/video_generation');
  const sent = await sendJsonCreate(ctx, url, { json, refusalOf });
  if ('outcome' in sent) return sent.outcome;

  const { response, body } = sent;
  return createOutcomeOfIdOrCode(body, response, {
    id: readUpstreamId(body.task_id),
    error: readCode(body),
    refOf(id) {
      // Only the address tells a job of the second version from one of the first.
      const pollUrl = version === 'v2' ? secondVersionUrl(ctx, id) : undefined;
      return { id, endpoint: 'video', ...(pollUrl ? { pollUrl } : {}) };
    },
  });
}

export async function pollVideo(ref: PollRef, ctx: CallContext): Promise<PollOutcome> {
  const url = secondVersionOf(ref, ctx);
  return url ? pollSecondVersion(url, ctx) : pollFirstVersion(ref.id, ctx);
}

/** Where a job of the second version is asked for; of an id that somebody typed only the model tells the version. */
function secondVersionOf(ref: PollRef, ctx: CallContext): string | undefined {
  return ref.pollUrl ?? (ref.model && isVersion2(ref.model) ? secondVersionUrl(ctx, ref.id) : undefined);
}

/** State first, then the file's address: success comes without one (vendor documentation, "Query Task"). */
async function pollFirstVersion(id: string, ctx: CallContext): Promise<PollOutcome> {
  const url = minimaxUrl(ctx.baseUrl, 'v1', '/query/video_generation');
  const polled = await getJob(ctx, url, { query: { task_id: id } });
  if ('outcome' in polled) return polled.outcome;
  const outcome = readFirstVersion(polled.body, polled.response);
  if (outcome.type !== 'succeeded') return outcome;
  const fileId = readUpstreamId(valueAt(polled.body, 'file_id'));
  if (fileId === undefined) return outcome;

  const fileUrl = minimaxUrl(ctx.baseUrl, 'v1', '/files/retrieve');
  const file = await getJob(ctx, fileUrl, { query: { file_id: fileId } });
  // A file that is gone is a success without a result; the job itself is not missing.
  if ('outcome' in file) return file.outcome.type === 'missing' ? outcome : file.outcome;
  return readFile(file.body, file.response, outcome);
}

async function pollSecondVersion(url: string, ctx: CallContext): Promise<PollOutcome> {
  const polled = await getJob(ctx, url);
  return 'outcome' in polled ? polled.outcome : readSecondVersion(polled.body, polled.response);
}

/** `DELETE /v2/video_generation/{id}` cancels a queued job; the first version has no cancel. */
export async function cancelVideo(ref: PollRef, ctx: CallContext): Promise<CancelOutcome> {
  if (!secondVersionOf(ref, ctx)) return 'unsupported';
  const url = minimaxUrl(ctx.baseUrl, 'v2', `/video_generation/${encodeURIComponent(ref.id)}`);
  return cancelWhileQueued(await pollVideo(ref, ctx), () => sendCancel(ctx, { method: 'DELETE', url }));
}

function secondVersionUrl(ctx: CallContext, id: string): string {
  return minimaxUrl(ctx.baseUrl, 'v2', `/query/video_generation/${encodeURIComponent(id)}`);
}
