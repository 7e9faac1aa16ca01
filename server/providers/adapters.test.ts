import { describe, expect, it } from 'vitest';
import { ALL_PROFILES } from '#server/testing/conformance/all-profiles.ts';
import { createMemoryStore } from '#server/testing/msw/memory-store.ts';
import { collectingLogger } from '#server/testing/msw/upstream.ts';
import { BUILT_IN_ADAPTERS } from './adapters.ts';
import { CATALOGUE, type Protocol } from './channels/schemas.ts';
import { createProviderRuntime } from './registry.ts';

describe.each(BUILT_IN_ADAPTERS.map((adapter) => [adapter.protocol, adapter] as const))(
  'the adapter of %s',
  (protocol, adapter) => {
    const entry = CATALOGUE[protocol as Protocol];

    it('speaks what the form offers', () => {
      const kinds = Object.entries(adapter.endpoints).map(([name, { kind }]) => [name, kind]);
      expect(Object.fromEntries(kinds)).toEqual(entry.endpoints);
    });

    it('is given conversations only where it makes text', () => {
      for (const { kind, conversations } of Object.values(adapter.endpoints))
        if (conversations) expect(kind).toBe('text');
    });

    it('reads deliveries exactly where the vendor sends them', () => {
      expect(adapter.readWebhook !== undefined).toBe(entry.webhooks !== 'none');
    });

    it('can do what it says it can', () => {
      expect(adapter.lookup !== undefined).toBe(adapter.canLookup);
      const cancels = Object.values(adapter.endpoints).some(({ cancellable }) => cancellable);
      expect(adapter.cancel !== undefined).toBe(cancels);
    });
  },
);

it.each(ALL_PROFILES.map((profile) => [profile.name, profile] as const))(
  '%s gives upstream the address of a dispatch exactly when a report may end its doubt',
  async (_name, profile) => {
    const webhookUrl = 'https://lane.example/webhooks/c?ref=r&sig=s';
    const sent: string[] = [];
    const runtime = createProviderRuntime({
      storage: createMemoryStore(),
      logger: collectingLogger([]),
      async fetch(input, init) {
        sent.push(`${decodeURIComponent(String(input))} ${String(init?.body ?? '')}`);
        return new Response('{}', { headers: { 'content-type': 'application/json' } });
      },
    });
    const { protocol, endpoint, apiKey, settings, kind, model, params = {} } = profile;
    await runtime.create(
      { protocol, baseUrl: `https://upstream.example${profile.basePath}`, apiKey, settings },
      { kind, endpoint, model, prompt: 'a cat', params, references: [] },
      { dispatchId: 'd', timeoutMs: 10_000, signal: new AbortController().signal, webhookUrl },
    );
    await runtime.close();
    expect(sent).toHaveLength(1);
    // A described protocol may take the address; whether it does is up to its template.
    if (protocol !== 'custom')
      expect(sent[0]?.includes(webhookUrl)).toBe(runtime.mayReport(protocol, endpoint));
  },
);

it('the adapters stand in the order of the catalogue', () => {
  const order = Object.keys(CATALOGUE);
  const places = BUILT_IN_ADAPTERS.map(({ protocol }) => order.indexOf(protocol));
  expect(places).toEqual([...places].sort((a, b) => a - b));
});
