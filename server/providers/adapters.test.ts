import { describe, expect, it } from 'vitest';
import { BUILT_IN_ADAPTERS } from './adapters.ts';
import { CATALOGUE, type Protocol } from './channels/schemas.ts';

describe.each(BUILT_IN_ADAPTERS.map((adapter) => [adapter.protocol, adapter] as const))(
  'the adapter of %s',
  (protocol, adapter) => {
    const entry = CATALOGUE[protocol as Protocol];

    it('speaks what the form offers', () => {
      const kinds = Object.entries(adapter.endpoints).map(([name, { kind }]) => [name, kind]);
      expect(Object.fromEntries(kinds)).toEqual(entry.endpoints);
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

it('the adapters stand in the order of the catalogue', () => {
  const order = Object.keys(CATALOGUE);
  const places = BUILT_IN_ADAPTERS.map(({ protocol }) => order.indexOf(protocol));
  expect(places).toEqual([...places].sort((a, b) => a - b));
});
