import { createHmac, timingSafeEqual } from 'node:crypto';

/** How far a delivery's time may be from ours, in either direction. */
const TOLERANCE_SECONDS = 5 * 60;
const PREFIX = 'whsec_';
const BASE64 = /^[A-Za-z0-9+/]{4,}={0,2}$/;

type SignedDelivery = {
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** The body exactly as it came: the signature covers its bytes. */
  rawBody: Uint8Array;
  /** Base64, with or without `whsec_`; undefined when the channel has none. */
  secret: string | undefined;
  now: Date;
};

/**
 * Verifies a delivery by the Standard Webhooks scheme, which Svix made and OpenAI and Replicate use: HMAC-SHA256 of
 * `id.timestamp.body` under the decoded secret, any of several `v1,` signatures, at most five minutes old or ahead.
 * Never throws; `id` names the delivery and stays the same when it is repeated, `reason` is for administrators.
 */
export function verifyStandardWebhook(
  delivery: SignedDelivery,
): { ok: true; id: string } | { ok: false; reason: string } {
  const { headers, rawBody, now } = delivery;
  const key = decodeSecret(delivery.secret);
  if (!key) return refuse('The channel has no usable webhook secret; store the one that starts with whsec_.');

  const id = headers['webhook-id'] ?? '';
  const timestamp = headers['webhook-timestamp'] ?? '';
  // Repeated headers arrive joined by a comma: which of them was signed cannot be told.
  if (!/^[^\s,]{1,200}$/.test(id)) return refuse('The header webhook-id is missing or not one value.');
  if (!/^\d{1,12}$/.test(timestamp))
    return refuse('The header webhook-timestamp is missing or not one number.');
  const ageSeconds = now.getTime() / 1000 - Number(timestamp);
  if (Math.abs(ageSeconds) > TOLERANCE_SECONDS)
    return refuse("The delivery's time is more than five minutes from this server's clock.");

  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody).digest();
  const isSigned = signaturesIn(headers['webhook-signature']).reduce(
    (found, signature) => timingSafeEqual(signature, expected) || found,
    false,
  );
  return isSigned ? { ok: true, id } : refuse('The signature does not fit the delivery and the secret.');
}

function refuse(reason: string): { ok: false; reason: string } {
  return { ok: false, reason };
}

function decodeSecret(secret: string | undefined): Buffer | undefined {
  const text = secret?.trim() ?? '';
  const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text;
  return BASE64.test(encoded) ? Buffer.from(encoded, 'base64') : undefined;
}

/** The 32-byte values of version 1, of a list such as `v1,abc= v1,def= v1a,…`. */
function signaturesIn(header: string | undefined): Buffer[] {
  return (header ?? '').split(' ').flatMap((entry) => {
    const [version, value = '', ...more] = entry.split(',');
    if (version !== 'v1' || more.length > 0 || !BASE64.test(value)) return [];
    const bytes = Buffer.from(value, 'base64');
    return bytes.byteLength === 32 ? [bytes] : [];
  });
}
