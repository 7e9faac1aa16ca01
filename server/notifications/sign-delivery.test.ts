import { expect, it } from 'vitest';
import { verifyStandardWebhook } from '#server/providers/standard-webhooks.ts';
import { nextTryInMs } from './delivery-schedule.ts';
import { MOST_ATTEMPTS } from './schemas.ts';
import { newWebhookSecret, signDelivery } from './sign-delivery.ts';

it('signs as the published scheme does', () => {
  expect(
    signDelivery({
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      body: '{"test": 2432232314}',
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      sentAt: new Date(1_614_265_330_999),
    }),
  ).toMatchObject({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

it('is believed under each secret of a rotation, and under no other', () => {
  const [now, before, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
  const sentAt = new Date();
  const body = '{"type":"task.succeeded","prompt":"ü"}';
  const headers = signDelivery({ id: 'one', body, secrets: [now, before], sentAt });
  const read = (secret: string) =>
    verifyStandardWebhook({ headers, rawBody: Buffer.from(body), secret, now: sentAt }).ok;
  expect([read(now), read(before), read(other)]).toEqual([true, true, false]);
  expect(Buffer.from(now.slice('whsec_'.length), 'base64')).toHaveLength(32);
});

it('waits longer and longer, over about three days, and never sooner than it was asked to', () => {
  const delays = (random: number) =>
    Array.from({ length: MOST_ATTEMPTS }, (_, n) => nextTryInMs({ attempts: n + 1, random: () => random }));
  const plain = delays(0.5);
  expect(plain[0]).toBe(10_000);
  expect(plain.at(-2)).toBe(12 * 3_600_000);
  expect(plain.at(-1)).toBeNull();
  const hours = plain.reduce<number>((sum, ms) => sum + (ms ?? 0), 0) / 3_600_000;
  expect(hours).toBeGreaterThan(60);
  expect(hours).toBeLessThan(80);
  for (const [n, ms] of plain.slice(0, -1).entries()) {
    expect(delays(0)[n]).toBeLessThan(ms ?? 0);
    expect(delays(0.999)[n]).toBeGreaterThan(ms ?? 0);
  }
  const asked = (retryAfterMs: number) => nextTryInMs({ attempts: 1, retryAfterMs, random: () => 0.5 });
  expect([asked(90_000), asked(1), asked(1e12)]).toEqual([90_000, 10_000, 12 * 3_600_000]);
});
