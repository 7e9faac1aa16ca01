import { asText, firstText, type JsonRecord, valueAt } from '../json.ts';
import { type CodeMeaning, refusalBy, type VendorError } from '../vendor-codes.ts';

/**
 * Vendor documentation, "Error Codes". Left out on purpose: 1000, 1001, 1013, 1024 and 1033 are faults and time-outs
 * inside the vendor, after which a job may exist.
 */
const MEANINGS: Readonly<Record<string, CodeMeaning>> = {
  '1002': 'rate_limited',
  '1004': 'unauthorized',
  '1008': 'account',
  '1026': 'moderated',
  '1027': 'moderated',
  '1039': 'rate_limited',
  '1041': 'rate_limited',
  '1042': 'request',
  '2013': 'request',
  '20132': 'request',
  '2042': 'account',
  '2045': 'rate_limited',
  '2049': 'unauthorized',
  '2056': 'account',
  '2061': 'account',
};
/** The vendor calls the webhook address before it takes the job; a failed call is about us, not about the request. */
const CALLBACK_FAULT = /callback/i;

/**
 * The error of an answer: `base_resp.status_code` of the first version, or the number at the end of the second one's
 * sentence ("insufficient balance (1008)"). Undefined for success and for answers of other shapes.
 */
export function readCode(body: JsonRecord): VendorError | undefined {
  const message = firstText(body, ['base_resp.status_msg', 'error.message']) ?? '';
  const stated = asText(valueAt(body, 'base_resp.status_code'));
  const code = stated ?? /\((\d{4,5})\)\s*$/.exec(message)?.[1];
  if (code === undefined || !/^-?\d+$/.test(code) || Number(code) === 0) return undefined;
  const meaning = Object.hasOwn(MEANINGS, code) ? MEANINGS[code] : undefined;
  const isOurs = meaning === 'request' && CALLBACK_FAULT.test(message);
  return { code, message, meaning: isOurs ? 'account' : meaning };
}

/** A 4xx that the table explains. */
export const refusalOf = refusalBy(readCode);
