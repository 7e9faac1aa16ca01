import type { LibraryFilter } from '#server/library/schemas.ts';

/** The filters as a query, `?kind=image`; an empty text for none. */
export function libraryQuery(filter: LibraryFilter): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) {
    if (value !== undefined && value !== false) params.set(name, value === true ? '1' : String(value));
  }
  const query = params.toString();
  return query ? `?${query}` : '';
}

/** The library with these filters. */
export const libraryHref = (filter: LibraryFilter): string => `/library${libraryQuery(filter)}`;

/** The page of a file, in the list that it is looked at in. */
export const outputHref = (id: string, filter: LibraryFilter): string =>
  `/library/${id}${libraryQuery({ ...filter, trash: undefined })}`;

export const isFiltered = ({ trash: _trash, ...filter }: LibraryFilter): boolean =>
  Object.values(filter).some((value) => value !== undefined && value !== false);
