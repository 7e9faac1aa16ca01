import { afterAll, beforeAll, expect, it } from 'vitest';
import { CHECK_NAMES } from '#server/billing/audit-queries.ts';
import { newId } from '#server/lib/ids.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createUser } from '#server/testing/factories.ts';
import { SERVICE_TOKEN, startTestApp, type TestApp } from './test-app.ts';

let t: TestDatabase;
let app: TestApp;
beforeAll(async () => {
  t = await createTestDatabase();
  app = await startTestApp(t);
});
afterAll(async () => {
  await app.close();
  await t.close();
});

async function scrape(): Promise<string> {
  const headers = { authorization: `Bearer ${SERVICE_TOKEN}` };
  return (await fetch(`${app.url}/metrics`, { headers })).text();
}

it('shows what the background audit found by check, 0 included, and how old that is, and nobody', async () => {
  const user = await createUser(t.db);
  await t.sql`update credit_accounts set balance_credits = balance_credits + 1 where user_id = ${user.id}`;
  let text = await scrape();
  expect(text).not.toMatch(/^sidelane_ledger_audit_age_seconds /m);
  // The first scrape has started it; this ends with its result, or never.
  while (!/^sidelane_ledger_audit_age_seconds /m.test(text)) text = await scrape();
  expect(text).toContain('sidelane_ledger_mismatches{check="Σ ledger = balance"} 1');
  expect(text).toContain('sidelane_ledger_mismatches{check="refunds and holds agree"} 0');
  expect(text.match(/^sidelane_ledger_mismatches\{/gm)).toHaveLength(CHECK_NAMES.length);
  expect(text).not.toContain(user.id);
});

it('shows payment refunds by status, open debts and payments that wait for a person', async () => {
  const { id: userId } = await createUser(t.db);
  await t.sql`insert into credit_debts (id, user_id, key, amount_credits, remaining_credits, reason, settled_at) values
    (${newId()}, ${userId}, 'a', 9, 4, 'Test', null), (${newId()}, ${userId}, 'b', 9, 0, 'Test', now())`;
  await t.sql`insert into payment_events (id, provider, event_id, type, outcome, resolved_at) values
    (${newId()}, 'sandbox', '1', 'paid', 'mismatch', null), (${newId()}, 'sandbox', '2', 'paid', 'mismatch', now()),
    (${newId()}, 'sandbox', '3', 'paid', 'applied', null)`;
  const text = await scrape();
  for (const line of [
    'sidelane_payment_refunds{status="pending"} 0',
    'sidelane_payment_refunds{status="manual"} 0',
    'sidelane_open_debts 1',
    'sidelane_open_debt_credits 4',
    'sidelane_payment_mismatches 1',
  ]) {
    expect(text).toContain(line);
  }
});
