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
