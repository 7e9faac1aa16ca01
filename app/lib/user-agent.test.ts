import { expect, it } from 'vitest';
import { accountTexts } from '#app/locales/account.ts';
import { describeUserAgent } from './user-agent.ts';

it.each([
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
    'Chrome on Linux',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36 Edg/126.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605 Version/17.0 Mobile Safari/604.1',
    'Safari on iOS',
  ],
  ['curl/8.0', 'curl/8.0'],
  [null, 'Unknown browser'],
])('names %s', (userAgent, name) => {
  expect(describeUserAgent(userAgent, accountTexts.in('en'))).toBe(name);
});
