import { errorClassOfStatus } from './classify-error.ts';
import { asArray, asRecord, asText, firstText, type JsonRecord, valueAt } from './json.ts';
import type { CreateOutcome, PollOutcome, UpstreamResponse } from './provider.ts';
import { retryDelayIn } from './retry-after.ts';
import { readUpstreamId } from './upstream-id.ts';

/** An explicit "no" of an upstream. */
export type ErrorEnvelope = { code: string; type: string; message: string };

/**
 * Codes of gateways that lost the vendor half way: the vendor may hold a job. A number such as 500 in a
 * body is the vendor's own fault told by a gateway, and proves as little as the status would.
 */
const AMBIGUOUS_CODE =
  /^(do_request_failed|empty_response_body|(read|unmarshal|close|copy)_response_body_failed|close_request_body_failed|insert_(\w+_)?task_failed|bad_response(_body|_status_code)?|408|5\d\d|.*time_?out.*)$/i;
/** The vendor's or a gateway's own fault, told as an error like any other: work may have been started before it. */
const FAULT =
  /^((internal|server|backend|upstream|gateway|api|unknown)(_?server)?_?(error|fault|failure|exception)|internal|unknown|unavailable|service_?unavailable|bad_?gateway|overloaded(_error)?|aborted|data_?loss|deadline_?exceeded)$/i;
/** A status of 4xx says that the sender of the request is meant, whoever passed it on. */
const FAULT_BEHIND_4XX = /^(internal|server|backend)_?(server_?)?error$/i;
/** Codes that only say that something went wrong; then the sentence beside them counts. */
const SAYS_NOTHING = /^(\d+|fail(ed|ure)?|error|exception)$/i;
const BROKEN_OFF =
  /\btime[ds]?[- ]?out\b|deadline exceeded|connection (was )?(reset|closed|refused)|unexpected EOF|超时/i;
/** A gateway that looked for a channel before it asked any vendor; a later look follows a try that may have worked. */
const NO_CHANNEL_TYPE = /^(new|one)_api_error$/i;
const NO_CHANNEL_MESSAGE = /no available channel|无可用渠道|可用渠道不存在/i;
const AFTER_A_TRY = /retry|重试/i;
/** 4xx answers that do not say whether the request was carried out. */
export const UNDECIDED_STATUSES: ReadonlySet<number> = new Set([408, 409, 424, 425, 499]);
const QUOTA_CODE =
  /insufficient_(user_)?quota|quota_not_enough|quota_exceeded|billing_|pre_consume.*quota|insufficient_balance|arrears/i;
const QUOTA_MESSAGE =
  /insufficient (credits?|balance|funds|quota)|not have enough (credits?|balance)|exhausted balance/i;
const MODERATION_CODE =
  /moderation|content_?policy|content_?filter|safety|sensitive|nsfw|responsible_?ai|data_?inspection_?failed|risk_?detection/i;
const MODERATION_MESSAGE =
  /content policy|safety system|content management policy|moderat(ion|ed)|sensitive (content|information)|risk control|inappropriate content|usage guidelines|responsible ai|nsfw|flagged (as|by)|banned (prompt|word)|敏感/i;
/** Refusals that say nothing about the request: this account, or its offer, does not take it. */
const ACCOUNT_CODE =
  /invalid_api_key|unauthorized|permission|forbidden|account|get_channel_failed|no_available_channel|model_not_(found|exist|supported|available)|model_price_error|invalid_model|unsupported_country/i;
const RATE_CODE = /rate_?limit|too_many_requests|throttl|^resource_exhausted/i;
const MISSING_CODE =
  /(task|video|response|job)_(not|no)_(exist|found)|^not_found$|no_such_(task|video|response|job)/i;

