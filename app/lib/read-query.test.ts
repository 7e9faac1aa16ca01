import { expect, it } from 'vitest';
import { readChoice, readCursor, readText } from './read-query.ts';

const url = (query: string) => `http://site.example/admin/tasks?${query}`;

it('takes only ids as cursors', () => {
  expect(readCursor(url('cursor=01890000-0000-7000-8000-000000000001'))).toBe(
    '01890000-0000-7000-8000-000000000001',
  );
  expect(readCursor(url('cursor=1%20or%201'))).toBeUndefined();
  expect(readCursor(url(''))).toBeUndefined();
});

it('takes only known words as filters', () => {
  expect(readChoice(url('status=failed'), 'status', ['failed', 'queued'])).toBe('failed');
  expect(readChoice(url('status=nonsense'), 'status', ['failed', 'queued'])).toBeUndefined();
});

it('trims and cuts text', () => {
  expect(readText(url('who=%20ada%20'), 'who')).toBe('ada');
  expect(readText(url('who=%20'), 'who')).toBeUndefined();
  expect(readText(url(`who=${'a'.repeat(500)}`), 'who')).toHaveLength(320);
});
