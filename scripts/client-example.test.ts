import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { clientExample } from '#app/components/settings/client-example.ts';

it('is the program that the settings show, and so is compiled with everything else', async () => {
  const compiled = await readFile(new URL('./client-example.ts', import.meta.url), 'utf8');
  expect(clientExample('https://lane.example')).toBe(compiled);
});
