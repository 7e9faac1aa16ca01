import { buffer } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { createClient } from '#server/trpc/client.ts';
import { expectAccessible, expectNoSidewaysScroll } from './accessibility.ts';
import { prepareStage } from './stage.ts';
import { enterQuietly, type Visitor } from './visitor.ts';

const stage = prepareStage();

type Order = { kind: 'image' | 'video' | 'text'; prompt: string };

/** Orders as a program of this person would, and waits until all are done. Newest first in the library: the last one. */
async function makeFiles({ page, webUrl }: Visitor, orders: readonly Order[]): Promise<void> {
  const cookies = await page.context().cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const client = createClient({ url: webUrl, headers: { cookie, origin: webUrl } });
  for (const { kind, prompt } of orders) {
    const order = { kind, model: `sandbox-${kind}`, prompt, requestKey: newId() };
    const { taskId } = await client.generation.submit.mutate(order);
    await expect
      .poll(async () => (await client.generation.get.query({ taskId })).status, { timeout: 180_000 })
      .toBe('succeeded');
  }
}

const notice = (page: Page, words: string | RegExp) => page.getByRole('status').getByText(words);
const tiles = (page: Page) =>
  page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.getByRole('checkbox') });

test('files are found, looked at, collected, downloaded, thrown away and taken back', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/library');
  await page.getByText('Nothing made yet').waitFor();
  await expectAccessible(page);
  await makeFiles(visitor, [
    { kind: 'text', prompt: 'A letter' },
    { kind: 'video', prompt: 'A train at night' },
    { kind: 'image', prompt: 'A quiet harbour' },
    { kind: 'image', prompt: 'A loud harbour' },
  ]);

  await visitor.open('/library');
  await expect.poll(() => tiles(page).count(), { timeout: 60_000 }).toBe(4);
  await expectAccessible(page);
  await page.getByRole('searchbox', { name: 'Words of the prompt' }).fill('HARBOUR');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.waitForURL('**/library?**text=HARBOUR**');
  await expect.poll(() => tiles(page).count(), { timeout: 60_000 }).toBe(2);

  // Over the page: keys go on and back, and Escape gives the focus back.
  const first = page.getByRole('link', { name: 'Open Image: A loud harbour' });
  await first.click();
  const viewer = page.getByRole('dialog', { name: 'Viewer' });
  await viewer.getByText('1 of 2').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('ArrowRight');
  await viewer.getByText('2 of 2').waitFor();
  await viewer.getByRole('img', { name: /quiet harbour/ }).waitFor();
  await viewer.getByRole('button', { name: 'Zoom in' }).click();
  await viewer.getByText('150 %').waitFor();
  await page.keyboard.press('Escape');
  await viewer.waitFor({ state: 'detached' });
  expect(await first.evaluate((link) => link === document.activeElement)).toBe(true);

  // A star, then an archive of both.
  await page.getByRole('button', { name: 'Add to favourites: Image: A loud harbour' }).click();
  await notice(page, '1 file is a favourite.').waitFor();
  for (const prompt of ['A loud harbour', 'A quiet harbour'])
    await page.getByRole('checkbox', { name: `Choose Image: ${prompt}` }).check();
  await page.getByText('2 files chosen').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ]);
  const zip = (await buffer(await download.createReadStream())).toString('latin1');
  expect(zip.startsWith('PK')).toBe(true);
  expect(zip).toMatch(/A quiet harbour [0-9a-f]{8}-1\.png/);

  await page.getByRole('button', { name: 'Compare' }).click();
  await page.waitForURL('**/library/compare?**');
  await page.getByRole('img', { name: /Left: Image: A loud harbour/ }).waitFor();
  await page.getByRole('img', { name: /Right: Image: A quiet harbour/ }).waitFor();
  await page.getByRole('button', { name: 'Zoom in' }).first().click();
  await expect.poll(() => page.getByText('150 %').count()).toBe(2);
  await expectAccessible(page);

  await visitor.open('/library/collections');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Harbours');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('link', { name: 'Harbours' }).waitFor();
  await expectAccessible(page);
  await visitor.open('/library?kind=image');
  await page.getByLabel('All on this page').check();
  await page.getByLabel('Collection', { exact: true }).last().waitFor();
  await page.getByRole('combobox', { name: 'Collection' }).last().selectOption('Harbours');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await notice(page, '2 files were added to the collection.').waitFor();
  await visitor.open('/library/collections');
  await page.getByText('2 files').waitFor();
  await page.getByRole('link', { name: 'Harbours' }).click();
  await page.getByRole('heading', { name: 'Harbours', level: 1 }).waitFor();
  await expect.poll(() => tiles(page).count(), { timeout: 60_000 }).toBe(2);
  // All of it as one archive, said with what it holds.
  const [all] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: /^Download all: 2 files, / }).click(),
  ]);
  expect(all.suggestedFilename()).toBe('Harbours.zip');
  const whole = (await buffer(await all.createReadStream())).toString('latin1');
  expect(whole.match(/harbour [0-9a-f]{8}-1\.png/g)?.length).toBe(4);
  await expectAccessible(page);

  // Thrown away: gone from here and from the workbench, until it is taken back.
  await visitor.open('/library');
  await page.getByRole('checkbox', { name: 'Choose Text: A letter' }).check();
  await page.getByRole('button', { name: 'Throw away' }).click();
  await notice(page, '1 file is in the trash.').waitFor();
  await expect.poll(() => tiles(page).count(), { timeout: 60_000 }).toBe(3);
  await page.getByRole('button', { name: 'Undo' }).click();
  await notice(page, '1 file was taken back.').waitFor();
  await expect.poll(() => tiles(page).count(), { timeout: 60_000 }).toBe(4);
  await page.getByRole('checkbox', { name: 'Choose Text: A letter' }).check();
  await page.getByRole('button', { name: 'Throw away' }).click();
  await notice(page, '1 file is in the trash.').waitFor();
  await visitor.open('/library?trash=1');
  await expectAccessible(page);
  await page.getByRole('checkbox', { name: 'Choose Text: A letter' }).check();
  await page.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByText('Delete 1 file for good? It cannot be taken back.').waitFor();
  await page.getByRole('status').getByRole('button', { name: 'Delete for good' }).click();
  await page.getByText('The trash is empty').waitFor();
  await page.getByRole('link', { name: /B in \d files$/ }).click();
  await page.waitForURL('**/library/storage');
  await page.getByRole('table', { name: 'Room by kind' }).getByText('Videos').waitFor();
  await expectAccessible(page);
});

