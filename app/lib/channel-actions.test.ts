import type { AppLoadContext } from '@remix-run/node';
import { describe, expect, it, vi } from 'vitest';
import { runChannelForm } from './channel-actions.ts';

const CHANNEL = '0190a0b0-0000-4000-8000-0000000000c1';

/** Posts a form of the page to procedures that note what they are given. */
async function post(intent: string, fields: Record<string, string>, answers: Record<string, unknown> = {}) {
  const form = new FormData();
  form.set('intent', intent);
  for (const [name, value] of Object.entries({ channelId: CHANNEL, ...fields })) form.set(name, value);
  const called = vi.fn(async (name: string, _input: unknown) => answers[name]);
  const names = ['update', 'pause', 'resume', 'replaceKey', 'revealKey', 'test'];
  const channels = Object.fromEntries(names.map((name) => [name, (input: unknown) => called(name, input)]));
  const context = { trpc: { channels } } as unknown as AppLoadContext;
  const request = new Request('http://site.invalid/admin/channels/x', { method: 'POST' });
  return { answer: await runChannelForm({ request, form, context }), called };
}

describe('limits', () => {
  it('become milliseconds, and empty fields become none', async () => {
    const { answer, called } = await post('channel-limits', {
      maxInFlight: '7',
      requestsPerMinute: '',
      pollFirstSeconds: '0.5',
      pollCapSeconds: '20',
      deadlineSeconds: '',
      resultWindowSeconds: '3600',
    });
    expect(answer).toEqual({ done: 'channel-limits' });
    expect(called).toHaveBeenCalledWith('update', {
      channelId: CHANNEL,
      maxInFlight: 7,
      requestsPerMinute: null,
      pollPace: { firstMs: 500, capMs: 20_000 },
      deadlineSeconds: null,
      resultWindowSeconds: 3_600,
    });
  });

  it('without waits take the pace away', async () => {
    const { called } = await post('channel-limits', { maxInFlight: '7', requestsPerMinute: '30' });
    expect(called.mock.calls[0]?.[1]).toMatchObject({ requestsPerMinute: 30, pollPace: null });
  });

  it('that are not valid reach no procedure', async () => {
    const wrong: Record<string, string>[] = [
      { maxInFlight: '0' },
      { maxInFlight: '7', requestsPerMinute: '1.5' },
      { maxInFlight: '7', pollFirstSeconds: '5' },
    ];
    for (const fields of wrong) {
      const { answer, called } = await post('channel-limits', fields);
      expect(answer).toMatchObject({ init: { status: 400 } });
      expect(called).not.toHaveBeenCalled();
    }
  });
});

describe('secrets', () => {
  it('a revealed key is answered once and kept by no cache', async () => {
    const { answer, called } = await post(
      'reveal-key',
      { reason: 'Moving to another vault' },
      { revealKey: { apiKey: 'sk-the-key' } },
    );
    expect(answer).toMatchObject({
      data: { done: 'reveal-key', revealed: 'sk-the-key' },
      init: { headers: { 'Cache-Control': 'no-store' } },
    });
    expect(called).toHaveBeenCalledWith('revealKey', {
      channelId: CHANNEL,
      reason: 'Moving to another vault',
    });
  });

  it('the box takes a webhook secret away, also when one was typed', async () => {
    const stored = await post('webhook-secret', { webhookSecret: ' whsec_0123456789 ' });
    expect(stored.called.mock.calls[0]?.[1]).toEqual({
      channelId: CHANNEL,
      webhookSecret: 'whsec_0123456789',
    });
    const removed = await post('webhook-secret', { webhookSecret: 'whsec_0123456789', remove: 'on' });
    expect(removed.called.mock.calls[0]?.[1]).toEqual({ channelId: CHANNEL, webhookSecret: null });
    const nothing = await post('webhook-secret', { webhookSecret: '' });
    expect(nothing.called).not.toHaveBeenCalled();
  });

  it.each([
    ['replace-key', 'apiKey', 'sk with a space'],
    ['webhook-secret', 'webhookSecret', 'whsec with a space'],
  ])('what was typed into %s does not come back with an error', async (intent, field, typed) => {
    const { answer, called } = await post(intent, { [field]: typed });
    expect(answer).toMatchObject({ init: { status: 400 } });
    expect(JSON.stringify(answer)).not.toContain('with a space');
    expect(called).not.toHaveBeenCalled();
  });
});

it('an empty key set address means the vendor’s own', async () => {
  const own = await post('key-set', { jwksUrl: '' });
  expect(own.called.mock.calls[0]?.[1]).toEqual({ channelId: CHANNEL, settings: null });
  const other = await post('key-set', { jwksUrl: 'https://keys.example/jwks.json' });
  expect(other.called.mock.calls[0]?.[1]).toMatchObject({
    settings: { jwksUrl: 'https://keys.example/jwks.json' },
  });
});

it('a form that the page does not have is refused', async () => {
  await expect(post('unknown', {})).rejects.toMatchObject({ status: 400 });
});
