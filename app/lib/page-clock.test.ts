import { expect, it } from 'vitest';
import { chooseTimeZone } from './page-clock.tsx';

const cookie = (value: string) => `other=1; sidelane_time_zone=${value}`;

it.each([
  ['what was chosen comes first', 'Asia/Tokyo', cookie('Europe%2FBerlin'), 'Asia/Tokyo'],
  ['else what the browser has told', null, cookie('Europe%2FBerlin'), 'Europe/Berlin'],
  ['a zone that this server does not know is as none', 'Mars/Olympus', cookie('UTC'), 'UTC'],
  ['nor does a cookie that is no zone', null, cookie('%E0%A4%A'), null],
  ['or too long', null, cookie('x'.repeat(200)), null],
  ['nothing is known', undefined, null, null],
])('%s', (_name, chosen, cookieHeader, timeZone) => {
  expect(chooseTimeZone({ chosen, cookieHeader })).toBe(timeZone);
});
