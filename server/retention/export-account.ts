import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { type ExportList, readExportAccount, readExportPage } from './export-queries.ts';

const LISTS: readonly ExportList[] = [
  'ledger',
  'debts',
  'orders',
  'tasks',
  'composites',
  'outputs',
  'collections',
  'shareLinks',
  'uploads',
  'invites',
  'sessions',
  'apiTokens',
  'notifications',
  'webhookEndpoints',
  'webhookDeliveries',
  'promptTemplates',
  'parameterPresets',
];

/**
 * Everything that is stored about a person, as the text of one JSON document (an `AccountExport`), read and handed out
 * a page of rows at a time, so that an account of any size fits into memory and no connection is held meanwhile.
 *
 * @throws AppError `not_found` before the first piece
 */
export async function exportAccount(
  deps: Pick<Deps, 'db'>,
  userId: string,
): Promise<AsyncGenerator<string, void>> {
  const head = await readExportAccount(deps.db, userId);
  if (!head) throw new AppError('not_found', 'There is no such account.');
  return pieces(deps, userId, head);
}

async function* pieces(deps: Pick<Deps, 'db'>, userId: string, head: object): AsyncGenerator<string, void> {
  yield JSON.stringify(head).slice(0, -1);
  for (const list of LISTS) {
    yield `,\n"${list}":[`;
    let after: string | undefined;
    let isFirst = true;
    do {
      const page = await readExportPage(deps.db, list, { userId, after });
      const text = page.rows.map((row) => JSON.stringify(row)).join(',\n');
      if (text) yield `${isFirst ? '\n' : ',\n'}${text}`;
      isFirst = false;
      after = page.next;
    } while (after !== undefined);
    yield ']';
  }
  yield '}\n';
}