/** The error object of OpenAI and of the gateways that imitate it. Undefined when the body states no error. */
export function readErrorEnvelope(body: unknown): ErrorEnvelope | undefined {
  const record = asRecord(body);
  if (!record) return undefined;
  const error = asArray(record.error)[0] ?? record.error;
  const inner = asRecord(error);
  if (inner && Object.keys(inner).length > 0) {
    return {
      code: codeOf(inner),
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

/** Google puts the HTTP status into `code` and its own word (`RESOURCE_EXHAUSTED`) into `status`. */
function codeOf(error: JsonRecord): string {
  const code = asText(error.code) ?? '';
  const status = asText(error.status);
  return status !== undefined && (code === '' || /^[45]\d\d$/.test(code)) ? status : code;
}

/** Gateways write their code where others write a sentence: `{code: 4, description: "quota_not_enough "}`. */
function withNamedCode(envelope: ErrorEnvelope): ErrorEnvelope {
  const message = envelope.message.trim();
  return /^\d*$/.test(envelope.code) && /^[a-z]+(_[a-z]+)+$/.test(message)
    ? { ...envelope, code: message }
    : envelope;
}

/** What a 4xx may look like beyond the envelope: any JSON that says something in words. */
function readRefusal(body: unknown): ErrorEnvelope | undefined {
  const envelope = readErrorEnvelope(body);
  if (envelope) return withNamedCode(envelope);
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
  const code =
    firstText(body, ['code', 'error_code', 'error_type', 'detail.code', 'detail.status', 'detail.0.type']) ??
    '';
  return message === undefined
    ? undefined
    : withNamedCode({ code, type: firstText(body, ['type']) ?? '', message });
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

function isQuota(envelope: ErrorEnvelope): boolean {
  return QUOTA_CODE.test(`${envelope.code} ${envelope.type}`) || QUOTA_MESSAGE.test(envelope.message);
}

/** A create that upstream answered with an explicit error. */
export function rejectedBy(said: ErrorEnvelope, response: UpstreamResponse, raw: unknown): CreateOutcome {
  const envelope = withNamedCode(said);
  if (provesNothing(envelope, response)) {
    const reason = envelope.code || envelope.type || 'fault';
    return { type: 'uncertain', evidence: { ...summary(response), reason, body: raw } };
  }
  // A gateway that always answers 200 puts the status it means into the code.
  const status = /^4\d\d$/.test(envelope.code) ? Number(envelope.code) : response.status;
  const message = envelope.message || `The upstream refused the request (HTTP ${status}).`;
  if (isQuota(envelope) || status === 402) {
    return { type: 'rejected', code: 'quota', scope: 'account', message, raw };
  }
  if (status === 429 || RATE_CODE.test(`${envelope.code} ${envelope.type}`)) {
    return { type: 'rate_limited', retryAfterMs: response.retryAfterMs ?? retryDelayIn(raw), message };
  }
  if (isModerated(envelope))
    return { type: 'rejected', code: envelope.code || 'moderated', message, moderated: true, raw };
  const isKey = status === 401 || status === 403;
  const isAccount = isKey || ACCOUNT_CODE.test(envelope.code);
  const fallback = isKey ? 'unauthorized' : `http_${status}`;
  return {
    type: 'rejected',
    code: envelope.code || envelope.type || fallback,
    scope: isAccount ? 'account' : 'request',
    message,
    raw,
  };
}

/** An error that is no "no": a fault, or a vendor that was lost half way. Only an answer of 2xx is judged by its words. */
function provesNothing({ code, type, message }: ErrorEnvelope, { status }: UpstreamResponse): boolean {
  if (AMBIGUOUS_CODE.test(code) || FAULT.test(code)) return true;
  if (code !== '' && !SAYS_NOTHING.test(code)) return false;
  if (status >= 400) return FAULT_BEHIND_4XX.test(type);
  return FAULT.test(type) || BROKEN_OFF.test(message);
}

/**
 * Whether an answer names a job, under the names that nothing else has (an `id` may be the error's). An answer that
 * refuses and names a job says two things at once.
 */
export function namesTask(body: unknown): boolean {
  return ['task_id', 'taskId', 'data.task_id', 'data.taskId', 'output.task_id'].some(
    (path) => readUpstreamId(valueAt(body, path)) !== undefined,
  );
}

/** Classifies a create that was not answered with 2xx. */
export async function refusedCreate(response: UpstreamResponse): Promise<CreateOutcome> {
  const body = await response.json();
  const { status } = response;
  const isClientError = status >= 400 && status < 500;
  const envelope = isClientError ? readRefusal(body) : undefined;
  if (status === 429) {
    if (envelope && (isQuota(envelope) || AMBIGUOUS_CODE.test(envelope.code))) {
      return rejectedBy(envelope, response, body);
    }
    return {
      type: 'rate_limited',
      retryAfterMs: response.retryAfterMs ?? retryDelayIn(body),
      message: envelope?.message ?? 'Too many requests.',
    };
  }
  if (envelope && !UNDECIDED_STATUSES.has(status)) return rejectedBy(envelope, response, body);
  if (status === 503 && hasNoChannel(body)) {
    const message = 'The gateway has no channel for this model.';
    return { type: 'rejected', code: 'no_available_channel', scope: 'account', message, raw: body };
  }
  return uncertainAnswer(response, `http_${status}`);
}

/** New API and One API refuse a model that none of their channels offers with 503, before anything is sent on. */
function hasNoChannel(body: unknown): boolean {
  const envelope = readErrorEnvelope(body);
  if (!envelope || !NO_CHANNEL_TYPE.test(envelope.type) || AFTER_A_TRY.test(envelope.message)) return false;
  return envelope.code === 'model_not_found' || NO_CHANNEL_MESSAGE.test(envelope.message);
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

/** Classifies a poll by its HTTP status alone; undefined for an answer whose body decides. */
export async function pollOutcomeOfStatus(response: UpstreamResponse): Promise<PollOutcome | undefined> {
  const { status } = response;
  if (status >= 200 && status < 300) return undefined;
  const body = await response.json();
  const envelope = readRefusal(body);
  const retryAfterMs = response.retryAfterMs ?? retryDelayIn(body);
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
