import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { auditLedger } from '#server/billing/audit.ts';
import { postEntry } from '#server/billing/ledger.ts';
import { newId } from '#server/lib/ids.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { migrateDatabase, migrationsFolder } from './migrate.ts';

/** A database that has worked since before there were buckets, and a release of that time that goes on beside ours. */

let t: TestDatabase;
let older: string;
beforeEach(async () => {
  t = await createTestDatabase({ migrated: false, max: 4 });
  older = mkdtempSync(path.join(os.tmpdir(), 'sidelane-older-'));
  cpSync(migrationsFolder(), older, { recursive: true });
  const file = path.join(older, 'meta', '_journal.json');
  const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: { tag: string }[] };
  journal.entries = journal.entries.filter((entry) => entry.tag < '0004');
  writeFileSync(file, JSON.stringify(journal));
  await migrateDatabase({ url: t.url, folder: older });
});
afterEach(async () => {
  rmSync(older, { recursive: true, force: true });
  await t.close();
});

/** A movement as the older release writes it. */
async function move(userId: string, kind: string, delta: number): Promise<void> {
  await t.sql.begin(async (tx) => {
    const [account] = await tx`
      update credit_accounts set balance_credits = balance_credits + ${delta} where user_id = ${userId}
      returning balance_credits`;
    await tx`
      insert into credit_ledger (id, user_id, kind, delta_credits, balance_after_credits, key, actor, reason)
      values (${newId()}, ${userId}, ${kind}, ${delta}, ${account?.balance_credits}, ${newId()}, 'cli', 'Older release')`;
  });
}

async function person(): Promise<string> {
  const id = newId();
  await t.sql`insert into users (id, email, display_name, password_hash)
    values (${id}, ${`user-${id}@example.com`}, 'Test User', '!')`;
  await t.sql`insert into credit_accounts (user_id) values (${id})`;
  return id;
}

it('gives every account with a history its bucket, and takes what an older release still writes', async () => {
  const [rich, spent, empty] = [await person(), await person(), await person()];
  await move(rich, 'grant', 100);
  await move(rich, 'adjustment', -30);
  await move(spent, 'grant', 5);
  await move(spent, 'adjustment', -5);
  await migrateDatabase({ url: t.url });
  expect(await auditLedger(t.db)).toEqual([]);
  const held = async (userId: string) =>
    (await t.sql`select remaining_credits from credit_buckets where user_id = ${userId} order by id`).map(
      (row) => Number(row.remaining_credits),
    );
  expect([await held(rich), await held(spent), await held(empty)]).toEqual([[70], [0], []]);

  // Old processes are still at work while the new ones start.
  await move(rich, 'adjustment', -20);
  await move(empty, 'grant', 7);
  expect(await auditLedger(t.db)).toEqual([]);
  for (const userId of [rich, empty]) {
    const entry = {
      userId,
      kind: 'adjustment' as const,
      deltaCredits: -1,
      key: newId(),
      actor: 'cli',
      reason: 'Test',
    };
    await t.db.transaction((tx) => postEntry(tx, entry));
  }
  expect([await held(rich), await held(empty)]).toEqual([[49], [6]]);
  expect(await auditLedger(t.db)).toEqual([]);
});
