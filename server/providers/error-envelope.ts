import { errorClassOfStatus } from '../classify-error.ts';
import type { CreateOutcome, PollOutcome, UpstreamResponse } from '../provider.ts';
import { asArray, asRecord, asText, firstText } from './json.ts';

/** An explicit "no" of an upstream. */
type ErrorEnvelope = { code: string; type: string; message: string };

/** Codes of gateways that lost the vendor half way: the vendor may hold a job (PROTOCOLS 12.4). */
const AMBIGUOUS_CODE =
  /^(do_request_failed|(read|unmarshal|close|copy)_response_body_failed|bad_response(_body|_status_code)?|.*time_?out.*)$/i;
/** 4xx answers that do not say whether the request was carried out. */
const UNDECIDED_STATUSES = new Set([408, 409, 425, 499]);
const QUOTA_CODE =
  /insufficient_(user_)?quota|quota_not_enough|quota_exceeded|billing_|pre_consume.*quota|insufficient_balance|arrears/i;
const MODERATION_CODE = /moderation|content_?policy|content_?filter|safety|sensitive|nsfw|responsible_?ai/i;
const MODERATION_MESSAGE =
  /content policy|safety system|content management policy|moderation|sensitive content/i;
const RATE_CODE = /rate_?limit|too_many_requests|throttl/i;
const MISSING_CODE =
  /(task|video|response|job)_not_(exist|found)|^not_found$|no_such_(task|video|response|job)/i;

/** The error object of OpenAI and of the gateways that imitate it. Undefined when the body states no error. */
export function readErrorEnvelope(body: unknown): ErrorEnvelope | undefined {
  const record = asRecord(body);
  if (!record) return undefined;
  const error = asArray(record.error)[0] ?? record.error;
  const inner = asRecord(error);
  if (inner && Object.keys(inner).length > 0) {
    return {
      code: firstText(inner, ['code', 'status']) ?? '',
      type: asText(inner.type) ?? '',
      message: firstText(inner, ['message', 'msg', 'detail']) ?? firstText(record, ['message', 'msg']) ?? '',
    };
  }
  const said = { code: asText(record.code) ?? '', type: asText(record.type) ?? '' };
  const message = firstText(record, ['message', 'msg', 'error_description', 'detail', 'description']) ?? '';
  if (typeof error === 'string' && error.trim() !== '') return { ...said, message: error };
  if (error === true || record.success === false || record.success === 'false' || record.object === 'error') {
    return { ...said, message };
  }
  return undefined;
}

/** What a 4xx may look like beyond the envelope: any JSON that says something in words. */
function readRefusal(body: unknown): ErrorEnvelope | undefined {
  const envelope = readErrorEnvelope(body);
  if (envelope) return envelope;
  const message = firstText(body, [
    'message',
    'msg',
    'detail',
    'detail.0.msg',
    'detail.message',
    'description',
    'error_description',
    'title',
  ]);
  const code = firstText(body, ['code', 'error_code']) ?? '';
  return message === undefined ? undefined : { code, type: firstText(body, ['type']) ?? '', message };
}

/** A 2xx that says no without an `error` field: a failure code, a sentence and no data (`quota_not_enough` …). */
export function readNegative(body: unknown): ErrorEnvelope | undefined {
  const envelope = readErrorEnvelope(body);
  if (envelope) return envelope;
  const record = asRecord(body);
  const code = asText(record?.code);
  const message = firstText(record, ['message', 'msg']);
  const isEmpty = record?.data === undefined || record.data === null;
  if (!record || !code || !message || !isEmpty || /^(success|ok|0|1|200|20000)$/i.test(code))
    return undefined;
  return /^-?\d+$/.test(code) && Number(code) > 0 && Number(code) < 400
    ? undefined
    : { code, type: '', message };
}

export function isModerated(envelope: ErrorEnvelope): boolean {
  return (
    MODERATION_CODE.test(`${envelope.code} ${envelope.type}`) || MODERATION_MESSAGE.test(envelope.message)
  );
}

