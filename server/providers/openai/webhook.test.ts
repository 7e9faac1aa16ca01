import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createMockUpstream } from '#server/testing/msw/upstream.ts';

const NOW = new Date('2026-11-29T12:00:00Z');
const KEY = Buffer.from('a webhook secret of 32 characters');
const SECRET = `whsec_${KEY.toString('base64')}`;
const EVENT =
  '{"id":"evt_1","object":"event","type":"response.completed","created_at":1,"data":{"id":"resp_1"}}';

const upstream = createMockUpstream({ now: () => NOW });

function signed(text: string, { key = KEY, ageSeconds = 0 } = {}) {
  const at = Math.floor(NOW.getTime() / 1000) - ageSeconds;
  const mac = createHmac('sha256', key).update(`wh_1.${at}.${text}`).digest('base64');
  return { 'webhook-id': 'wh_1', 'webhook-timestamp': String(at), 'webhook-signature': `v1,${mac}` };
}

const read = (text: string, headers: Record<string, string>, secret: string | undefined = SECRET) =>
  upstream.readWebhook({ rawBody: Buffer.from(text), headers }, secret);

describe('deliveries of OpenAI', () => {
  it('reads a signed event', async () => {
    expect(await read(EVENT, signed(EVENT))).toEqual({
      type: 'hint',
      verified: true,
      upstreamId: 'resp_1',
      eventId: 'wh_1',
      status: 'response.completed',
    });
  });

  it.each([
    'response.failed',
    'response.cancelled',
    'response.incomplete',
    'video.completed',
    'video.failed',
  ])('names the job of %s', async (type) => {
    const text = JSON.stringify({ id: 'evt_1', type, data: { id: 'job_1' } });
    expect(await read(text, signed(text))).toMatchObject({ upstreamId: 'job_1', status: type });
  });

  it.each(['batch.completed', 'fine_tuning.job.succeeded', 'eval.run.failed', undefined])(
    'names no job for %s',
    async (type) => {
      const text = JSON.stringify({ id: 'evt_1', type, data: { id: 'job_1' } });
      expect(await read(text, signed(text))).toMatchObject({ type: 'hint', upstreamId: undefined });
    },
  );

  it.each<[string, string, Record<string, string>]>([
    ['unsigned', EVENT, {}],
    ['signed with another secret', EVENT, signed(EVENT, { key: Buffer.from('somebody else') })],
    ['written anew', JSON.stringify(JSON.parse(EVENT), null, 1), signed(EVENT)],
    ['of another id', EVENT, { ...signed(EVENT), 'webhook-id': 'wh_2' }],
    ['an hour old', EVENT, signed(EVENT, { ageSeconds: 3_600 })],
    ['of the future', EVENT, signed(EVENT, { ageSeconds: -3_600 })],
    ['with a header twice', EVENT, { ...signed(EVENT), 'webhook-id': 'wh_1, wh_1' }],
    ['signed, but no JSON', 'hello', signed('hello')],
  ])('B64: refuses one that is %s', async (_name, text, headers) => {
    expect((await read(text, headers)).type).toBe('refused');
  });

  it('B64: without a stored secret an event is an unverified hint, and never more', async () => {
    const reading = await upstream.readWebhook({ rawBody: Buffer.from(EVENT), headers: {} });
    expect(reading).toMatchObject({ type: 'hint', verified: false, upstreamId: 'resp_1', eventId: 'evt_1' });
  });
});
