import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createMockUpstream } from '#server/testing/msw/upstream.ts';

const NOW = new Date('2026-11-29T12:00:00Z');
const upstream = createMockUpstream({ protocol: 'replicate', now: () => NOW });
const KEY = Buffer.from('0123456789abcdef01234567');
const SECRET = `whsec_${KEY.toString('base64')}`;
const BODY =
  '{"id": "gm3qorzdhgbfurvjtvhg6dckhu", "status": "succeeded", "output": ["https://replicate.delivery/x.png"]}';
const query = { ref: 'dispatch-1', sig: 'abc' };

function deliver(body: string, options: { signedBody?: string; ageSeconds?: number; secret?: string } = {}) {
  const timestamp = String(NOW.getTime() / 1000 - (options.ageSeconds ?? 0));
  const signature = createHmac('sha256', KEY)
    .update(`msg_1.${timestamp}.${options.signedBody ?? body}`)
    .digest('base64');
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
  return upstream.readWebhook(
    { headers, rawBody: Buffer.from(body), query },
    'secret' in options ? options.secret : SECRET,
  );
}

describe('a delivery', () => {
  it('that is signed names the prediction, the delivery and our reference', async () => {
    expect(await deliver(BODY)).toEqual({
      type: 'hint',
      verified: true,
      upstreamId: 'gm3qorzdhgbfurvjtvhg6dckhu',
      eventId: 'msg_1',
      clientRef: 'dispatch-1',
      status: 'succeeded',
    });
  });

  it('is an unverified hint, without an event id, while no secret is stored', async () => {
    const reading = await deliver(BODY, { secret: undefined });
    expect(reading).toMatchObject({
      type: 'hint',
      verified: false,
      upstreamId: 'gm3qorzdhgbfurvjtvhg6dckhu',
    });
    expect(reading).toHaveProperty('eventId', undefined);
  });

  it.each<[string, Parameters<typeof deliver>]>([
    ['changed', [BODY.replace('x.png', 'evil.png'), { signedBody: BODY }]],
    ['written anew', [JSON.stringify(JSON.parse(BODY)), { signedBody: BODY }]],
    ['an hour old', [BODY, { ageSeconds: 3_600 }]],
    ['from the future', [BODY, { ageSeconds: -3_600 }]],
    ['no JSON', ['<html>']],
    ['a list', ['[]']],
    ['without an id', ['{"status":"succeeded"}']],
  ])('B64: that is %s is refused', async (_name, call) => {
    expect(await deliver(...call)).toMatchObject({ type: 'refused' });
  });

  it('B12: keeps a long numeric id digit for digit', async () => {
    expect(await deliver('{"id":9223372036854775807}')).toMatchObject({ upstreamId: '9223372036854775807' });
  });

  it('without a single header is refused, and never throws', async () => {
    expect(await upstream.readWebhook({ rawBody: Buffer.from(BODY), query }, SECRET)).toMatchObject({
      type: 'refused',
    });
  });
});
