import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Answer, createMockUpstream } from '#server/testing/msw/upstream.ts';
import { falAdapter } from './adapter.ts';

const NOW = new Date('2026-11-29T12:00:00Z');
const JWKS = 'https://vendor.example/.well-known/jwks.json';
const ID = '024ca5b1-45d3-4afd-883e-ad3abe2a1c4d';
const BODY = `{"request_id": "${ID}", "gateway_request_id": "${ID}", "status": "OK", "payload": {}}`;
const vendor = generateKeyPairSync('ed25519');
const stranger = generateKeyPairSync('ed25519');
const jwk = { ...vendor.publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig', alg: 'EdDSA' };

/** Every test has its own key set address, because key sets are kept. */
let sets = 0;
const upstream = createMockUpstream({ protocol: 'fal', now: () => NOW });

type Options = {
  signedBody?: string;
  ageSeconds?: number;
  key?: typeof vendor.privateKey;
  requestId?: string;
  headers?: Record<string, string | undefined>;
};

function signed(body: string, options: Options = {}) {
  const { requestId = ID } = options;
  const time = String(NOW.getTime() / 1000 - (options.ageSeconds ?? 0));
  const digest = createHash('sha256')
    .update(options.signedBody ?? body)
    .digest('hex');
  const message = Buffer.from([requestId, 'user-1', time, digest].join('\n'));
  const all = {
    'x-fal-webhook-request-id': requestId,
    'x-fal-webhook-user-id': 'user-1',
    'x-fal-webhook-timestamp': time,
    'x-fal-webhook-signature': sign(null, message, options.key ?? vendor.privateKey).toString('hex'),
    ...options.headers,
  };
  const headers = Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  return { headers, rawBody: Buffer.from(body), query: { ref: 'dispatch-1', sig: 'abc' } };
}

function channel(...answers: Answer[]) {
  sets += 1;
  const jwksUrl = `${JWKS}?set=${sets}`;
  upstream.reply(
    'get',
    JWKS,
    ...(answers.length > 0 ? answers : [{ json: { keys: [{ kty: 'RSA' }, jwk] } }]),
  );
  const read = (request: ReturnType<typeof signed>) =>
    upstream.runtime.readWebhook(
      { protocol: 'fal', settings: { jwksUrl }, webhookSecret: undefined },
      request,
    );
  return { read };
}

const deliver = (body: string, options?: Options) => channel().read(signed(body, options));

describe('a delivery', () => {
  it('that is signed names the request, the delivery and our reference', async () => {
    expect(await deliver(BODY)).toEqual({
      type: 'hint',
      verified: true,
      upstreamId: ID,
      eventId: ID,
      clientRef: 'dispatch-1',
      status: 'OK',
    });
  });

  it.each<[string, Parameters<typeof deliver>]>([
    ['signed by a stranger', [BODY, { key: stranger.privateKey }]],
    ['changed', [BODY.replace('OK', 'ERROR'), { signedBody: BODY }]],
    ['written anew', [JSON.stringify(JSON.parse(BODY)), { signedBody: BODY }]],
    ['an hour old', [BODY, { ageSeconds: 3_600 }]],
    ['from the future', [BODY, { ageSeconds: -3_600 }]],
    ['under another request id', [BODY, { headers: { 'x-fal-webhook-request-id': 'other' } }]],
    ['under another user id', [BODY, { headers: { 'x-fal-webhook-user-id': 'other' } }]],
    ['unsigned', [BODY, { headers: { 'x-fal-webhook-signature': undefined } }]],
    ['signed with a cut signature', [BODY, { headers: { 'x-fal-webhook-signature': 'abcd' } }]],
    ['with two request ids, even when both were signed', [BODY, { requestId: `${ID}, other` }]],
    ['without a time', [BODY, { headers: { 'x-fal-webhook-timestamp': undefined } }]],
    ['no JSON', ['<html>']],
    ['without a request', ['{"status":"OK"}']],
  ])('B64: that is %s is refused', async (_name, call) => {
    expect(await deliver(...call)).toMatchObject({ type: 'refused' });
  });
});

describe("the vendor's keys", () => {
  it('are read once for many deliveries, without our key', async () => {
    const { read } = channel();
    for (let turn = 0; turn < 3; turn += 1) await read(signed(BODY));
    expect(upstream.seen).toHaveLength(1);
    expect(upstream.seen[0]?.headers.get('authorization')).toBeNull();
  });

  it('are not read again for every forged delivery', async () => {
    const { read } = channel();
    for (let turn = 0; turn < 5; turn += 1) await read(signed(BODY, { key: stranger.privateKey }));
    expect(upstream.seen).toHaveLength(1);
  });

  it.each<[string, Answer]>([
    ['cannot be had', { status: 503, text: 'x' }],
    ['are not a key set', { json: 'none' }],
  ])('when they %s, no delivery is believed', async (_name, answer) => {
    const reading = await channel(answer).read(signed(BODY));
    expect(reading).not.toMatchObject({ verified: true });
  });

  it('that cannot be had leave an unverified hint, and are asked for again', async () => {
    const { read } = channel({ status: 503, text: 'x' }, { json: { keys: [jwk] } });
    expect(await read(signed(BODY))).toMatchObject({ type: 'hint', verified: false, upstreamId: ID });
    expect(await read(signed(BODY))).toMatchObject({ type: 'hint', verified: true });
  });

  it('are read anew, but not every time, when a signature fits none of the kept ones', async () => {
    const old = stranger.publicKey.export({ format: 'jwk' });
    const ages: number[] = [];
    const fetchJson = async (_url: string, maxAgeMs: number) => {
      ages.push(maxAgeMs);
      return { keys: [maxAgeMs > 3_600_000 ? old : jwk] };
    };
    const context = { secret: undefined, settings: undefined, now: NOW, fetchJson };
    expect(await falAdapter.readWebhook?.(signed(BODY), context)).toMatchObject({ verified: true });
    expect(ages).toEqual([86_400_000, 300_000]);
  });
});
