import { describe, expect, it } from 'vitest';
import { BUILT_IN_ADAPTERS } from '../adapters.ts';
import type { CallContext, ProviderAdapter, UpstreamRequest } from '../provider.ts';
import { MODEL_TEMPLATES } from './model-templates.ts';
import { baseUrl, CATALOGUE, PROTOCOLS } from './schemas.ts';

/** Where an adapter's requests would go from this base URL; nothing is sent. */
async function addressesOf(adapter: ProviderAdapter, base: string): Promise<string[]> {
  const asked: UpstreamRequest[] = [];
  const ctx: CallContext = {
    baseUrl: base,
    apiKey: 'access:secret',
    settings: undefined,
    webhookUrl: undefined,
    now: () => new Date('2026-11-29T12:00:00Z'),
    clientRef: '018f0000-0000-7000-8000-000000000000',
    async request(request) {
      asked.push(request);
      return {
        type: 'failure',
        sent: false,
        phase: 'dns',
        errorClass: 'network',
        message: 'Nobody is there.',
      };
    },
    keep: async () => ({ type: 'stored', storageKey: 'nothing' }),
  };
  await adapter.check(ctx);
  for (const [endpoint, { kind }] of Object.entries(adapter.endpoints)) {
    const template = MODEL_TEMPLATES.find(
      (each) => each.protocol === adapter.protocol && each.endpoint === endpoint,
    );
    const model = template?.upstreamModel ?? 'some-model';
    await adapter.create({ kind, endpoint, model, prompt: 'A harbour', params: {}, references: [] }, ctx);
  }
  return asked.map(({ url }) => (/^https?:/.test(url) ? url : `${base}${url}`));
}

function adapterOf(protocol: string): ProviderAdapter {
  const adapter = BUILT_IN_ADAPTERS.find((each) => each.protocol === protocol);
  if (!adapter) throw new Error(`There is no adapter for ${protocol}`);
  return adapter;
}

const isVersion = (segment: string) => /^v\d+([a-z]+\d*)?$/.test(segment);
const versionsIn = (address: string) => new URL(address).pathname.split('/').filter(isVersion);

const VERSIONED = PROTOCOLS.filter((name) => name !== 'custom').map((protocol) => {
  const standard = CATALOGUE[protocol].baseUrl || 'https://gateway.example/v1';
  return { protocol, standard, hasVersion: versionsIn(standard).length > 0 };
});

describe.each(VERSIONED)('the base URL of $protocol', ({ protocol, standard }) => {
  const adapter = adapterOf(protocol);
  const host = new URL(standard).origin;

  it('is offered in the form in which it is stored', () => {
    expect(baseUrl.parse(standard)).toBe(standard);
  });

  it('works with and without a slash at its end, and the version is never doubled', async () => {
    const addresses = await addressesOf(adapter, standard);
    expect(addresses.length).toBeGreaterThan(Object.keys(adapter.endpoints).length / 2);
    expect(await addressesOf(adapter, baseUrl.parse(`${standard}/`))).toEqual(addresses);
    for (const address of addresses) {
      expect(address.startsWith(`${host}/`), address).toBe(true);
      expect(new URL(address).pathname).not.toContain('//');
      expect(new Set(versionsIn(address)).size, address).toBe(versionsIn(address).length);
    }
  });
});

describe.each(VERSIONED.filter(({ hasVersion }) => hasVersion))(
  'the base URL of $protocol',
  ({ protocol, standard }) => {
    it('works without its version too', async () => {
      const adapter = adapterOf(protocol);
      const bare = standard.replace(/\/v\d+[a-z]*\d*$/, '');
      expect(bare).not.toBe(standard);
      expect(await addressesOf(adapter, bare)).toEqual(await addressesOf(adapter, standard));
    });
  },
);
