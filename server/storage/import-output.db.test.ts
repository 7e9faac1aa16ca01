import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outputs, uploads } from '#server/db/schema/index.ts';
import { restoreOutputs, trashOutputs } from '#server/library/mark-outputs.ts';
import { runRetentionBatch } from '#server/retention/run-retention-batch.ts';
import { createUser } from '#server/testing/factories.ts';
import { createRig, type Rig } from '#server/testing/rig.ts';
import { importOutput } from './import-output.ts';
import { markUploadsUsed } from './queries.ts';

let rig: Rig;
let outputId: string;

beforeAll(async () => {
  rig = await createRig();
  outputId = await newOutput();
});
afterAll(() => rig.close());

async function newOutput(): Promise<string> {
  const task = await rig.runToEnd(await rig.submit('image'));
  return task.outputs[0]?.id ?? '';
}

const take = (id = outputId, userId = rig.user.id) => importOutput(rig.deps, { userId, outputId: id });
const copiesOf = (id: string) => rig.db.select().from(uploads).where(eq(uploads.sourceOutputId, id));
const filesOfUser = async () => {
  const rows = await rig.db.select().from(uploads).where(eq(uploads.userId, rig.user.id));
  return Promise.all(rows.map(({ storageKey }) => rig.deps.storage.stat(storageKey)));
};

describe('importOutput', () => {
  it('copies a result once, whoever asks and however often', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => take()));
    expect(new Set([...ids, await take()]).size).toBe(1);
    const [copy] = await copiesOf(outputId);
    const [output] = await rig.db.select().from(outputs).where(eq(outputs.id, outputId));
    expect(copy).toMatchObject({
      id: ids[0],
      mime: 'image/png',
      fileName: 'result-1.png',
      bytes: output?.bytes,
      sha256: output?.sha256,
      usedAt: null,
    });
    expect(await filesOfUser()).toEqual([{ bytes: output?.bytes }]);
    // Those that came second have left no file behind.
    expect(await readdir(path.join(rig.storageDir, 'uploads', rig.user.id))).toHaveLength(1);
  });

  it('gives nobody a foreign result, nor one that was removed', async () => {
    const stranger = await createUser(rig.db);
    await expect(take(outputId, stranger.id)).rejects.toMatchObject({ code: 'not_found' });
    const removed = await newOutput();
    await rig.db.update(outputs).set({ removedAt: new Date() }).where(eq(outputs.id, removed));
    await expect(take(removed)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('takes nothing that was thrown away, also where there is a copy, until it is taken back', async () => {
    const [fresh, copied] = [await newOutput(), await newOutput()];
    const copy = await take(copied);
    const both = { userId: rig.user.id, outputIds: [fresh, copied] };
    await trashOutputs(rig.deps, both);
    for (const id of both.outputIds) await expect(take(id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(rig.submit('image', { references: [copied] })).rejects.toMatchObject({
      code: 'bad_request',
    });
    await restoreOutputs(rig.deps, both);
    expect(await take(copied)).toBe(copy);
    expect(await take(fresh)).not.toBe(copy);
  });

  it('refuses what no upload may be', async () => {
    const deps = { ...rig.deps, config: { ...rig.deps.config, maxUploadBytes: 10 } };
    const id = await newOutput();
    await expect(importOutput(deps, { userId: rig.user.id, outputId: id })).rejects.toMatchObject({
      code: 'payload_too_large',
    });
    expect(await copiesOf(id)).toEqual([]);
  });

  it('a copy whose file is on its way out gets a new one, and no turn of retention removes that', async () => {
    const id = await newOutput();
    const uploadId = await take(id);
    await rig.t.sql`update uploads set used_at = 'epoch' where id = ${uploadId}`;
    expect(await take(id)).toBe(uploadId);
    await runRetentionBatch(rig.deps, { limit: 100, workerId: null });
    const [copy] = await copiesOf(id);
    expect(copy?.usedAt).toBeNull();
    expect(await rig.deps.storage.stat(copy?.storageKey ?? '')).toBeDefined();
  });

  it('a copy goes when nobody has used it for a day, or when its result is removed and no task reads it', async () => {
    const [unused, used] = [await newOutput(), await newOutput()];
    await take(unused);
    await rig.db.transaction(async (tx) => markUploadsUsed(tx, [await take(used)]));
    await rig.t
      .sql`update uploads set created_at = now() - interval '2 days' where source_output_id = ${unused}`;
    await runRetentionBatch(rig.deps, { limit: 100, workerId: null });
    expect([await copiesOf(unused), await copiesOf(used)]).toMatchObject([[], [{}]]);
    await rig.db.update(outputs).set({ removedAt: new Date() }).where(eq(outputs.id, used));
    await runRetentionBatch(rig.deps, { limit: 100, workerId: null });
    expect(await copiesOf(used)).toEqual([]);
  });
});
