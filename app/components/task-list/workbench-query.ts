import { isUuid } from '#app/lib/read-query.ts';
import type { ListInput } from '#server/generation/schemas.ts';
import { KINDS, type Kind, LIST_STATES, TASK_KINDS } from '#server/generation/status.ts';

/**
 * The workbench's address: `make` and `model` are the composer, `kind`, `state` and `cursor` the list, `made` the task
 * that was submitted just now. What does not parse counts as absent, so that no link can break the page.
 */
export type WorkbenchQuery = {
  make: Kind;
  model: string | null;
  kind: ListInput['kind'];
  state: ListInput['state'];
  cursor: string | undefined;
  made: string | null;
};

/** Tasks of the loader's page, and of each page that the list loads below it. */
export const PAGE_SIZE = 12;
export const OLDER_PAGE_SIZE = 36;

export function readWorkbenchQuery(params: URLSearchParams): WorkbenchQuery {
  const [make, kind, state, cursor] = ['make', 'kind', 'state', 'cursor'].map((name) => params.get(name));
  return {
    make: KINDS.find((each) => each === make) ?? 'image',
    model: params.get('model'),
    kind: TASK_KINDS.find((each) => each === kind),
    state: LIST_STATES.find((each) => each === state),
    cursor: cursor && isUuid(cursor) ? cursor : undefined,
    made: params.get('made'),
  };
}

/** A link to the workbench as it is, with some parts changed; null or undefined drops a part. */
export function workbenchHref(
  current: URLSearchParams,
  changes: Partial<Record<keyof WorkbenchQuery, string | null | undefined>>,
): string {
  const next = new URLSearchParams(current);
  // The note about a new task belongs to one view of the page.
  next.delete('made');
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined) next.delete(name);
    else next.set(name, value);
  }
  const query = next.toString();
  return query ? `/workbench?${query}` : '/workbench';
}

/** Which list is shown, by its filters and where it begins; two addresses of one list give the same. */
export function listQuery({ kind, state, cursor }: WorkbenchQuery): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ kind, state, cursor })) {
    if (value !== undefined) query.set(name, value);
  }
  return query.toString();
}

const COMPOSER_PARAMS = ['make', 'model'];

/** True when two addresses show the same list, so that choosing a kind or model needs nothing from the server. */
export function sameList(before: URL, after: URL): boolean {
  if (before.pathname !== after.pathname || before.search === after.search) return false;
  const list = (url: URL) => {
    const params = new URLSearchParams(url.search);
    for (const name of COMPOSER_PARAMS) params.delete(name);
    params.sort();
    return params.toString();
  };
  return list(before) === list(after);
}
