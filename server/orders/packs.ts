import { recordAudit } from '#server/audit/record-audit.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { toAdminPackView, toPackView } from './order-views.ts';
import { insertPack, listPacks, lockPack, updatePack } from './pack-queries.ts';
import type { AdminPackView, SavePackInput, ShopView } from './schemas.ts';

/** What can be bought here; closed without a payment provider. */
export async function readShop(deps: Pick<Deps, 'db' | 'payments'>): Promise<ShopView> {
  const packs = deps.payments ? await listPacks(deps.db, { enabledOnly: true }) : [];
  return {
    open: deps.payments !== undefined,
    test: deps.payments?.test ?? false,
    packs: packs.map(toPackView),
  };
}

/** All packs, those that are not sold any more included. */
export async function readPacks(deps: Pick<Deps, 'db'>): Promise<AdminPackView[]> {
  return (await listPacks(deps.db, { enabledOnly: false })).map(toAdminPackView);
}

/**
 * Adds a pack, once per key, or changes one. Orders keep what they were made with.
 *
 * @throws AppError `not_found`
 */
export async function savePack(
  deps: Pick<Deps, 'db' | 'newId'>,
  input: SavePackInput & { actorId: string },
): Promise<{ packId: string }> {
  const { actorId, packId: known, key, ...values } = input;
  const packId = known ?? key ?? deps.newId();
  await deps.db.transaction(async (tx) => {
    if (known) {
      if (!(await lockPack(tx, known))) throw new AppError('not_found', 'There is no such pack.');
      await updatePack(tx, known, values);
    } else if (!(await insertPack(tx, { ...values, id: packId }))) {
      return;
    }
    await recordAudit(tx, {
      actorId,
      action: known ? 'pack.update' : 'pack.create',
      subjectId: packId,
      data: values,
    });
  });
  return { packId };
}