test('a file has a page of its own, where a film is sought in and a link for others is made and taken back', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await makeFiles(visitor, [
    { kind: 'video', prompt: 'A train at night' },
    { kind: 'image', prompt: 'A quiet harbour' },
  ]);
  await visitor.open('/library?kind=video');
  const href = (await page.getByRole('link', { name: /^Open Video/ }).getAttribute('href')) ?? '';
  await visitor.open(href);
  // The middle of the film is asked for by a range.
  const partial = page.waitForResponse(
    (response) => response.url().includes('/files/outputs/') && response.status() === 206,
  );
  const soughtTo = await page.locator('video').evaluate(async (element) => {
    const video = element as HTMLVideoElement;
    if (video.readyState < 1)
      await new Promise((resolve) => video.addEventListener('loadedmetadata', resolve, { once: true }));
    const sought = new Promise((resolve) => video.addEventListener('seeked', resolve, { once: true }));
    video.currentTime = video.duration / 2;
    await sought;
    return video.currentTime / video.duration;
  });
  expect(soughtTo).toBeCloseTo(0.5, 1);
  await partial;
  // A film goes on where a model takes one.
  const goesOn = page.getByRole('link', { name: /^Use this video with / }).first();
  expect(await goesOn.getAttribute('href')).toMatch(
    /^\/workbench\?make=video&model=.*&reference=.*&role=reference$/,
  );
  await expectAccessible(page);

  await visitor.open('/library?kind=image');
  await visitor.open((await page.getByRole('link', { name: /^Open Image/ }).getAttribute('href')) ?? '');
  await page.getByRole('link', { name: 'Use these settings again' }).waitFor();
  await page.getByRole('link', { name: 'Use as reference in Sandbox image', exact: true }).waitFor();
  await page.getByLabel('Works for').selectOption('1 day');
  await page.getByLabel('Show the prompt beside it').check();
  await page.getByRole('button', { name: 'Make a link' }).click();
  const address = await page.getByRole('textbox', { name: 'Address of share link 1' }).inputValue();
  expect(address).toMatch(/\/share\/[0-9a-f-]{36}\.[\w-]+$/);
  await expectAccessible(page);

  const guest = await stage.visit();
  await guest.open(new URL(address).pathname);
  await guest.page.getByText('A quiet harbour', { exact: true }).waitFor();
  const picture = guest.page.getByRole('img', { name: /quiet harbour/ });
  await expect
    .poll(() => picture.evaluate((element) => (element as HTMLImageElement).naturalWidth), {
      timeout: 60_000,
    })
    .toBeGreaterThan(0);
  expect(await guest.page.locator('meta[name="robots"]').getAttribute('content')).toContain('noindex');
  const card = await guest.page.locator('meta[property="og:image"]').getAttribute('content');
  expect((await guest.page.request.get(card ?? '')).status()).toBe(200);
  await expectAccessible(guest.page);

  await visitor.open('/library/shares');
  await page
    .getByRole('table', { name: 'Share links' })
    .getByRole('cell', { name: '1', exact: true })
    .waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: /^Revoke: A quiet harbour/ }).click();
  await page.getByRole('button', { name: 'Revoke it' }).click();
  await page.getByText('Revoked', { exact: true }).waitFor();
  guest.expectProblem(/410/);
  await guest.page.reload();
  await guest.page.getByText('This link has ended').waitFor();
  expect((await guest.page.request.get(card ?? '')).status()).toBe(404);
});

test('without scripts files are chosen, thrown away and taken back; on a phone no page scrolls sideways', async () => {
  const member = await stage.visitAsMember({ viewport: { width: 390, height: 844 }, isMobile: true });
  await makeFiles(member, [{ kind: 'image', prompt: `A ${'very'.repeat(30)} quiet harbour` }]);
  await member.open('/library');
  const href = (await member.page.getByRole('link', { name: /^Open Image/ }).getAttribute('href')) ?? '';
  for (const path of [
    '/library',
    href,
    '/library/collections',
    '/library/shares',
    '/library/storage',
    '/library?trash=1',
  ]) {
    await member.open(path);
    await expectNoSidewaysScroll(member.page);
    await expectAccessible(member.page);
  }

  const plain = await stage.visit({ javaScriptEnabled: false });
  await enterQuietly(plain, member.person);
  const { page } = plain;
  await plain.open('/library');
  await page.getByRole('checkbox', { name: /^Choose Image/ }).check();
  await page.getByRole('button', { name: 'Throw away' }).click();
  await page.getByText('1 file is in the trash.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('1 file was taken back.').waitFor();
  await page.getByRole('link', { name: /^Open Image/ }).click();
  await page.getByRole('button', { name: 'Make a link' }).click();
  await page.getByRole('textbox', { name: 'Address of share link 1' }).waitFor();
});
