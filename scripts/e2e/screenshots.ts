import { mkdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { startLocalSite } from './local-site.ts';
import { ORDER_COUNT, orderWork, writeYesterday } from './screenshot-data.ts';
import { createVisitor, enterQuietly, type Visitor } from './visitor.ts';

/**
 * `npm run screenshots`: makes the pictures in docs/images from the product as it runs in production, over finished
 * work of the sandbox.
 */

const FOLDER = fileURLToPath(new URL('../../docs/images', import.meta.url));
const MOST_BYTES = 300_000;
const COLOURS = 192;

type Shot = {
  file: string;
  address: string;
  look: BrowserContextOptions;
  /** Before the picture is taken, on the loaded page. */
  prepare?(page: Page): Promise<void>;
};

const SHOTS: readonly Shot[] = [
  {
    file: 'workbench.png',
    address: '/workbench?make=image',
    look: { viewport: { width: 1440, height: 1240 }, colorScheme: 'light' },
    prepare: async (page) => {
      const prompt = page.getByRole('textbox', { name: 'Prompt' });
      await prompt.fill('An orchard in the first snow, seen from above');
      await prompt.blur();
    },
  },
  {
    file: 'library.png',
    address: '/library',
    look: { viewport: { width: 1440, height: 1000 }, colorScheme: 'dark' },
  },
  {
    file: 'overview.png',
    address: '/admin',
    look: { viewport: { width: 1440, height: 1240 }, colorScheme: 'light' },
    // The bars, below the figures of now.
    prepare: (page) =>
      page
        .getByRole('heading', { name: 'What was submitted' })
        .evaluate((heading) => heading.scrollIntoView({ block: 'start' })),
  },
  {
    file: 'phone.png',
    address: '/workbench?make=image#tasks',
    look: { viewport: { width: 390, height: 844 }, colorScheme: 'dark', deviceScaleFactor: 1.5 },
  },
];

const site = await startLocalSite({ name: 'screenshot', sandboxSpeed: 8 });
try {
  const { stack, databaseUrl } = site;
  await writeYesterday(databaseUrl);
  await stack.startDaemon();
  await orderWork({ webUrl: stack.webUrl, token: stack.login.apiToken });
  const browser = await chromium.connect(site.browserUrl);
  const enter = async (look: BrowserContextOptions): Promise<Visitor> => {
    const visitor = await createVisitor(browser, { webUrl: stack.webUrl }, look);
    await enterQuietly(visitor, stack.login);
    return visitor;
  };
  const watcher = await enter({ viewport: { width: 1440, height: 2_000 } });
  await waitForTheEnd(watcher);
  await watcher.leave();
  mkdirSync(FOLDER, { recursive: true });
  for (const shot of SHOTS) await take(shot, await enter(shot.look));
  await browser.close();
} finally {
  await site.stop();
}

/** All tasks have ended and their posters and thumbnails, which are made afterwards, are there. */
async function waitForTheEnd({ open, page }: Visitor): Promise<void> {
  await open('/workbench');
  await page.waitForFunction((count) => {
    const ended = 'article:is([data-status="succeeded"], [data-status="failed"])';
    return document.querySelectorAll(ended).length === count;
  }, ORDER_COUNT);
  await page.waitForFunction(async () => {
    const html = await (await fetch(location.href)).text();
    return /<video[^>]* poster="/.test(html);
  });
}

async function take({ file, address, prepare }: Shot, visitor: Visitor): Promise<void> {
  const { page } = visitor;
  await visitor.open(address);
  await prepare?.(page);
  await waitForPictures(page);
  const target = path.join(FOLDER, file);
  const raw = await page.screenshot({ animations: 'disabled' });
  await sharp(raw).png({ palette: true, colours: COLOURS, effort: 10 }).toFile(target);
  await visitor.leave();
  const { size } = statSync(target);
  console.log(`docs/images/${file}: ${Math.ceil(size / 1_000)} kB`);
  if (size <= MOST_BYTES) return;
  rmSync(target);
  throw new Error(`${file} has ${size} bytes, more than ${MOST_BYTES}: make its window smaller.`);
}

/** Everything in the window is there: pictures decoded, texts fetched, players measured, fonts loaded. */
async function waitForPictures(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('main [aria-busy="true"]') === null);
  await page.evaluate(async () => {
    await document.fonts.ready;
    // No named function in here: the loader of this script would wrap it in a helper that the page does not have.
    await Promise.all(
      [...document.querySelectorAll<HTMLImageElement>('main img')]
        .filter((image) => image.getBoundingClientRect().top < window.innerHeight)
        .map((image) => image.decode()),
    );
  });
  await page.waitForFunction(() =>
    [...document.querySelectorAll<HTMLMediaElement>('main video, main audio')].every(
      (player) => player.readyState >= 1 || player.getBoundingClientRect().top > window.innerHeight,
    ),
  );
}
