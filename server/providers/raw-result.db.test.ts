import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRig, type Rig } from '#server/testing/rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig.close());

/** Everything that the database keeps of a task, in every table that names it. */
async function rowsOf(taskId: string): Promise<string> {
  const tables = await rig.t.sql<{ name: string; key: string }[]>`
    select table_name as name, column_name as key from information_schema.columns
    where table_schema = 'public'
      and (column_name = 'task_id' or (table_name = 'generation_tasks' and column_name = 'id'))`;
  expect(tables.map((table) => table.name)).toContain('dispatches');
  const rows = await Promise.all(
    tables.map(
      ({ name, key }) =>
        rig.t
          .sql`select to_jsonb(entry) as entry from ${rig.t.sql(name)} entry where ${rig.t.sql(key)} = ${taskId}`,
    ),
  );
  return JSON.stringify(rows);
}

/** Longer than any id, hash or signed address part; the images of the sandbox are far longer. */
const BASE64 = /[A-Za-z0-9+/_-]{200}/;

describe('B61: base64 is not kept in the database', () => {
  it('of an answer that is read: the files are in storage, the row says so', async () => {
    const taskId = await rig.submit('image', { params: { n: 2 } });
    expect(await rig.runToEnd(taskId)).toMatchObject({ status: 'succeeded', outputs: [{}, {}] });
    const rows = await rowsOf(taskId);
    expect(rows).toContain('[stored]');
    expect(rows).not.toMatch(BASE64);
  });

  it('of half an answer, kept as evidence', async () => {
    const taskId = await rig.submit('image', { prompt: 'a pier [[truncated:create]]' });
    await rig.runUntil(taskId, (view) => view.status === 'uncertain');
    const rows = await rowsOf(taskId);
    expect(rows).toContain('b64_json');
    expect(rows).toContain('[base64, ');
    expect(rows).not.toMatch(BASE64);
  });
});
