import { isListCursor } from '#server/lib/schemas.ts';
import { readText } from './read-query.ts';

type ListQuery<Sort extends string> = {
  sort: Sort;
  order: 'asc' | 'desc';
  from: string | undefined;
  to: string | undefined;
  cursor: string | undefined;
};

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** What all lists keep in their address, the order as `finished.asc`; a part that was edited into something else counts as none. */
export function readListQuery<Sort extends string>(
  requestUrl: string,
  sorts: readonly Sort[],
): ListQuery<Sort> {
  const [word, direction] = (readText(requestUrl, 'sort', 40) ?? '').split('.');
  const cursor = readText(requestUrl, 'cursor', 80);
  return {
    sort: sorts.find((sort) => sort === word) ?? (sorts[0] as Sort),
    order: direction === 'asc' ? 'asc' : 'desc',
    from: readDay(requestUrl, 'from'),
    to: readDay(requestUrl, 'to'),
    cursor: cursor && isListCursor(cursor) ? cursor : undefined,
  };
}

function readDay(requestUrl: string, param: string): string | undefined {
  const text = readText(requestUrl, param, 10) ?? '';
  return DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
}

/** Whether an address narrows its list, by a filter or a later page. */
export function isNarrowed(requestUrl: string): boolean {
  return [...new URL(requestUrl).searchParams].some(([param, value]) => param !== 'sort' && value !== '');
}
