import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as schema from '#server/db/schema/index.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createUser } from '#server/testing/factories.ts';
import { findUsers } from './find-users.ts';
import { findUsersInput } from './schemas.ts';

/** The list of people by their balance. */

const PEOPLE = 2_000;

let t: TestDatabase;
beforeAll(async () => {
  t = await createTestDatabase();
  await t.db.execute(sql`
    insert into users (id, email, display_name, password_hash)
    select gen_random_uuid(), 'p' || n || '@example.com', 'P', 'x' from generate_series(1, ${PEOPLE}) n`);
  // Every third has never had an account; balances repeat.
  await t.db.execute(sql`
    insert into credit_accounts (user_id, balance_credits)
    select id, (substring(email from '[0-9]+')::int % 50) from users where substring(email from '[0-9]+')::int % 3 > 0`);
  await t.sql`analyze`;
});
afterAll(() => t.close());

it.each(['desc', 'asc'] as const)('is complete and in order, page by page: %s', async (order) => {
  const seen: { id: string; credits: number }[] = [];
  let cursor: string | undefined;
  do {
    const page = await findUsers(
      { db: t.db },
      findUsersInput.parse({ sort: 'balance', order, cursor, limit: 300 }),
    );
    seen.push(...page.items.map(({ userId, balanceCredits }) => ({ id: userId, credits: balanceCredits })));
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  expect(new Set(seen.map(({ id }) => id)).size).toBe(PEOPLE);
  expect(seen).toHaveLength(PEOPLE);
  const credits = seen.map((each) => each.credits);
  expect(credits).toEqual(credits.toSorted((a, b) => (order === 'desc' ? b - a : a - b)));
});

it('takes what has expired off the balance that it shows', async () => {
  const person = await createUser(t.db, { balanceCredits: 1_000 });
  await t.sql`
    insert into credit_buckets (id, user_id, kind, remaining_credits, expires_at)
    values (gen_random_uuid(), ${person.id}, 'granted', 300, now() - interval '1 day')`;
  const page = await findUsers({ db: t.db }, findUsersInput.parse({ sort: 'balance', limit: 1 }));
  expect(page.items).toMatchObject([{ userId: person.id, balanceCredits: 700 }]);
});

it('reads buckets, holds and debts of those on the page alone', async () => {
  const queries: { query: string; params: unknown[] }[] = [];
  const logged = drizzle(t.sql, {
    schema,
    logger: { logQuery: (query, params) => void queries.push({ query, params }) },
  });
  const { items } = await findUsers({ db: logged }, findUsersInput.parse({ sort: 'balance', limit: 20 }));
  expect(items).toHaveLength(20);
  const loops: number[] = [];
  for (const { query, params } of queries) {
    const [row] = await t.sql.unsafe(`explain (analyze, format json) ${query}`, params as never[]);
    for (const node of nodesOf(row?.['QUERY PLAN'])) {
      if (['credit_buckets', 'credit_holds', 'credit_debts'].includes(String(node['Relation Name']))) {
        loops.push(Number(node['Actual Loops']));
      }
    }
  }
  expect(loops.length).toBeGreaterThanOrEqual(3);
  // One more than a page is asked for, to know whether there is another.
  expect(Math.max(...loops)).toBeLessThanOrEqual(21);
});

function nodesOf(plan: unknown): Record<string, unknown>[] {
  if (Array.isArray(plan)) return plan.flatMap(nodesOf);
  if (typeof plan !== 'object' || plan === null) return [];
  const node = plan as Record<string, unknown>;
  return [...('Node Type' in node ? [node] : []), ...Object.values(node).flatMap(nodesOf)];
}