/** A create that upstream answered with an explicit error (PROTOCOLS 0.6). */
export function rejectedBy(envelope: ErrorEnvelope, response: UpstreamResponse, raw: unknown): CreateOutcome {
  if (AMBIGUOUS_CODE.test(envelope.code))
    return { type: 'uncertain', evidence: { ...summary(response), reason: envelope.code, body: raw } };
  const message = envelope.message || `The upstream refused the request (HTTP ${response.status}).`;
  if (QUOTA_CODE.test(`${envelope.code} ${envelope.type}`) || response.status === 402) {
    return { type: 'rejected', code: 'quota', message, raw };
  }
  if (RATE_CODE.test(`${envelope.code} ${envelope.type}`)) {
    return { type: 'rate_limited', retryAfterMs: response.retryAfterMs, message };
  }
  if (isModerated(envelope))
    return { type: 'rejected', code: envelope.code || 'moderated', message, moderated: true, raw };
  const fallback =
    response.status === 401 || response.status === 403 ? 'unauthorized' : `http_${response.status}`;
  return { type: 'rejected', code: envelope.code || envelope.type || fallback, message, raw };
}

/** Classifies a create that was not answered with 2xx. */
export async function refusedCreate(response: UpstreamResponse): Promise<CreateOutcome> {
  const body = await response.json();
  const { status } = response;
  const isClientError = status >= 400 && status < 500;
  const envelope = isClientError ? readRefusal(body) : undefined;
  if (status === 429) {
    if (
      envelope &&
      (QUOTA_CODE.test(`${envelope.code} ${envelope.type}`) || AMBIGUOUS_CODE.test(envelope.code))
    ) {
      return rejectedBy(envelope, response, body);
    }
    return {
      type: 'rate_limited',
      retryAfterMs: response.retryAfterMs,
      message: envelope?.message ?? 'Too many requests.',
    };
  }
  if (envelope && !UNDECIDED_STATUSES.has(status)) return rejectedBy(envelope, response, body);
  return uncertainAnswer(response, `http_${status}`);
}

/** An answer that neither names a job nor refuses one. */
export async function uncertainAnswer(response: UpstreamResponse, reason: string): Promise<CreateOutcome> {
  const body = (await response.json()) ?? (await response.text()).slice(0, 2_000);
  return { type: 'uncertain', evidence: { ...summary(response), reason, body } };
}

function summary(response: UpstreamResponse): Record<string, unknown> {
  return {
    status: response.status,
    contentType: response.contentType,
    upstreamRequestId: response.header('x-request-id') ?? response.header('x-oneapi-request-id'),
  };
}

/** Classifies a poll by its HTTP status alone; undefined for an answer whose body decides (PROTOCOLS 0.5). */
export async function pollOutcomeOfStatus(response: UpstreamResponse): Promise<PollOutcome | undefined> {
  const { status, retryAfterMs } = response;
  if (status >= 200 && status < 300) return undefined;
  const envelope = readRefusal(await response.json());
  const message = envelope?.message || `The upstream answered HTTP ${status}.`;
  if (status === 404 || status === 410 || (status < 500 && envelope && MISSING_CODE.test(envelope.code))) {
    return { type: 'missing', message };
  }
  return { type: 'transient', errorClass: errorClassOfStatus(status), message, retryAfterMs };
}

/** A 2xx poll that carries an error but no status of the job: a fault of the gateway, not a verdict. */
export function pollOutcomeOfEnvelope(envelope: ErrorEnvelope, response: UpstreamResponse): PollOutcome {
  const message = envelope.message || 'The upstream answered with an error and no status.';
  const words = `${envelope.code} ${envelope.type}`;
  if (MISSING_CODE.test(words)) return { type: 'missing', message };
  const errorClass = RATE_CODE.test(words) ? 'rate_limited' : 'bad_body';
  return { type: 'transient', errorClass, message, retryAfterMs: response.retryAfterMs };
}
