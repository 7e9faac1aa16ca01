import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Db, DbOrTx } from '#server/db/client.ts';
import { promptTemplates } from '#server/db/schema/index.ts';
import type { TaskKind } from '../status.ts';
import type { HouseTemplateView, TemplateLanguage } from './schemas.ts';

type HouseRow = {
  kind: TaskKind;
  /** Null: offered to readers of every language. */
  language: TemplateLanguage | null;
  name: string;
  prompt: string;
};

const VIEW = {
  id: promptTemplates.id,
  kind: promptTemplates.kind,
  language: promptTemplates.language,
  name: promptTemplates.name,
  prompt: promptTemplates.prompt,
  updatedAt: promptTemplates.updatedAt,
};

const ofHouse = (id: string) => and(eq(promptTemplates.id, id), isNull(promptTemplates.userId));

/** All templates of the house, of which there are few. */
export async function listHouseTemplates(db: Db): Promise<HouseTemplateView[]> {
  return db
    .select(VIEW)
    .from(promptTemplates)
    .where(isNull(promptTemplates.userId))
    .orderBy(promptTemplates.kind, sql`lower(${promptTemplates.name})`, promptTemplates.id);
}

/** False: there are `most` already. @throws a unique violation when the name is taken */
export async function insertHouseTemplate(
  tx: DbOrTx,
  row: HouseRow & { id: string },
  most: number,
): Promise<boolean> {
  const rows = await tx.execute(sql`
    insert into prompt_templates (id, kind, language, name, prompt)
    select ${row.id}::uuid, ${row.kind}, ${row.language}, ${row.name}, ${row.prompt}
    where (select count(*) from prompt_templates where user_id is null) < ${most}
    returning 1`);
  return rows.length === 1;
}

/** False: there is no such template of the house. @throws a unique violation when the name is taken */
export async function updateHouseTemplate(tx: DbOrTx, row: HouseRow & { id: string }): Promise<boolean> {
  const { id, ...values } = row;
  const rows = await tx
    .update(promptTemplates)
    .set({ ...values, updatedAt: sql`now()` as never })
    .where(ofHouse(id))
    .returning({ id: promptTemplates.id });
  return rows.length === 1;
}

/** What was removed; undefined: there was no such template of the house. */
export async function deleteHouseTemplate(tx: DbOrTx, id: string): Promise<HouseRow | undefined> {
  const { kind, language, name, prompt } = VIEW;
  const [row] = await tx
    .delete(promptTemplates)
    .where(ofHouse(id))
    .returning({ kind, language, name, prompt });
  return row;
}
