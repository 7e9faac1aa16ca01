import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openDb } from '#server/db/client.ts';
import { createTask } from '#server/testing/factories.ts';
import { expectAccessible, expectNoSidewaysScroll } from './accessibility.ts';
import { prepareStage } from './stage.ts';
import { enterQuietly, type Visitor } from './visitor.ts';
import { cardOf, fillOrder, submitOrder, waitForStatus } from './workbench.ts';

const stage = prepareStage();

type Watched = Window & { shifts: { value: number; nodes: string[] }[]; sources: EventSource[] };

/** Notes every shift of the layout that nobody's click has caused, and every event stream. */
async function watchPage(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const watched = window as unknown as Watched;
    watched.shifts = [];
    watched.sources = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput, sources } = entry as PerformanceEntry & {
          value: number;
          hadRecentInput: boolean;
          sources: { node: Element | null }[];
        };
        if (hadRecentInput) continue;
        const nodes = sources.map(({ node }) => `${node?.nodeName} ${node?.className ?? ''}`);
        watched.shifts.push({ value, nodes });
      }
    }).observe({ type: 'layout-shift' });
    const Original = window.EventSource;
    window.EventSource = class extends Original {
      constructor(url: string | URL, init?: EventSourceInit) {
        super(url, init);
        watched.sources.push(this);
      }
    };
  });
}

test('from skeleton to media nothing moves, over one stream for all tasks of the tab', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await watchPage(page);
  await visitor.open('/workbench?make=video');
  const film = await submitOrder(page, { kind: 'video', prompt: 'A ferry at noon [[delay:3600000]]' });
  await waitForStatus(film, 'running');
  const letter = await submitOrder(page, { kind: 'text', prompt: 'A letter home [[delay:3600000]]' });
  await waitForStatus(letter, 'running');
  await page.getByText('Live', { exact: true }).waitFor();
  await expectAccessible(page);

  const places = async () => [await film.boundingBox(), await letter.boundingBox()];
  await film.scrollIntoViewIfNeeded();
  const before = await places();
  await page.evaluate(() => {
    (window as unknown as Watched).shifts.length = 0;
  });
  await stage.control.release();
  await waitForStatus(film, 'succeeded');
  await waitForStatus(letter, 'succeeded');
  await film.locator('video').waitFor();
  await letter.getByRole('button', { name: 'Copy the text' }).waitFor();
  expect(await places()).toEqual(before);
  const shifts = await page.evaluate(() => (window as unknown as Watched).shifts);
  expect(shifts.filter(({ nodes }) => nodes.some((node) => /card|place|item/.test(node)))).toEqual([]);
  expect(shifts.reduce((sum, { value }) => sum + value, 0)).toBeLessThan(0.02);

  const open = await page.evaluate(
    () => (window as unknown as Watched).sources.filter((source) => source.readyState !== 2).length,
  );
  expect(open).toBeLessThanOrEqual(1);
});

test('goes on from what is there: the settings of a task, its picture as reference', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/workbench?make=image');
  const card = await submitOrder(page, { kind: 'image', prompt: 'A red kite', choose: { Images: '2' } });
  await waitForStatus(card, 'succeeded');
  await fillOrder(page, { kind: 'image', prompt: 'Something else' });
  await card.getByRole('link', { name: 'Reuse the settings of: A red kite' }).click();
  await page.waitForURL('**/workbench?*from=*');
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Prompt' }).inputValue(), { timeout: 60_000 })
    .toBe('A red kite');
  await card.getByRole('link', { name: /^Animate: image 1 of 2/ }).click();
  await page.waitForURL('**/workbench?*role=first_frame*');
  await page.getByRole('form', { name: 'New video' }).waitFor();
});

