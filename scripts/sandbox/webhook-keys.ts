import {
  createHash,
  createHmac,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';

/** Keys of one signer, and the two ways in which vendors sign their messages. */
export type WebhookKeys = {
  /** Standard Webhooks: `whsec_` and base64. */
  secret: string;
  privateKey: KeyObject;
  /** The public half, as a JWKS lists it. */
  publicJwk: JsonWebKey;
};

type Message = { id: string; timestamp: number; body: string };

const SECRET_PREFIX = 'whsec_';

export function createWebhookKeys(): WebhookKeys {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const kid = randomBytes(8).toString('hex');
  return {
    secret: `${SECRET_PREFIX}${randomBytes(24).toString('base64')}`,
    privateKey,
    publicJwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'EdDSA' },
  };
}

/** Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`. `timestamp` in seconds. */
export function signStandard(keys: WebhookKeys, { id, timestamp, body }: Message): Record<string, string> {
  const key = Buffer.from(keys.secret.slice(SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  };
}

/** fal: Ed25519 over request id, user id, timestamp (seconds) and the body's SHA-256 in hex, one a line. */
export function signFal(
  keys: WebhookKeys,
  { id, timestamp, body }: Message,
  userId: string,
): Record<string, string> {
  const digest = createHash('sha256').update(body).digest('hex');
  const text = [id, userId, String(timestamp), digest].join('\n');
  return {
    'x-fal-webhook-request-id': id,
    'x-fal-webhook-user-id': userId,
    'x-fal-webhook-timestamp': String(timestamp),
    'x-fal-webhook-signature': sign(null, Buffer.from(text), keys.privateKey).toString('hex'),
  };
}
