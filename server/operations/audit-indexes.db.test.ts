import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as schema from '#server/db/schema/index.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createUser } from '#server/testing/factories.ts';
import { listAuditEntries } from './audit-queries.ts';
import { auditLogInput } from './schemas.ts';

/** A log of 200,000 entries by three administrators, of which one did little. */

const ROWS = 200_000;
const FROM_MS = Date.parse('2026-01-01T00:00:00Z');

let t: TestDatabase;
let rare: { id: string; email: string };

beforeAll(async () => {
  t = await createTestDatabase();
  const [busy, other] = [await createUser(t.db), await createUser(t.db)];
  rare = await createUser(t.db, { email: 'rarely-here@example.com' });
  await t.db.execute(sql`
    insert into audit_log (id, at, actor_id, action, subject, subject_id)
    select (lpad(to_hex(${FROM_MS}::bigint + n::bigint * 60000), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid,
      to_timestamp((${FROM_MS}::bigint + n::bigint * 60000) / 1000.0),
      case when n % 40000 = 0 then ${rare.id}::uuid when n % 2 = 0 then ${busy.id}::uuid else ${other.id}::uuid end,
      case when n % 50000 = 0 then 'pack.update' else 'task.cancel' end,
      case when n % 50000 = 0 then 'pack' else 'task' end,
      'subject-' || (n % 20000)
    from generate_series(1, ${ROWS}) n`);
  await t.sql`analyze audit_log`;
  await t.sql`analyze users`;
});
afterAll(() => t.close());

type Node = Record<string, unknown>;

function nodesOf(plan: unknown): Node[] {
  if (Array.isArray(plan)) return plan.flatMap(nodesOf);
  if (typeof plan !== 'object' || plan === null) return [];
  const node = plan as Node;
  return [...('Node Type' in node ? [node] : []), ...Object.values(node).flatMap(nodesOf)];
}

/** The plans of every statement of one page, as they were really run. */
async function pageUnder(filters: object) {
  const queries: { query: string; params: unknown[] }[] = [];
  const logged = drizzle(t.sql, {
    schema,
    logger: { logQuery: (query, params) => void queries.push({ query, params }) },
  });
  const rows = await listAuditEntries(logged, { ...auditLogInput.parse(filters), limit: 51 });
  const plans: Node[][] = [];
  for (const { query, params } of queries) {
    const [row] = await t.sql.unsafe(`explain (analyze, format json) ${query}`, params as never[]);
    plans.push(nodesOf(row?.['QUERY PLAN']));
  }
  return { rows, nodes: plans.flat() };
}

const read = ({ nodes }: { nodes: Node[] }) =>
  nodes
    .filter((node) => node['Relation Name'] === 'audit_log')
    .reduce(
      (sum, node) =>
        sum +
        (Number(node['Actual Rows']) + Number(node['Rows Removed by Filter'] ?? 0)) *
          Number(node['Actual Loops']),
      0,
    );

it.each([
  ['the person by id', () => ({ actor: rare.id }), 'audit_log_actor_idx', 5],
  ['a part of an address', () => ({ actor: 'RARELY-here' }), 'audit_log_actor_idx', 5],
  ['an action', () => ({ action: 'pack.update' }), 'audit_log_action_idx', 4],
  ['a subject', () => ({ action: 'pack' }), 'audit_log_subject_kind_idx', 4],
  ['what it was about', () => ({ subjectId: 'subject-7' }), 'audit_log_subject_id_idx', 10],
])('by %s it reads its own entries by an index', async (_name, filters, index, count) => {
  const page = await pageUnder(filters());
  expect(page.rows).toHaveLength(count);
  expect(page.nodes.map((node) => node['Index Name'])).toContain(index);
  // As many again for the three steps that find out who is meant.
  expect(read(page)).toBeLessThanOrEqual(count + 10);
});

it.each([
  ['everything', {}],
  ['the oldest of a frequent action', { action: 'task.cancel', sort: 'oldest' }],
  ['a day', { from: '2026-03-01', to: '2026-03-01' }],
])('of %s it reads about a page', async (_name, filters) => {
  const page = await pageUnder(filters);
  expect(page.rows).toHaveLength(51);
  const scans = page.nodes.filter((node) => node['Relation Name'] === 'audit_log');
  expect(scans.map((node) => node['Node Type'])).not.toContain('Seq Scan');
  // The days are bounded a day wider by their ids.
  expect(read(page)).toBeLessThanOrEqual(1_600);
});

it('finds nobody for an address that did nothing', async () => {
  await createUser(t.db, { email: 'idle@example.com' });
  expect((await pageUnder({ actor: 'idle@example.com' })).rows).toEqual([]);
});
