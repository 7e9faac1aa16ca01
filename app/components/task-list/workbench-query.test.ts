import { describe, expect, it } from 'vitest';
import { readWorkbenchQuery, sameList, workbenchHref } from './workbench-query.ts';

const CURSOR = '0190a0b0-0000-7000-8000-000000000001';

describe('readWorkbenchQuery', () => {
  it('reads the composer and the list apart', () => {
    const params = new URLSearchParams(`make=video&model=m&kind=image&state=active&cursor=${CURSOR}`);
    expect(readWorkbenchQuery(params)).toEqual({
      make: 'video',
      model: 'm',
      kind: 'image',
      state: 'active',
      cursor: CURSOR,
      made: null,
    });
  });

  it('takes what does not parse as absent', () => {
    const query = readWorkbenchQuery(new URLSearchParams('make=agent&kind=x&state=y&cursor=1;drop'));
    expect(query).toEqual({
      make: 'image',
      model: null,
      kind: undefined,
      state: undefined,
      cursor: undefined,
      made: null,
    });
  });
});

it('changes parts of the address, keeps the others, and forgets the note of the last submit', () => {
  const current = new URLSearchParams('make=video&state=failed&made=x');
  expect(workbenchHref(current, { make: 'text', model: null })).toBe('/workbench?make=text&state=failed');
  expect(workbenchHref(new URLSearchParams(), {})).toBe('/workbench');
});

describe('sameList', () => {
  const at = (search: string) => new URL(`http://site.invalid/workbench${search}`);

  it('holds when only the composer changes', () => {
    expect(sameList(at('?make=image&kind=image'), at('?kind=image&make=video&model=m'))).toBe(true);
  });

  it.each([
    ['?make=image', '?make=image'],
    ['?kind=image', '?kind=video'],
    ['?make=image', '?make=image&made=x'],
    ['', `?cursor=${CURSOR}`],
  ])('does not hold from %s to %s', (before, after) => {
    expect(sameList(at(before), at(after))).toBe(false);
  });
});
