import { and, asc, desc, type SQL, sql } from 'drizzle-orm';

/** What a list can be sorted by: a column (or expression) that is never null in the rows that are listed. */
type SortColumn = { column: SQL; type: 'moment' | 'number' };

type KeysetInput<Sort extends string> = {
  sort: Sort;
  /** False: the smallest or oldest first. */
  descending: boolean;
  /** Of the last row of the page before, as {@link cursorOf} made it. */
  cursor: string | undefined;
  /** Columns by the words of `sort`; null where the id itself is the order. */
  columns: Record<Sort, SortColumn | null>;
  /** Unique, and a UUIDv7: it tells rows with equal values apart. */
  id: SQL;
};

export type Keyset = {
  /** Rows behind the cursor. */
  after: SQL | undefined;
  orderBy: SQL[];
  /** The value that a row is sorted by, for the cursor; an empty text where the id is the order. */
  sortKey: SQL<string>;
};

const CURSOR = /^(?:(-?\d{1,18})\.)?([0-9a-f-]{36})$/i;

/**
 * Pages of a sorted list by the last row seen, so that nothing is counted or skipped over. Rows with equal values follow
 * each other by id. Moments are compared to the microsecond, as the database has them. A cursor of another order shows
 * the first page.
 */
export function keyset<Sort extends string>(input: KeysetInput<Sort>): Keyset {
  const sorted = input.columns[input.sort];
  const towards = input.descending ? desc : asc;
  const beyond = input.descending ? sql`<` : sql`>`;
  const [, value, lastId] = CURSOR.exec(input.cursor ?? '') ?? [];
  if (sorted === null) {
    return {
      after: lastId ? sql`${input.id} ${beyond} ${lastId}::uuid` : undefined,
      orderBy: [towards(input.id)],
      sortKey: sql<string>`''`,
    };
  }
  const { column, type } = sorted;
  const last =
    type === 'moment'
      ? sql`timestamptz 'epoch' + ${momentOf(value)}::bigint * interval '1 microsecond'`
      : sql`${value}::bigint`;
  return {
    after:
      value !== undefined && lastId
        ? sql`(${column}, ${input.id}) ${beyond} (${last}, ${lastId}::uuid)`
        : undefined,
    orderBy: [towards(column), towards(input.id)],
    sortKey:
      type === 'moment'
        ? sql<string>`(extract(epoch from ${column}) * 1000000)::bigint::text`
        : sql<string>`(${column})::bigint::text`,
  };
}

const FIRST_MICROS = BigInt(Date.parse('0001-01-01T00:00:00Z')) * 1_000n;
const LAST_MICROS = BigInt(Date.parse('9999-01-01T00:00:00Z')) * 1_000n;

/** Within what moments of the database can be: a cursor comes from outside. */
function momentOf(micros: string | undefined): string {
  const wanted = BigInt(micros ?? 0);
  if (wanted < FIRST_MICROS) return String(FIRST_MICROS);
  return String(wanted > LAST_MICROS ? LAST_MICROS : wanted);
}

/** Only these rows, where some are named. */
export const oneOf = (id: SQL, ids: readonly string[] | undefined): SQL | undefined =>
  ids === undefined ? undefined : sql`${id} = any(${`{${ids.join(',')}}`}::uuid[])`;

/** Text that contains a search, whatever the case; wildcards are taken literally. */
export const contains = (column: SQL, search: string): SQL =>
  sql`strpos(lower(${column}), lower(${search})) > 0`;

const DAY_MS = 86_400_000;

/** Smallest UUIDv7 of a moment: ids are made in the order of time. */
function firstIdAt(ms: number): string {
  const hex = Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/**
 * Rows of these UTC days, both included, by when they were made. The ids bound what is read, a day wider: the clock that
 * made them need not be the database's.
 */
export function madeBetween(
  table: { id: SQL; madeAt: SQL },
  { from, to }: { from?: string; to?: string },
): SQL | undefined {
  const start = from === undefined ? undefined : Date.parse(`${from}T00:00:00Z`);
  const end = to === undefined ? undefined : Date.parse(`${to}T00:00:00Z`) + DAY_MS;
  return and(
    start === undefined ? undefined : sql`${table.id} >= ${firstIdAt(start - DAY_MS)}::uuid`,
    start === undefined ? undefined : sql`${table.madeAt} >= ${new Date(start).toISOString()}::timestamptz`,
    end === undefined ? undefined : sql`${table.id} < ${firstIdAt(end + DAY_MS)}::uuid`,
    end === undefined ? undefined : sql`${table.madeAt} < ${new Date(end).toISOString()}::timestamptz`,
  );
}
