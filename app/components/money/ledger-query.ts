import { type LedgerFilters, ledgerInput } from '#server/billing/schemas.ts';

/**
 * The address of a ledger: `kind`, `from` and `to` narrow it, `cursor` pages. Days are UTC. What does not parse counts as
 * absent, so that no link can break the page.
 */
export type LedgerQuery = LedgerFilters & { cursor?: string };

const FIELDS = ['kind', 'from', 'to', 'cursor'] as const;

export function readLedgerQuery(params: URLSearchParams): LedgerQuery {
  const field = ledgerInput.shape;
  const query: LedgerQuery = {};
  for (const name of FIELDS) {
    const value = field[name].safeParse(params.get(name) || undefined).data;
    if (value !== undefined) Object.assign(query, { [name]: value });
  }
  return query;
}

/** The filters as a query string with its `?`, or nothing; the page is left out. */
export function ledgerSearch({ kind, from, to }: LedgerFilters): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries({ kind, from, to })) if (value) params.set(name, value);
  const text = params.toString();
  return text ? `?${text}` : '';
}
