import { describe, expect, it, vi } from 'vitest';
import { collectPages } from './collect-pages.ts';

/** `total` rows, two per page. */
function listOf(total: number) {
  return vi.fn(async (cursor: string | undefined) => {
    const start = Number(cursor ?? 0);
    const items = Array.from({ length: Math.min(2, total - start) }, (_, index) => start + index);
    const next = start + items.length;
    return { items, nextCursor: next < total ? String(next) : null };
  });
}

describe('collectPages', () => {
  it('reads page after page, in order, and each once', async () => {
    const readPage = listOf(5);
    expect(await collectPages(readPage, 100)).toEqual({ rows: [0, 1, 2, 3, 4], cut: false });
    expect(readPage).toHaveBeenCalledTimes(3);
  });

  it('reads an empty list', async () => {
    expect(await collectPages(listOf(0), 100)).toEqual({ rows: [], cut: false });
  });

  it.each([3, 4])('stops at %d rows and says that there are more', async (maxRows) => {
    const readPage = listOf(5);
    const { rows, cut } = await collectPages(readPage, maxRows);
    expect(rows).toHaveLength(maxRows);
    expect(cut).toBe(true);
    expect(readPage).toHaveBeenCalledTimes(2);
  });

  it('is whole when the last page ends at the most', async () => {
    expect(await collectPages(listOf(4), 4)).toEqual({ rows: [0, 1, 2, 3], cut: false });
  });
});
