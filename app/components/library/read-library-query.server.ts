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

const dropAbsent = (filter: LibraryFilter): LibraryFilter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
