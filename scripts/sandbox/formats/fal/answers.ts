import type { WebhookFormat } from '../../endpoint.ts';
import type { JobTruth } from '../../job-view.ts';
import { type ResultFile, trueView, type View } from '../../results.ts';
import { signFal } from '../../webhook-keys.ts';
import { ApiError } from '../../wire.ts';
import { orderedBy, requestOf } from './input.ts';

/** Results, failures and webhooks of fal's queue. */

const USER_ID = 'sandbox-user';
const CLIENT_CLOSED = 499;

type ErrorBody = { status: number; body: unknown; headers: Record<string, string> };

/** 422s are lists of problems; everything else is one sentence. */
export function errorOf({ status: wanted, code, message, param }: ApiError): ErrorBody {
  const moderated = code === 'moderation_blocked';
  const status = moderated || (wanted === 400 && param !== null) ? 422 : wanted;
  const type = moderated ? 'content_policy_violation' : (code ?? 'value_error');
  const problem = { loc: ['body', moderated ? 'prompt' : param].filter(Boolean), msg: message, type };
  return {
    status,
    body: { detail: status === 422 ? [problem] : message },
    headers: { 'x-fal-retryable': String(status >= 500) },
  };
}

/** How the failure of a job is told, on its result and to its webhook. */
export function failureOf({ status, error }: JobTruth): ApiError {
  if (status === 'cancelled')
    return new ApiError(CLIENT_CLOSED, 'request_cancelled', 'Request was cancelled');
  return new ApiError(422, error?.code ?? 'unknown_error', error?.message ?? '');
}

const fileOf = (file: ResultFile | null) =>
  file && { url: file.url, content_type: file.mime, file_name: file.name, file_size: file.bytes };

/** A model's own answer. */
export function payloadOf({ job, files, text }: View): unknown {
  const { width, height } = requestOf(job).order;
  const [file] = files;
  switch (job.kind) {
    case 'video':
      return { video: file ? fileOf(file) : null, seed: job.row };
    case 'audio':
      return { audio: file ? fileOf(file) : null };
    case 'text':
      return { output: text };
    default:
      return {
        images: files.map((item) => item && { ...fileOf(item), width, height }),
        timings: { inference: job.durationMs / 1_000 },
        seed: job.row,
        has_nsfw_concepts: files.map(() => false),
        prompt: job.prompt,
      };
  }
}

export const succeeded = ({ status }: JobTruth) => status === 'completed' || status === 'incomplete';

export const webhooks: WebhookFormat = {
  messages(sandbox, job, moment, truth) {
    if (moment === 'start') return [];
    const envelope = { request_id: job.id, gateway_request_id: job.id };
    if (succeeded(truth)) {
      const payload = payloadOf(trueView(sandbox, job, orderedBy(job), truth));
      return [{ event: 'completed', id: job.id, body: { ...envelope, status: 'OK', payload, error: null } }];
    }
    const { status, body: payload } = errorOf(failureOf(truth));
    const error = `Invalid status code: ${status}`;
    return [{ event: 'completed', id: job.id, body: { ...envelope, status: 'ERROR', payload, error } }];
  },
  sign: (keys, message) => signFal(keys, message, USER_ID),
};
