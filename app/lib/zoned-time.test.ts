import { expect, it } from 'vitest';
import { isTimeZone, momentInZone } from './zoned-time.ts';

it.each([
  ['UTC', '2026-11-29T09:30', '2026-11-29T09:30:00.000Z'],
  ['Asia/Shanghai', '2026-11-29T09:30', '2026-11-29T01:30:00.000Z'],
  ['America/New_York', '2026-07-01T09:30', '2026-07-01T13:30:00.000Z'],
  ['America/New_York', '2026-12-01T09:30:15', '2026-12-01T14:30:15.000Z'],
  ['Asia/Kathmandu', '2026-01-01T00:00', '2025-12-31T18:15:00.000Z'],
  // Clocks go from 2:00 to 3:00: half past two is meant as an hour later.
  ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
  ['Europe/Berlin', '2026-03-29T03:30', '2026-03-29T01:30:00.000Z'],
  // Clocks go from 3:00 back to 2:00: half past two comes twice.
  ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
  ['Europe/Berlin', '2026-10-25T03:30', '2026-10-25T02:30:00.000Z'],
])('in %s, %s is %s', (zone, local, moment) => {
  expect(momentInZone(local, zone).toISOString()).toBe(moment);
});

it('knows which zones there are', () => {
  expect(isTimeZone('Asia/Shanghai')).toBe(true);
  expect(isTimeZone('Middle/Earth')).toBe(false);
});
