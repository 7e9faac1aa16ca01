import { expect, it } from 'vitest';
import { z } from 'zod';
import { isUuid, readChoice, readCursor, readText } from './read-query.ts';

const url = (query: string) => `http://site.example/admin/tasks?${query}`;

it('takes only ids as cursors', () => {
  expect(readCursor(url('cursor=01890000-0000-7000-8000-000000000001'))).toBe(
    '01890000-0000-7000-8000-000000000001',
  );
  expect(readCursor(url('cursor=1%20or%201'))).toBeUndefined();
  expect(readCursor(url(''))).toBeUndefined();
});

it.each([
  '01890000-0000-7000-8000-000000000001',
  '01890000-0000-7000-8000-00000000000A',
  '01890000-0000-4000-b000-000000000001',
  '01890000-0000-7000-7000-000000000001',
  '01890000-0000-9000-8000-000000000001',
  '01890000-0000-7000-8000-0000000000011',
  '0189000000007000800000000000001',
  '',
])('takes an id for one when procedures do: %j', (text) => {
  expect(isUuid(text)).toBe(z.uuid().safeParse(text).success);
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
