import { text } from 'node:stream/consumers';
import { createElement } from 'react';
import { renderToPipeableStream } from 'react-dom/server';
import { expect, it } from 'vitest';
import { wholeCharacters } from './whole-characters.ts';

it('keeps every character, wherever the buffer of React ends', async () => {
  const words = Array.from({ length: 400 }, (_, index) => `${'a'.repeat(index % 3)}获得时间`);
  const items = words.map((word) => createElement('p', { title: word }, word));
  const body = wholeCharacters();
  renderToPipeableStream(createElement('div', null, ...items), { onShellReady: () => undefined }).pipe(body);
  const html = await text(body);
  expect(html.match(/<p title="a{0,2}获得时间">a{0,2}获得时间<\/p>/g)).toHaveLength(words.length);
  expect(html).not.toContain('\0');
});