test('everything under way is cancelled after one more question, with and without JavaScript', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/workbench?make=text');
  const holdUp = async (prompt: string) =>
    waitForStatus(
      await submitOrder(page, { kind: 'text', prompt: `${prompt} [[delay:3600000]]` }),
      'running',
    );
  await holdUp('First');
  await holdUp('Second');
  const queued = await submitOrder(page, { kind: 'text', prompt: 'Third' });
  await waitForStatus(queued, 'queued');
  await page.getByRole('button', { name: 'Cancel all' }).click();
  await page.getByRole('button', { name: 'Cancel all under way' }).click();
  await page.getByText('1 task was cancelled. 2 were asked to stop.').waitFor();
  await waitForStatus(queued, 'cancelled');
  for (const prompt of ['First', 'Second']) {
    await waitForStatus(cardOf(page, `${prompt} [[delay:3600000]]`), 'cancelled');
  }
  await page.getByRole('button', { name: 'Cancel all' }).waitFor({ state: 'detached' });

  await holdUp('Fourth');
  const plain = await stage.visit({ javaScriptEnabled: false });
  await enterQuietly(plain, visitor.person);
  await plain.page.goto('/workbench');
  await plain.page.getByRole('link', { name: 'Cancel all' }).click();
  await expectNoSidewaysScroll(plain.page);
  await plain.page.getByRole('button', { name: 'Cancel all under way' }).click();
  await plain.page.waitForURL('**/workbench');
  await waitForStatus(cardOf(page, 'Fourth [[delay:3600000]]'), 'cancelled');
});

test('a long list loads as it is read, keeps little of itself in the page, and stays quick', async () => {
  const short = await openWith(20);
  const few = { ...(await measure(short.page)), nodes: await countNodes(short.page) };

  const long = await openWith(1_000);
  const { page } = long;
  const bottom = () => page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  const items = page.locator('#tasks ul > li');
  for (let known = await items.count(); known < 300; known = await items.count()) {
    await bottom();
    await page.waitForFunction((count) => document.querySelectorAll('#tasks ul > li').length > count, known);
  }
  // Far from the end of the list most cards are only their places.
  await page.waitForFunction(() => document.querySelectorAll('article').length < 80);
  expect(await countNodes(page)).toBeLessThan(few.nodes * 4);
  const height = () => page.evaluate(() => document.documentElement.scrollHeight);
  const before = await height();
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.locator('#tasks ul > li').first().getByRole('article').waitFor();
  expect(await height()).toBe(before);

  const many = await measure(page);
  expect(many.typingMs, `${JSON.stringify({ few, many })}`).toBeLessThanOrEqual(
    Math.max(200, few.typingMs * 4),
  );
});

/** A workbench of a new account with so many ended tasks. */
async function openWith(count: number): Promise<Visitor> {
  const visitor = await stage.visitAsMember();
  const { db, close } = openDb({ url: stage.site.databaseUrl, max: 8, applicationName: 'sidelane-e2e' });
  try {
    const [user] = await stage.sql<{ id: string }[]>`
      select id from users where email = ${visitor.person.email}`;
    const [model] = await stage.sql<{ id: string }[]>`select id from models where slug = 'sandbox-image'`;
    const one = () =>
      createTask(db, {
        userId: user?.id,
        modelId: model?.id,
        status: 'cancelled',
        holdCredits: 1,
        prompt: 'One of many boats on a long river',
      });
    let left = count;
    const work = async () => {
      for (; left > 0; ) {
        left -= 1;
        await one();
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
  } finally {
    await close();
  }
  await visitor.open('/workbench?make=image');
  return visitor;
}

const countNodes = (page: Page): Promise<number> =>
  page.evaluate(() => document.querySelectorAll('*').length);

/** The median time from a key to the paint after it, in ms; what the browser does not report is quick. */
async function measure(page: Page): Promise<{ typingMs: number }> {
  await page.evaluate(() => {
    const durations: number[] = [];
    Object.assign(window, { durations });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (entry.name === 'keydown') durations.push(entry.duration);
    }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
  });
  const prompt = page.getByRole('textbox', { name: 'Prompt' });
  await prompt.click();
  for (const letter of 'a quiet river') await page.keyboard.press(letter === ' ' ? 'Space' : letter);
  await expect.poll(() => prompt.inputValue(), { timeout: 60_000 }).toBe('a quiet river');
  const typingMs = await page.evaluate(() => {
    const { durations } = window as unknown as { durations: number[] };
    const all = [...durations, ...Array(Math.max(0, 13 - durations.length)).fill(16)].sort((a, b) => a - b);
    return all[Math.floor(all.length / 2)] ?? 16;
  });
  return { typingMs };
}
