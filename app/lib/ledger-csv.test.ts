import { expect, it, vi } from 'vitest';
import type { LedgerEntryView, LedgerPage } from '#server/billing/schemas.ts';
import { ledgerCsv, OWN_LEDGER } from './ledger-csv.ts';

const entry = (place: number): LedgerEntryView => ({
  id: `0190a0b0-0000-7000-8000-${String(place).padStart(12, '0')}`,
  at: new Date(Date.UTC(2026, 10, 29, 12, 0, 0) - place * 1_000),
  kind: 'hold',
  deltaCredits: -place,
  balanceAfterCredits: 1_000,
  taskId: null,
  orderId: null,
  reason: `Task ${place}`,
});

type Page = { cursor: string | undefined; limit: number };

/** A ledger of `total` entries, paged by the id of the last entry, as the procedure does. */
function ledgerOf(total: number) {
  const all = Array.from({ length: total }, (_, index) => entry(index + 1));
  return vi.fn(async ({ cursor, limit }: Page): Promise<LedgerPage> => {
    const start = cursor === undefined ? 0 : all.findIndex(({ id }) => id === cursor) + 1;
    const items = all.slice(start, start + limit);
    const more = start + limit < total;
    return { items, nextCursor: more ? (items.at(-1)?.id ?? null) : null };
  });
}

const linesOf = (text: string) => text.split('\r\n').slice(0, -1);

it('writes every entry once, over all pages', async () => {
  const readLedger = ledgerOf(250);
  const lines = linesOf(await ledgerCsv(OWN_LEDGER, readLedger));
  expect(lines[0]).toBe('date,kind,credits,balance after,reason,task,order');
  expect(lines[1]).toBe('2026-11-29T11:59:59.000Z,Held for a task,-1,1000,Task 1,,');
  expect(lines.slice(1).map((line) => line.split(',')[4])).toEqual(
    Array.from({ length: 250 }, (_, index) => `Task ${index + 1}`),
  );
  expect(readLedger).toHaveBeenCalledTimes(3);
  expect(readLedger.mock.lastCall?.[0]).toMatchObject({ limit: 100 });
});

it('stops at its limit and says so in the last row', async () => {
  const lines = linesOf(await ledgerCsv(OWN_LEDGER, ledgerOf(300), 120));
  expect(lines).toHaveLength(1 + 120 + 1);
  expect(lines.at(-1)).toBe(
    ',,,,Only the newest 120 entries are in this file. Narrow the days for the others.,,',
  );
});

it('says nothing of a limit that exactly fits', async () => {
  const lines = linesOf(await ledgerCsv(OWN_LEDGER, ledgerOf(120), 120));
  expect(lines).toHaveLength(1 + 120);
  expect(lines.at(-1)).toContain('Task 120');
});

it('leaves a reason that looks like a formula as text', async () => {
  const readLedger = async () => ({ items: [{ ...entry(1), reason: '=1+1' }], nextCursor: null });
  expect(linesOf(await ledgerCsv(OWN_LEDGER, readLedger))[1]).toContain(",'=1+1,");
});
