import { asArray, asRecord, asText, firstText, valueAt } from './json.ts';
import type { UpstreamResponse } from './provider.ts';

/** A longer wait than a day is an upstream's mistake, not an instruction. */
const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1000;

const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s/i;

/**
 * `Retry-After` in milliseconds (RFC 9110, 10.2.3): seconds or an HTTP date, at most one day. Undefined when absent,
 * negative or not understood; 0 for a date that has passed.
 */
export function parseRetryAfter(value: string | null | undefined, now: Date): number | undefined {
  const text = value?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text) * 1000), MAX_RETRY_AFTER_MS);
  if (!HTTP_DATE.test(text)) return undefined;
  const at = Date.parse(/(gmt|utc)$/i.test(text) ? text : `${text} GMT`);
  if (Number.isNaN(at)) return undefined;
  return Math.min(Math.max(at - now.getTime(), 0), MAX_RETRY_AFTER_MS);
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const WAIT_SENTENCE =
  /\b(?:resets?|retry|try again) (?:in|after) ~?((?:\d{1,6}(?:\.\d{1,9})?\s?(?:ms|s|m|h)[a-z]*\s?){1,4})/i;

/**
 * The wait in milliseconds that a body asks for: `RetryInfo.retryDelay` of Google's error details ("37s"), or a sentence
 * such as "resets in ~30s" or "try again in 1m30s". At most one day.
 */
export function retryDelayIn(body: unknown): number | undefined {
  for (const detail of asArray(valueAt(body, 'error.details'))) {
    const delay = durationMs(asText(asRecord(detail)?.retryDelay));
    if (delay !== undefined) return delay;
  }
  const sentence = firstText(body, ['error.message', 'detail', 'message', 'error']);
  return durationMs(WAIT_SENTENCE.exec(sentence ?? '')?.[1]);
}

function durationMs(text: string | undefined): number | undefined {
  const parts = [...(text ?? '').matchAll(/(\d{1,6}(?:\.\d{1,9})?)\s?(ms|s|m|h)/gi)];
  if (parts.length === 0) return undefined;
  const sum = parts.reduce(
    (all, [, digits, unit]) => all + Number(digits) * (UNIT_MS[(unit ?? '').toLowerCase()] ?? 0),
    0,
  );
  return Math.min(Math.ceil(sum), MAX_RETRY_AFTER_MS);
}

/** The wait that upstream asks for before the next poll, in milliseconds. */
export function pollDelayOf(response: UpstreamResponse): number | undefined {
  const own = response.header('openai-poll-after-ms');
  if (own !== undefined && /^\d{1,8}$/.test(own)) return Number(own);
  return response.retryAfterMs;
}
