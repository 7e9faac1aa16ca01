import { and, type SQL, sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import { contains, type Keyset, keyset, madeBetween, oneOf } from '#server/db/keyset.ts';
import { models, providerChannels } from '#server/db/schema/index.ts';
import { isUuid } from '#server/lib/ids.ts';
import type { AdminTasksInput, TaskChoices } from './schemas.ts';

/** Rows that are looked through for what no index finds, such as words of a prompt. */
const LOOKED_THROUGH = 20_000;

type Found = { id: string; sortKey: string };

function keysetOf({ sort, order, cursor }: AdminTasksInput): Keyset {
  return keyset({
    sort,
    descending: order === 'desc',
    cursor,
    columns: {
      submitted: null,
      finished: { column: sql`t.finished_at`, type: 'moment' },
      due: { column: sql`t.next_poll_at`, type: 'moment' },
    },
    id: sql`t.id`,
  });
}

/** What an index finds. */
function found(input: AdminTasksInput): SQL | undefined {
  const { who, upstreamId, sort, status } = input;
  return and(
    sort === 'finished' ? sql`t.finished_at is not null` : undefined,
    sort === 'due' ? sql`t.next_poll_at is not null` : undefined,
    status ? sql`t.status = ${status}` : undefined,
    who === '' ? undefined : ofWhom(who),
    upstreamId === ''
      ? undefined
      : sql`t.id in (select d.task_id from provider_channels c
          join dispatches d on d.channel_id = c.id and d.upstream_id = ${upstreamId})`,
    oneOf(sql`t.id`, input.ids),
    madeBetween({ id: sql`t.id`, madeAt: sql`t.submitted_at` }, input),
  );
}

const ofWhom = (who: string): SQL =>
  isUuid(who)
    ? sql`(t.id = ${who}::uuid or t.user_id = ${who}::uuid)`
    : sql`t.user_id = (select id from users where email = lower(${who}))`;

/** What has to be looked through. */
function sifted({ kind, modelId, channelId, prompt }: AdminTasksInput): SQL | undefined {
  return and(
    kind ? sql`t.kind = ${kind}` : undefined,
    modelId ? sql`t.model_id = ${modelId}` : undefined,
    channelId ? sql`t.channel_id = ${channelId}` : undefined,
    prompt === ''
      ? undefined
      : sql`exists (select 1 from generation_task_details d where d.task_id = t.id and ${contains(sql`d.prompt`, prompt)})`,
  );
}

/**
 * Ids of tasks in the order asked for, at most `limit`. Where something has to be looked through, a page looks at a
 * bounded number of rows: `lookedTo` is the last of them when there may be more behind it.
 */
export async function findTaskIds(
  db: Db,
  input: AdminTasksInput,
): Promise<{ found: Found[]; lookedTo: Found | null }> {
  const { after, orderBy, sortKey } = keysetOf(input);
  const inOrder = sql`order by ${sql.join(orderBy, sql`, `)}`;
  const looked = sql`
    select t.id, t.kind, t.model_id, t.channel_id, t.finished_at, t.next_poll_at from generation_tasks t
    where ${and(sql`true`, found(input), after)} ${inOrder}`;
  const sift = sifted(input);
  const rows = await db.execute<Found>(sql`
    select t.id, ${sortKey} as "sortKey" from (${looked} limit ${sift ? LOOKED_THROUGH : input.limit}) t
    where ${and(sql`true`, sift)} ${inOrder} limit ${input.limit}`);
  if (!sift || rows.length === input.limit) return { found: [...rows], lookedTo: null };
  const [last] = await db.execute<Found & { place: number }>(sql`
    select t.id, ${sortKey} as "sortKey", t.place from (
      select t.*, row_number() over (${inOrder})::int as place from (${looked} limit ${LOOKED_THROUGH}) t) t
    order by t.place desc limit 1`);
  const more = last !== undefined && last.place === LOOKED_THROUGH;
  return { found: [...rows], lookedTo: more ? { id: last.id, sortKey: last.sortKey } : null };
}

/** What tasks can be filtered by: every model and channel that there is. */
export async function listChoices(db: Db): Promise<TaskChoices> {
  const [found, channels] = await Promise.all([
    db
      .select({ id: models.id, name: models.title })
      .from(models)
      .orderBy(models.title, models.id)
      .limit(1_000),
    db
      .select({ id: providerChannels.id, name: providerChannels.name })
      .from(providerChannels)
      .orderBy(providerChannels.name, providerChannels.id)
      .limit(1_000),
  ]);
  return { models: found, channels };
}
