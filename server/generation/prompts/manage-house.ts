import { recordAudit } from '#server/audit/record-audit.ts';
import type { Tx } from '#server/db/client.ts';
import { isUniqueViolation } from '#server/db/errors.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import {
  deleteHouseTemplate,
  insertHouseTemplate,
  listHouseTemplates,
  updateHouseTemplate,
} from './house-queries.ts';
import { type HouseTemplateInput, type HouseTemplateView, MAX_HOUSE_TEMPLATES } from './schemas.ts';

type Needs = Pick<Deps, 'db' | 'newId'>;
type Actor = { actorId: string };

/** What the house offers everybody to start from, by kind. */
export function readHouseTemplates(deps: Pick<Deps, 'db'>): Promise<HouseTemplateView[]> {
  return listHouseTemplates(deps.db);
}

/**
 * Offers prompts to everybody, all of them or none. @throws AppError `conflict` when a name is taken, or there are too many
 */
export async function addHouseTemplates(
  deps: Needs,
  { actorId, templates }: Actor & { templates: readonly HouseTemplateInput[] },
): Promise<{ ids: string[] }> {
  return orNameTaken(() =>
    deps.db.transaction(async (tx) => {
      const ids: string[] = [];
      for (const { language = null, ...template } of templates) {
        const id = deps.newId();
        if (!(await insertHouseTemplate(tx, { ...template, language, id }, MAX_HOUSE_TEMPLATES))) {
          throw new AppError('conflict', `The house has ${MAX_HOUSE_TEMPLATES} templates. Delete one first.`);
        }
        await note(tx, { actorId, id, verb: 'create', data: { ...template, language } });
        ids.push(id);
      }
      return { ids };
    }),
  );
}

/** @throws AppError `not_found`, `conflict` when the name is taken */
export async function changeHouseTemplate(
  deps: Needs,
  input: Actor & HouseTemplateInput & { id: string },
): Promise<{ id: string }> {
  const { actorId, id, language = null, ...template } = input;
  return orNameTaken(() =>
    deps.db.transaction(async (tx) => {
      if (!(await updateHouseTemplate(tx, { ...template, language, id }))) throw noTemplate();
      await note(tx, { actorId, id, verb: 'update', data: { ...template, language } });
      return { id };
    }),
  );
}

/** Nobody is offered it any more. @throws AppError `not_found` */
export async function removeHouseTemplate(
  deps: Needs,
  { actorId, id }: Actor & { id: string },
): Promise<{ id: string }> {
  return deps.db.transaction(async (tx) => {
    const removed = await deleteHouseTemplate(tx, id);
    if (!removed) throw noTemplate();
    await note(tx, { actorId, id, verb: 'delete', data: removed });
    return { id };
  });
}

type Note = Actor & { id: string; verb: 'create' | 'update' | 'delete'; data: Record<string, unknown> };

const note = (tx: Tx, { actorId, id, verb, data }: Note) =>
  recordAudit(tx, { actorId, action: `template.${verb}`, subjectId: id, data });

async function orNameTaken<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError('conflict', 'Another template has this name. Choose another one.', {
      field: 'name',
      cause: error,
    });
  }
}

const noTemplate = () => new AppError('not_found', 'There is no such template.');
