import { expect, it } from 'vitest';
import { makeTask } from '#app/testing/task-fixtures.ts';
import { startFeed, withNewestPage, withNextPage } from './feed-state.ts';

const idOf = (number: number) => `0190a0b0-0000-7000-8000-${String(number).padStart(12, '0')}`;
const task = (number: number, version = 1) => makeTask({ id: idOf(number), version });
const page = (numbers: number[], nextCursor: number | null) => ({
  items: numbers.map((number) => task(number)),
  nextCursor: nextCursor === null ? null : idOf(nextCursor),
});
const numbersOf = ({ items }: { items: readonly { id: string }[] }) =>
  items.map(({ id }) => Number(id.slice(-4)));

it('grows downwards and ends where the server says', () => {
  const feed = withNextPage(startFeed(page([9, 8, 7], 7)), page([6, 5], null));
  expect(numbersOf(feed)).toEqual([9, 8, 7, 6, 5]);
  expect(feed.nextCursor).toBeNull();
});

it('puts new tasks on top and keeps what has left the newest page, and where the end is', () => {
  const grown = withNextPage(startFeed(page([9, 8, 7], 7)), page([6, 5, 4], 4));
  const feed = withNewestPage(grown, page([11, 10, 9], 9));
  expect(numbersOf(feed)).toEqual([11, 10, 9, 8, 7, 6, 5, 4]);
  expect(feed.nextCursor).toBe(idOf(4));
});

it('never turns a task back to an older state', () => {
  const newer = task(9, 5);
  const feed = withNewestPage({ items: [newer], nextCursor: null, hasNewer: false }, page([9], null));
  expect(feed.items[0]).toBe(newer);
});

it('keeps what is read when the newest page no longer meets it, and says that there is more', () => {
  const feed = withNewestPage(startFeed(page([9, 8, 7], 7)), page([40, 39, 38], 38));
  expect(numbersOf(feed)).toEqual([9, 8, 7]);
  expect(feed.hasNewer).toBe(true);
});

it('takes the first tasks of an empty list', () => {
  const feed = withNewestPage(startFeed(page([], null)), page([2, 1], 1));
  expect(numbersOf(feed)).toEqual([2, 1]);
  expect(feed.nextCursor).toBe(idOf(1));
});
