import { mkdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { newId } from '#server/lib/ids.ts';
import { createClient } from '#server/trpc/client.ts';
import { startLocalSite } from './local-site.ts';
import { createVisitor, enterQuietly } from './visitor.ts';

/**
 * `npx tsx scripts/e2e/screenshot-workbench.ts`: makes docs/images/workbench.png from a real workbench with a few
 * finished tasks of each kind.
 */

const FILE = fileURLToPath(new URL('../../docs/images/workbench.png', import.meta.url));
const MOST_BYTES = 400_000;

/** Oldest first: the list shows the newest on top. */
const ORDERS = [
  { kind: 'image', model: 'sandbox-image', prompt: 'Paper boats on a pond at noon', params: { n: 4 } },
  {
    kind: 'video',
    model: 'sandbox-video',
    prompt: 'A storm at sea, seen from the bridge [[fail]]',
    params: { seconds: '4' },
  },
  {
    kind: 'audio',
    model: 'sandbox-speech',
    prompt: 'Good evening, and welcome aboard the night train.',
    params: {},
  },
  { kind: 'text', model: 'sandbox-text', prompt: 'Three short paragraphs about tides', params: {} },
  {
    kind: 'video',
    model: 'sandbox-video',
    prompt: 'Clouds drifting over a valley at first light',
    params: { seconds: '8' },
  },
  {
    kind: 'image',
    model: 'sandbox-image',
    prompt: 'A lighthouse above a calm sea at dusk',
    params: { n: 2 },
  },
] as const;

const site = await startLocalSite({ name: 'screenshot', sandboxSpeed: 8 });
try {
  const { stack } = site;
  await stack.startDaemon();
  const client = createClient({ url: stack.webUrl, token: stack.login.apiToken });
  for (const order of ORDERS) await client.generation.submit.mutate({ ...order, requestKey: newId() });

  const browser = await chromium.connect(site.browserUrl);
  const visitor = await createVisitor(
    browser,
    { webUrl: stack.webUrl },
    { viewport: { width: 1440, height: 1340 }, colorScheme: 'light' },
  );
  await enterQuietly(visitor, stack.login);
  await visitor.open('/workbench?make=image');
  const { page } = visitor;
  await page.waitForFunction((count) => {
    const ended = 'article:is([data-status="succeeded"], [data-status="failed"])';
    return document.querySelectorAll(ended).length === count;
  }, ORDERS.length);
  // Read again: previews have been made by now, and the list is as a returning user finds it.
  await waitForPreviews(page);
  await visitor.open('/workbench?make=image');
  await page.getByRole('textbox', { name: 'Prompt' }).fill('An orchard in the first snow, seen from above');
  await page.getByRole('textbox', { name: 'Prompt' }).blur();
  await waitForPictures(page);
  mkdirSync(path.dirname(FILE), { recursive: true });
  const raw = await page.screenshot({ animations: 'disabled' });
  await sharp(raw).png({ palette: true, quality: 92, effort: 10 }).toFile(FILE);
  const { size } = statSync(FILE);
  if (size > MOST_BYTES) {
    rmSync(FILE);
    throw new Error(`The picture has ${size} bytes, more than ${MOST_BYTES}: order fewer colours.`);
  }
  console.log(`${FILE}: ${size} bytes`);
  await browser.close();
} finally {
  await site.stop();
}

/** Posters and thumbnails are made after the success, outside of the page's sight. */
async function waitForPreviews(page: Page): Promise<void> {
  await page.waitForFunction(async () => {
    const html = await (await fetch(location.href)).text();
    return (html.match(/<video[^>]* poster="/g) ?? []).length >= 1;
  });
}

/** Everything in the window is there: pictures decoded, texts fetched, players measured, fonts loaded. */
async function waitForPictures(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    // No named function in here: the loader of this script would wrap it in a helper that the page does not have.
    await Promise.all(
      [...document.querySelectorAll('article img')]
        .filter((image) => image.getBoundingClientRect().top < window.innerHeight)
        .map((image) => (image as HTMLImageElement).decode()),
    );
  });
  await page.waitForFunction(() =>
    [...document.querySelectorAll('article video, article audio')].every(
      (player) =>
        (player as HTMLMediaElement).readyState >= 1 ||
        player.getBoundingClientRect().top > window.innerHeight,
    ),
  );
}
