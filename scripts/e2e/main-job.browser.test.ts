import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { prepareStage } from './stage.ts';
import { newPerson, signIn, signUp } from './visitor.ts';
import {
  balanceOf,
  cardOf,
  generateButton,
  openTask,
  playOf,
  submitOrder,
  waitForStatus,
} from './workbench.ts';

const stage = prepareStage();

test('sign up, submit, close the page: the daemon finishes, and the results play when one comes back', async () => {
  const { control } = stage;
  const person = newPerson();
  const image = 'A lighthouse above a calm sea at dusk';
  const video = 'Clouds drifting over a valley [[delay:3600000]]';

  const before = await stage.visit();
  await before.open('/');
  await expectAccessible(before.page);
  await before.page.getByRole('main').getByRole('link', { name: 'Create an account' }).first().click();
  await before.page.waitForURL('**/signup**');
  await expectAccessible(before.page);
  await signUp(before.page, person);
  expect(await balanceOf(before.page)).toBe(100);
  await before.page.getByText('Nothing made yet').waitFor();

  await submitOrder(before.page, { kind: 'image', prompt: image, choose: { Images: '2' } });
  const running = await submitOrder(before.page, { kind: 'video', prompt: video });
  await waitForStatus(running, 'running');
  await before.leave();

  // Nobody looks: the video can end upstream now, but only a daemon asks for it.
  await control.release();
  const workerId = await stage.startDaemon();
  await expect
    .poll(() => finishers(video), { timeout: 300_000, interval: 100 })
    .toEqual([{ worker: workerId, to: 'succeeded' }]);

  const after = await stage.visit();
  await after.open('/login?next=%2Fworkbench');
  await expectAccessible(after.page);
  await signIn(after.page, person);
  const [pictures, film] = [cardOf(after.page, image), cardOf(after.page, video)];
  await waitForStatus(pictures, 'succeeded');
  await waitForStatus(film, 'succeeded');
  for (const picture of await pictures.getByRole('img').all())
    expect(await pixelsOf(picture)).toBeGreaterThan(0);
  expect(await pictures.getByRole('img').count()).toBe(2);
  expect(await playOf(film.locator('video'))).toBeGreaterThan(0);
  await expectAccessible(after.page);

  // 2 images of 4 credits and 4 seconds of 5 credits.
  expect(await balanceOf(after.page)).toBe(100 - 8 - 20);
  await expectDownloads(pictures, film);

  await openTask(film);
  expect(await playOf(after.page.locator('video'))).toBeGreaterThan(0);
  await expectAccessible(after.page);
});

test('an image opens over the page; sound and text arrive as well', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/workbench?make=audio');
  const sound = await submitOrder(page, { kind: 'audio', prompt: 'Good evening, and welcome aboard.' });
  const text = await submitOrder(page, { kind: 'text', prompt: 'Three short paragraphs about tides' });
  const picture = await submitOrder(page, { kind: 'image', prompt: 'A harbour waking up' });
  for (const card of [sound, text, picture]) await waitForStatus(card, 'succeeded');

  expect(await playOf(sound.locator('audio'))).toBeGreaterThan(0);
  await expect.poll(() => text.textContent(), { timeout: 60_000 }).toMatch(/(\w+\W+){30}/);
  await picture.getByRole('link', { name: 'Open image' }).click();
  const dialog = page.getByRole('dialog');
  expect(await pixelsOf(dialog.locator('img').first())).toBeGreaterThan(0);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await generateButton(page).waitFor();
});

/** Who wrote the last word of the task with a prompt. */
async function finishers(prompt: string): Promise<{ worker: string | null; to: string }[]> {
  return stage.sql<{ worker: string | null; to: string }[]>`
    select e.worker_id as worker, e.to_status as to
    from generation_task_events e join generation_task_details d on d.task_id = e.task_id
    where d.prompt = ${prompt} and e.to_status in ('succeeded', 'failed', 'cancelled')`;
}

/** The natural width of an image once it has loaded; it loads only when it is near the window. */
async function pixelsOf(image: Locator): Promise<number> {
  await image.scrollIntoViewIfNeeded();
  return image.evaluate(async (element) => {
    if (!(element instanceof HTMLImageElement)) throw new Error('not an image');
    await element.decode();
    return element.naturalWidth;
  });
}

/** Every download link serves its file as a file, whatever it contains. */
async function expectDownloads(pictures: Locator, film: Locator): Promise<void> {
  for (const [card, count, mime, ending] of [
    [pictures, 2, 'image/png', /\.png"/],
    [film, 1, 'video/mp4', /\.mp4"/],
  ] as const) {
    const links = await card.getByRole('link', { name: 'Download' }).all();
    expect(links).toHaveLength(count);
    for (const link of links) {
      const response = await card.page().request.get((await link.getAttribute('href')) ?? '');
      const headers = response.headers();
      expect(response.status()).toBe(200);
      expect(headers['content-type']).toBe(mime);
      expect(headers['content-disposition']).toMatch(/^attachment; filename="[^"]+"/);
      expect(headers['content-disposition']).toMatch(ending);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['cache-control']).toContain('private');
      expect(Number(headers['content-length'])).toBe((await response.body()).length);
    }
  }
  const arriving = pictures.page().waitForEvent('download');
  await pictures.getByRole('link', { name: 'Download' }).first().click();
  expect((await arriving).suggestedFilename()).toMatch(/\.png$/);
}
