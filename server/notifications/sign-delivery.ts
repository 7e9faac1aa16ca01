import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/** A secret to sign with: 32 random bytes in base64, as the Standard Webhooks specification writes it. */
export const newWebhookSecret = (): string => `${PREFIX}${randomBytes(32).toString('base64')}`;

/**
 * The headers of a delivery by the Standard Webhooks scheme: HMAC-SHA256 of `id.timestamp.body` under each of the
 * decoded secrets. `sentAt` is the moment of this try; receivers refuse what is older than five minutes.
 */
export function signDelivery(input: {
  id: string;
  body: string;
  secrets: readonly string[];
  sentAt: Date;
}): Record<string, string> {
  const timestamp = String(Math.floor(input.sentAt.getTime() / 1000));
  const signatures = input.secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    const mac = createHmac('sha256', key).update(`${input.id}.${timestamp}.${input.body}`);
    return `v1,${mac.digest('base64')}`;
  });
  return {
    'content-type': 'application/json',
    'webhook-id': input.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
