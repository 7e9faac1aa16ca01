import { and, eq, isNull, or, sql } from 'drizzle-orm';
import type { Db } from '#server/db/client.ts';
import {
  generationTasks,
  outputs,
  parameterPresets,
  promptTemplates,
  uploads,
} from '#server/db/schema/index.ts';
import { uuidArray } from '#server/lib/leases.ts';
import type { Kind, TaskKind } from '../status.ts';

/** So many of a person's latest tasks of a kind are looked at: the cost is the same whatever the account has made. */
const LOOKED_AT = 1_000;
const SHOWN = 40;

type HistoryRow = { taskId: string; prompt: string; at: Date; times: number };

/** The latest distinct prompts of a person and kind, newest first; `search` is plain text. */
export async function listPrompts(
  db: Db,
  input: { userId: string; kind: TaskKind; search: string; without: string },
): Promise<HistoryRow[]> {
  const rows = await db.execute<{ id: string; prompt: string; at: string | Date; times: number }>(sql`
    with recent as materialized (
      select t.id, t.submitted_at, d.prompt
      from generation_tasks t join generation_task_details d on d.task_id = t.id
      where t.user_id = ${input.userId} and t.kind = ${input.kind} and t.parent_id is null
      order by t.id desc limit ${LOOKED_AT}),
    alike as (
      select distinct on (prompt) id, submitted_at, prompt, count(*) over (partition by prompt)::int as times
      from recent
      where prompt <> '' and strpos(lower(prompt), lower(${input.search})) > 0
        and not starts_with(prompt, ${input.without})
      order by prompt, id desc)
    select id, submitted_at as at, prompt, times from alike order by id desc limit ${SHOWN}`);
  return rows.map(({ id, prompt, at, times }) => ({ taskId: id, prompt, at: new Date(at), times }));
}

const TEMPLATE = {
  id: promptTemplates.id,
  name: promptTemplates.name,
  prompt: promptTemplates.prompt,
  language: promptTemplates.language,
};

/** A person's own templates of a kind and the house's. */
export async function listTemplates(db: Db, input: { userId: string; kind: TaskKind }) {
  return db
    .select({ ...TEMPLATE, isOwn: sql<boolean>`${promptTemplates.userId} is not null` })
    .from(promptTemplates)
    .where(
      and(
        eq(promptTemplates.kind, input.kind),
        or(eq(promptTemplates.userId, input.userId), isNull(promptTemplates.userId)),
      ),
    )
    .orderBy(sql`lower(${promptTemplates.name})`);
}

/** Saves a template under its name: of the same name there is one. Undefined: the person has `most` others already. */
export async function upsertTemplate(
  db: Db,
  row: { id: string; userId: string; kind: TaskKind; name: string; prompt: string },
  most: number,
): Promise<string | undefined> {
  const [saved] = await db.execute<{ id: string }>(sql`
    insert into prompt_templates (id, user_id, kind, name, prompt)
    select ${row.id}, ${row.userId}, ${row.kind}, ${row.name}, ${row.prompt}
    where (select count(*) from prompt_templates
      where user_id = ${row.userId} and not (kind = ${row.kind} and lower(name) = lower(${row.name}))) < ${most}
    on conflict (user_id, kind, lower(name))
      do update set name = excluded.name, prompt = excluded.prompt, updated_at = now()
    returning id`);
  return saved?.id;
}

/** False: there is no such template of this person. @throws a unique violation when the name is taken */
export async function renameTemplate(
  db: Db,
  input: { userId: string; id: string; name: string },
): Promise<boolean> {
  const rows = await db
    .update(promptTemplates)
    .set({ name: input.name, updatedAt: sql`now()` as never })
    .where(and(eq(promptTemplates.id, input.id), eq(promptTemplates.userId, input.userId)))
    .returning({ id: promptTemplates.id });
  return rows.length === 1;
}

export async function deleteTemplate(db: Db, input: { userId: string; id: string }): Promise<void> {
  await db
    .delete(promptTemplates)
    .where(and(eq(promptTemplates.id, input.id), eq(promptTemplates.userId, input.userId)));
}

export async function listPresets(db: Db, input: { userId: string; model: string }) {
  return db
    .select({ id: parameterPresets.id, name: parameterPresets.name, params: parameterPresets.params })
    .from(parameterPresets)
    .where(and(eq(parameterPresets.userId, input.userId), eq(parameterPresets.modelSlug, input.model)))
    .orderBy(sql`lower(${parameterPresets.name})`);
}

/** Saves a preset under its name: of the same name there is one per model. Undefined: the model has `most` others already. */
export async function upsertPreset(
  db: Db,
  row: { id: string; userId: string; model: string; name: string; params: Record<string, unknown> },
  most: number,
): Promise<string | undefined> {
  const [saved] = await db.execute<{ id: string }>(sql`
    insert into parameter_presets (id, user_id, model_slug, name, params)
    select ${row.id}, ${row.userId}, ${row.model}, ${row.name}, ${JSON.stringify(row.params)}::jsonb
    where (select count(*) from parameter_presets
      where user_id = ${row.userId} and model_slug = ${row.model} and lower(name) <> lower(${row.name})) < ${most}
    on conflict (user_id, model_slug, lower(name)) do update set name = excluded.name, params = excluded.params
    returning id`);
  return saved?.id;
}

export async function deletePreset(db: Db, input: { userId: string; id: string }): Promise<void> {
  await db
    .delete(parameterPresets)
    .where(and(eq(parameterPresets.id, input.id), eq(parameterPresets.userId, input.userId)));
}

/** A user's uploads among `ids`, without those that are going. */
export async function listUploads(db: Db, userId: string, ids: readonly string[]) {
  if (ids.length === 0) return [];
  return db
    .select({ id: uploads.id, fileName: uploads.fileName, mime: uploads.mime, bytes: uploads.bytes })
    .from(uploads)
    .where(
      and(
        eq(uploads.userId, userId),
        sql`${uploads.id} = any(${uuidArray(ids)})`,
        sql`${uploads.usedAt} is distinct from 'epoch'::timestamptz`,
      ),
    );
}

type OutputRow = {
  id: string;
  ordinal: number;
  kind: Kind;
  mime: string;
  bytes: number;
  previewKey: string | null;
};

/** A person's output whose file is there and not thrown away. */
export async function findOutput(
  db: Db,
  input: { userId: string; outputId: string },
): Promise<OutputRow | undefined> {
  const [row] = await db
    .select({
      id: outputs.id,
      ordinal: outputs.ordinal,
      kind: outputs.kind,
      mime: outputs.mime,
      bytes: outputs.bytes,
      previewKey: outputs.previewKey,
    })
    .from(outputs)
    .innerJoin(generationTasks, eq(generationTasks.id, outputs.taskId))
    .where(
      and(
        eq(outputs.id, input.outputId),
        eq(generationTasks.userId, input.userId),
        isNull(outputs.removedAt),
        isNull(outputs.trashedAt),
      ),
    );
  return row;
}
