import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { z } from 'zod';
import { asArray, asRecord, asText } from '../json.ts';
import { parseLosslessJson } from '../lossless-json.ts';
import type { WebhookContext, WebhookReading, WebhookRequest } from '../provider.ts';
import { readUpstreamId } from '../upstream-id.ts';

const JWKS_URL = 'https://rest.fal.ai/.well-known/jwks.json';
const TOLERANCE_SECONDS = 5 * 60;
/** The vendor's limit for keeping its keys. */
const KEYS_MAX_AGE_MS = 24 * 3_600_000;
/** When no kept key fits they may have changed; asked again this often at most, whoever sends us what. */
const KEYS_RETRY_MS = 5 * 60_000;
const MAX_KEYS = 20;

/** Channel settings: another address of the key set, where the vendor moves it or a sandbox plays the vendor. */
const settingsSchema = z.looseObject({ jwksUrl: z.url({ protocol: /^https?$/ }) });

type Signed = { requestId: string; message: Buffer; signature: Buffer };

/**
 * A delivery is signed with Ed25519 over request id, user id, time and the body's digest, by one of the keys that the
 * vendor publishes (vendor documentation "Webhooks"). All of the vendor's customers share these keys, so even a good
 * signature is no more than a reason to look. When the keys cannot be had, the delivery counts as unsigned.
 */
export async function readFalWebhook(request: WebhookRequest, ctx: WebhookContext): Promise<WebhookReading> {
  const signed = readSigned(request, ctx.now);
  if ('reason' in signed) return { type: 'refused', reason: signed.reason };
  const verified = await isSignedBy(signed, ctx);
  if (verified === false)
    return { type: 'refused', reason: "The signature fits none of the vendor's published keys." };

  const body = asRecord(parseLosslessJson(Buffer.from(request.rawBody).toString('utf8')));
  const upstreamId = readUpstreamId(body?.request_id);
  if (!body || upstreamId === undefined) return { type: 'refused', reason: 'The delivery names no request.' };
  return {
    type: 'hint',
    verified: verified === true,
    upstreamId,
    eventId: verified ? signed.requestId : undefined,
    clientRef: request.query.ref,
    status: asText(body.status)?.slice(0, 100),
  };
}

function readSigned({ headers, rawBody }: WebhookRequest, now: Date): Signed | { reason: string } {
  const requestId = headers['x-fal-webhook-request-id'] ?? '';
  const userId = headers['x-fal-webhook-user-id'] ?? '';
  const timestamp = headers['x-fal-webhook-timestamp'] ?? '';
  const signature = headers['x-fal-webhook-signature'] ?? '';
  // Repeated headers arrive joined by a comma: which of them was signed cannot be told.
  if (![requestId, userId].every((value) => /^[^\s,]{1,200}$/.test(value)))
    return { reason: 'The headers of the request id or of the user id are missing or not one value.' };
  if (!/^\d{1,12}$/.test(timestamp))
    return { reason: 'The time of the delivery is missing or not one number.' };
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS)
    return { reason: "The delivery's time is more than five minutes from this server's clock." };
  if (!/^[0-9a-f]{128}$/i.test(signature))
    return { reason: 'The signature is missing or not 64 bytes in hex.' };
  const digest = createHash('sha256').update(rawBody).digest('hex');
  return {
    requestId,
    message: Buffer.from([requestId, userId, timestamp, digest].join('\n')),
    signature: Buffer.from(signature, 'hex'),
  };
}

/** Undefined: the keys cannot be had. */
async function isSignedBy(signed: Signed, ctx: WebhookContext): Promise<boolean | undefined> {
  const url = settingsSchema.safeParse(ctx.settings).data?.jwksUrl ?? JWKS_URL;
  const fits = async (maxAgeMs: number) =>
    readKeys(await ctx.fetchJson(url, maxAgeMs)).some((key) =>
      verify(null, signed.message, key, signed.signature),
    );
  try {
    return (await fits(KEYS_MAX_AGE_MS)) || (await fits(KEYS_RETRY_MS));
  } catch {
    return undefined;
  }
}

function readKeys(set: unknown): KeyObject[] {
  return asArray(asRecord(set)?.keys)
    .slice(0, MAX_KEYS)
    .flatMap((item) => {
      const jwk = asRecord(item);
      if (jwk?.kty !== 'OKP' || jwk.crv !== 'Ed25519' || typeof jwk.x !== 'string') return [];
      try {
        return [createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: jwk.x }, format: 'jwk' })];
      } catch {
        return [];
      }
    });
}
