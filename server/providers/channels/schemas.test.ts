import { describe, expect, it } from 'vitest';
import { BUILT_IN_ADAPTERS } from '../adapters.ts';
import {
  apiKey,
  auditReason,
  baseUrl,
  CATALOGUE,
  createChannelInput,
  PROTOCOLS,
  updateChannelInput,
} from './schemas.ts';

describe('baseUrl', () => {
  it.each([
    ['https://api.openai.com/v1', 'https://api.openai.com/v1'],
    [' https://api.openai.com/v1/ \n', 'https://api.openai.com/v1'],
    ['https://API.openai.com', 'https://api.openai.com'],
    ['http://127.0.0.1:4010///', 'http://127.0.0.1:4010'],
  ])('takes %j as %j', (text, expected) => {
    expect(baseUrl.parse(text)).toBe(expected);
  });

  it.each([
    '',
    'api.openai.com',
    '//api.openai.com',
    'ftp://x.example',
    'javascript:alert(1)',
    'https://user:pass@x.example',
    'https://x.example/?key=1',
    'https://x.example/v1?',
    'https://x.example/#',
    `https://x.example/${'a'.repeat(600)}`,
  ])('B62: refuses %j with a sentence', (text) => {
    const result = baseUrl.safeParse(text);
    expect(result.success).toBe(false);
    expect(result.error?.issues[0]?.message).toMatch(/\.$/);
  });
});

describe('apiKey', () => {
  it('B32: drops the line end of a copied key', () => {
    expect(apiKey.parse('  sk-abc123\r\n')).toBe('sk-abc123');
  });
  it.each(['', '   ', 'sk abc', 'sk-\u00e9', 'sk-\u0000x', 'a\nb', 'x'.repeat(501)])('refuses %j', (text) => {
    expect(apiKey.safeParse(text).success).toBe(false);
  });
});

it('the catalogue that forms offer is what the adapters speak', () => {
  const spoken = BUILT_IN_ADAPTERS.map(({ protocol, endpoints, readWebhook }) => ({
    protocol,
    endpoints: Object.fromEntries(Object.entries(endpoints).map(([name, { kind }]) => [name, kind])),
    hasWebhooks: readWebhook !== undefined,
  }));
  const offered = PROTOCOLS.map((protocol) => ({
    protocol,
    endpoints: CATALOGUE[protocol].endpoints,
    hasWebhooks: CATALOGUE[protocol].webhooks !== 'none',
  }));
  expect(spoken.toSorted((a, b) => (a.protocol < b.protocol ? -1 : 1))).toEqual(
    offered.toSorted((a, b) => (a.protocol < b.protocol ? -1 : 1)),
  );
});

it('a channel needs name, address and key', () => {
  const result = createChannelInput.safeParse({ name: ' ', baseUrl: 'x', apiKey: '' });
  expect(result.error?.issues.map((issue) => issue.path[0])).toEqual(['name', 'baseUrl', 'apiKey']);
});

describe('limits of a channel', () => {
  const channelId = '018f0000-0000-7000-8000-000000000000';
  it.each<[object, RegExp]>([
    [{ requestsPerMinute: 0 }, /At least 1 request/],
    [{ requestsPerMinute: 1.5 }, /whole number/],
    [{ deadlineSeconds: 5 }, /at least 30 seconds/],
    [{ resultWindowSeconds: 3_000_000 }, /at most 30 days/],
    [{ pollPace: { firstMs: 5_000, capMs: 1_000 } }, /must not be shorter/],
    [{ webhookSecret: 'whsec_ abc def' }, /without spaces/],
    [{ webhookSecret: 'short' }, /Copy it whole/],
  ])('refuses %o in words', (change, message) => {
    const result = updateChannelInput.safeParse({ channelId, ...change });
    expect(result.error?.issues.map((issue) => issue.message).join(' ')).toMatch(message);
  });

  it('null takes a limit away, and what is not named stays', () => {
    const change = { channelId, requestsPerMinute: null, pollPace: null, webhookSecret: null };
    expect(updateChannelInput.parse(change)).toEqual(change);
  });

  it.each(['', '  ', 'ab', 'x'.repeat(501)])('a reason says something: %j does not', (reason) => {
    expect(auditReason.safeParse(reason).success).toBe(false);
  });
});
