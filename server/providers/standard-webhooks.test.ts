import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyStandardWebhook } from './standard-webhooks.ts';

const KEY = Buffer.from('a very secret signing key of 32 b');
const SECRET = `whsec_${KEY.toString('base64')}`;
const NOW = new Date('2026-11-29T12:00:00Z');
const SENT = String(NOW.getTime() / 1000);
const BODY = '{"type":"x","data":{"id":"job_1"}}';

function sign(id: string, timestamp: string, body: string, key: Buffer = KEY): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

function delivery(
  changes: Record<string, string | undefined> = {},
  body = BODY,
  secret: string | undefined = SECRET,
) {
  const headers: Record<string, string> = {};
  const all = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': SENT,
    'webhook-signature': sign('msg_1', SENT, BODY),
    ...changes,
  };
  for (const [name, value] of Object.entries(all)) if (value !== undefined) headers[name] = value;
  return { headers, rawBody: Buffer.from(body), secret, now: NOW };
}

describe('verifyStandardWebhook', () => {
  it('agrees with the example of the published scheme', () => {
    const result = verifyStandardWebhook({
      headers: {
        'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'webhook-timestamp': '1614265330',
        'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      },
      rawBody: Buffer.from('{"test": 2432232314}'),
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      now: new Date(1_614_265_330_000),
    });
    expect(result).toEqual({ ok: true, id: 'msg_p5jXN8AQM9LWM0D4loKWxJek' });
  });

  it('takes any of several signatures, and a secret without its prefix', () => {
    const several = `v1a,abcd v1,${'A'.repeat(43)}= ${sign('msg_1', SENT, BODY)}`;
    expect(verifyStandardWebhook(delivery({ 'webhook-signature': several }))).toMatchObject({ ok: true });
    expect(verifyStandardWebhook(delivery({}, BODY, KEY.toString('base64')))).toMatchObject({ ok: true });
  });

  it.each<[string, ReturnType<typeof delivery>]>([
    [
      'signed with another key',
      delivery({ 'webhook-signature': sign('msg_1', SENT, BODY, Buffer.from('other')) }),
    ],
    ['whose body was written anew', delivery({}, JSON.stringify(JSON.parse(BODY), null, 1))],
    ['whose body was changed', delivery({}, BODY.replace('job_1', 'job_2'))],
    ['under another id', delivery({ 'webhook-id': 'msg_2' })],
    ['at another time', delivery({ 'webhook-timestamp': String(Number(SENT) + 1) })],
    ['without a signature', delivery({ 'webhook-signature': undefined })],
    ['without an id', delivery({ 'webhook-id': undefined })],
    ['without a time', delivery({ 'webhook-timestamp': undefined })],
    [
      'with two ids, even when both were signed',
      delivery({ 'webhook-id': 'a, b', 'webhook-signature': sign('a, b', SENT, BODY) }),
    ],
    ['with two times', delivery({ 'webhook-timestamp': `${SENT}, ${SENT}` })],
    ['with a time in words', delivery({ 'webhook-timestamp': '2026-11-29T12:00:00Z' })],
    [
      'of another version only',
      delivery({ 'webhook-signature': sign('msg_1', SENT, BODY).replace('v1', 'v2') }),
    ],
    ['with a cut signature', delivery({ 'webhook-signature': sign('msg_1', SENT, BODY).slice(0, 20) })],
  ])('B64: refuses a delivery %s', (_name, forged) => {
    expect(verifyStandardWebhook(forged)).toMatchObject({ ok: false });
  });

  it.each([undefined, '', 'whsec_', 'not base64!'])(
    'refuses everything without a usable secret: %s',
    (secret) => {
      const result = verifyStandardWebhook({ ...delivery(), secret });
      expect(result).toMatchObject({ ok: false, reason: expect.stringContaining('secret') });
    },
  );

  it.each([
    [-300, true],
    [300, true],
    [-301, false],
    [301, false],
    [-3_600, false],
  ])('B64: a delivery of %i seconds from now is accepted: %s', (seconds, ok) => {
    const time = String(Number(SENT) + seconds);
    const late = delivery({ 'webhook-timestamp': time, 'webhook-signature': sign('msg_1', time, BODY) });
    expect(verifyStandardWebhook(late).ok).toBe(ok);
  });

  it('B64: one flipped bit anywhere in the body is seen', () => {
    fc.assert(
      fc.property(fc.nat(BODY.length - 1), fc.nat(7), (at, bit) => {
        const rawBody = Buffer.from(BODY);
        rawBody.writeUInt8(rawBody.readUInt8(at) ^ (1 << bit), at);
        expect(verifyStandardWebhook({ ...delivery(), rawBody }).ok).toBe(false);
      }),
    );
  });

  it('never throws, whatever the headers are', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (id, time, signature, secret) => {
        const headers = {
          'webhook-id': id,
          'webhook-timestamp': time,
          'webhook-signature': `v1,${signature}`,
        };
        expect(verifyStandardWebhook({ ...delivery(), headers, secret }).ok).toBe(false);
      }),
    );
  });
});
