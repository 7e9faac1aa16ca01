import { type LibraryFilter, libraryCursor, libraryFilter } from '#server/library/schemas.ts';

const field = libraryFilter.shape;

/** The filters of the library's address. What does not parse counts as absent, so that no link can break the page. */
export function readLibraryFilter(params: URLSearchParams): LibraryFilter {
  const text = (name: string) => params.get(name)?.trim() || undefined;
  const isOn = (name: string) => (params.get(name) === '1' ? true : undefined);
  return dropAbsent({
    kind: field.kind.safeParse(text('kind')).data,
    model: field.model.safeParse(text('model')).data,
    from: field.from.safeParse(text('from')).data,
    to: field.to.safeParse(text('to')).data,
    favorite: isOn('favorite'),
    collection: field.collection.safeParse(text('collection')).data,
    madeBy: field.madeBy.safeParse(text('madeBy')).data,
    text: field.text.safeParse(text('text')).data,
    trash: isOn('trash'),
  });
}

export function readLibraryCursor(params: URLSearchParams): string | undefined {
  return libraryCursor.safeParse(params.get('cursor') ?? undefined).data;
}

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

const dropAbsent = (filter: LibraryFilter): LibraryFilter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
