import { expect, test } from 'vitest';
import { isFiltered, libraryHref, outputHref } from './library-query.ts';
import { readLibraryCursor, readLibraryFilter } from './read-library-query.server.ts';

const ID = '0190a0b0-0000-7000-8000-000000000001';

test('filters go into the address and come back', () => {
  const filter = {
    kind: 'image',
    model: 'paint',
    from: '2026-01-31',
    to: '2026-02-01',
    favorite: true,
    collection: ID,
    madeBy: 'agent',
    text: '100% wool & more',
  } as const;
  const href = libraryHref(filter);
  expect(readLibraryFilter(new URL(href, 'http://site.invalid').searchParams)).toEqual(filter);
  expect(outputHref(ID, { ...filter, trash: true })).toBe(href.replace('/library', `/library/${ID}`));
});

test('what does not parse counts as absent, and empty fields of a form do, too', () => {
  const odd = new URLSearchParams({
    kind: 'agent',
    model: '',
    from: '31.1.2026',
    to: '',
    favorite: 'yes',
    collection: 'x',
    madeBy: 'me',
    text: '  ',
    cursor: `${ID}.x`,
  });
  expect(readLibraryFilter(odd)).toEqual({});
  expect(readLibraryCursor(odd)).toBeUndefined();
  expect(libraryHref({})).toBe('/library');
  expect([isFiltered({}), isFiltered({ trash: true }), isFiltered({ kind: 'text' })]).toEqual([
    false,
    false,
    true,
  ]);
});
