import { isUniqueViolation } from '#server/db/errors.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import type { TaskKind } from '../status.ts';
import { deleteTemplate, listTemplates, renameTemplate, upsertTemplate } from './prompt-queries.ts';
import { MAX_TEMPLATES, type TemplateLanguage, type TemplatesView, type TemplateView } from './schemas.ts';

/** Templates of a kind: a person's own, and those that the house has for readers of this language. */
export async function readTemplates(
  deps: Pick<Deps, 'db'>,
  { language, ...input }: { userId: string; kind: TaskKind; language?: TemplateLanguage },
): Promise<TemplatesView> {
  const rows = await listTemplates(deps.db, input);
  const viewOf = ({ id, name, prompt }: TemplateView) => ({ id, name, prompt });
  const ofHouse = rows.filter(({ isOwn }) => !isOwn);
  const isFor = (row: { language: TemplateLanguage | null }) =>
    !language || !row.language || row.language === language;
  return {
    own: rows.filter(({ isOwn }) => isOwn).map(viewOf),
    house: ofHouse.length > 0 ? ofHouse.filter(isFor).map(viewOf) : null,
  };
}

/** Keeps a prompt under a name; the name's earlier prompt is replaced. @throws AppError `conflict` past the most templates */
export async function saveTemplate(
  deps: Pick<Deps, 'db' | 'newId'>,
  input: { userId: string; kind: TaskKind; name: string; prompt: string },
): Promise<{ id: string }> {
  const id = await upsertTemplate(deps.db, { ...input, id: deps.newId() }, MAX_TEMPLATES);
  if (!id) throw new AppError('conflict', `You have ${MAX_TEMPLATES} templates. Delete one first.`);
  return { id };
}

/** @throws AppError `not_found`, `conflict` when another template of the kind has the name */
export async function renameOwnTemplate(
  deps: Pick<Deps, 'db'>,
  input: { userId: string; id: string; name: string },
): Promise<void> {
  try {
    if (!(await renameTemplate(deps.db, input)))
      throw new AppError('not_found', 'There is no such template.');
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError('conflict', 'Another template has this name. Choose another one.', {
      field: 'name',
      cause: error,
    });
  }
}

/** Nothing happens when it is not there, or not theirs. */
export function removeTemplate(deps: Pick<Deps, 'db'>, input: { userId: string; id: string }): Promise<void> {
  return deleteTemplate(deps.db, input);
}
