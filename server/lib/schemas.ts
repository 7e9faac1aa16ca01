import { z } from 'zod';

/** What lists of the back office have in common. Isomorphic: imports zod only. */

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const CURSOR = new RegExp(`^(?:-?\\d{1,18}\\.)?${UUID}$`, 'i');

/** Where a page ends: the id of its last row, behind the value that the list is sorted by. */
export const listCursor = z.string().regex(CURSOR, 'This is no place in the list. Start at its first page.');

/** Whether a text is a cursor of a sorted list. */
export const isListCursor = (text: string): boolean => CURSOR.test(text);

/** Most rows of one answer of a list; a page shows fewer, an export asks for as many. */
export const MOST_LISTED = 500;
export const listLimit = z.number().int().min(1).max(MOST_LISTED).default(30);

const FIRST_DAY = '1970-01-01';
const LAST_DAY = '9998-12-31';

/** A day that tables can be asked for: task ids know none before the first, and the day behind the last is one too. */
export const calendarDay = (message: string) =>
  z.iso.date(message).refine((day) => day >= FIRST_DAY && day <= LAST_DAY, message);

/** UTC days, both included. */
const day = calendarDay('Enter a day as YYYY-MM-DD.');
export const listDays = z.object({ from: day.optional(), to: day.optional() });

/** Free text to look for; nothing that columns cannot hold. */
export const listSearch = z
  .string()
  .trim()
  .max(320)
  .regex(/^[^\0\p{Surrogate}]*$/u, 'This has characters that are not text.')
  .default('');

/** Most rows that one bulk action takes. */
export const MOST_BULK = 100;
export const bulkIds = z
  .array(z.uuid('This is not an id.'))
  .min(1, 'Choose at least one row.')
  .max(MOST_BULK, `At most ${MOST_BULK} rows at once.`)
  .transform((ids) => [...new Set(ids)]);

/** Only these rows, as the page before a bulk action shows them. */
export const listIds = z.array(z.uuid()).max(MOST_BULK).optional();

/** What became of each row of a bulk action; no row stops another. */
export type BulkReport = {
  results: { id: string; ok: boolean /** Why not, or what it means. */; message: string | null }[];
};
