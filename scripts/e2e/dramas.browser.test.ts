import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { prepareStage } from './stage.ts';
import { newPerson, signUp } from './visitor.ts';
import { balanceOf, budgetOf, compositeIdOf, playOf, waitForBadge } from './workbench.ts';

/** A short film from the idea to the player, with people who come, go, and change their minds. */
const stage = prepareStage();

/** Credits of a new member, and what writing a storyboard costs: it is no part of the film's own budget. */
const START = 100;
const STORYBOARD = 1;

type DramaOrder = { idea: string; shots: number; choose?: Record<string, string> };

/** Orders a film and waits until its storyboard can be edited. Returns its id. */
async function orderDrama(page: Page, { idea, shots, choose = {} }: DramaOrder): Promise<string> {
  const form = page.getByRole('form', { name: 'New short drama' });
  await form.getByLabel('Text', { exact: true }).fill(idea);
  await form.getByLabel('Shots').fill(String(shots));
  for (const [label, option] of Object.entries(choose)) await form.getByLabel(label).selectOption(option);
  await form.getByText(`for ${shots} shots`).waitFor();
  await form.getByRole('button', { name: 'Create' }).click();
  const id = await compositeIdOf(page);
  await startButton(page).waitFor();
  return id;
}

const startButton = (page: Page): Locator => page.getByRole('button', { name: 'Start the shots' });
const shotOf = (page: Page, number: number): Locator =>
  page.getByRole('group', { name: `Shot ${number}`, exact: true });

/** The price on the bar below the storyboard, once it is known. */
async function priceOf(page: Page): Promise<number> {
  const total = page.getByTestId('total').locator('strong');
  await total.getByText(/^[\d,]+ credits?$/).waitFor();
  return Number((await total.textContent())?.replace(/[^\d]/g, ''));
}

/** Who wrote the last word of a task. */
const finishersOf = (taskId: string) =>
  stage.sql<{ worker: string | null; to: string }[]>`
    select worker_id as worker, to_status as to from generation_task_events
    where task_id = ${taskId} and to_status in ('succeeded', 'failed', 'cancelled')`;

test('an idea becomes a film: edited, started, left alone with the daemon, and played when one comes back', async () => {
  const { control } = stage;
  const person = newPerson();
  const before = await stage.visit();
  const { page } = before;
  await before.open('/signup');
  await signUp(page, person);
  await page.getByRole('navigation', { name: 'What to make' }).getByRole('link', { name: 'Drama' }).click();
  await page.waitForURL('**/workbench/dramas/new');
  await expectAccessible(page);
  // Two shots are written, a third is added below. The first one's clip does not end before it is let go.
  const taskId = await orderDrama(page, {
    idea: 'A keeper lights her lamp in a storm [[shots=2]] [[seconds=2]] [[child:1.clip delay:3600000]]',
    shots: 2,
  });
  await expectAccessible(page);
  expect(await balanceOf(page)).toBe(START - STORYBOARD);
  await editStoryboard(page);
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(() => startButton(page).isEnabled(), { timeout: 180_000 }).toBe(true);
  const price = await priceOf(page);
  await startButton(page).click();
  await page.getByRole('progressbar', { name: 'Progress of Shot 2, clip' }).waitFor();
  await expectAccessible(page);
  expect((await budgetOf(page))['Held, the most it can cost']).toBe(price);
  await before.leave();

  // Nobody looks, and only a daemon is there to go on.
  const workerId = await stage.startDaemon();
  await control.release();
  await expect
    .poll(() => finishersOf(taskId), { timeout: 300_000, interval: 200 })
    .toEqual([{ worker: workerId, to: 'succeeded' }]);

  const after = await stage.visit();
  await after.open(`/login?next=${encodeURIComponent(`/workbench/dramas/${taskId}`)}`);
  await signInTo(after.page, person);
  await after.page.getByRole('heading', { level: 1, name: 'The lamp in the storm' }).waitFor();
  const film = after.page.getByLabel('Film: The lamp in the storm');
  expect(await playOf(film)).toBeGreaterThan(0);
  // A title card and three shots.
  expect(await film.evaluate((player: HTMLVideoElement) => player.duration)).toBeGreaterThan(6);
  await expectAccessible(after.page);
  await expectDownloads(after.page);

  const budget = await budgetOf(after.page);
  expect(budget.Spent).toBeGreaterThan(0);
  expect(await balanceOf(after.page)).toBe(START - STORYBOARD - (budget.Spent ?? 0));
  const narrations = after.page.getByRole('list', { name: 'Shots', exact: true }).getByRole('listitem');
  expect(await narrations.first().textContent()).toContain('So the last ship found the harbour.');
});

async function signInTo(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/workbench/dramas/*');
}

/** A title, a narration, another order by the keyboard, a shot taken out and put back, and one more. */
async function editStoryboard(page: Page): Promise<void> {
  await page.getByLabel('Title', { exact: true }).first().fill('The lamp in the storm');
  await shotOf(page, 2).getByLabel('Narration').fill('So the last ship found the harbour.');
  await page.getByRole('button', { name: 'Move shot 2 up' }).press('Enter');
  await expect
    .poll(() => shotOf(page, 1).getByLabel('Narration').inputValue(), { timeout: 60_000 })
    .toBe('So the last ship found the harbour.');
  // The pressed button has moved to the top: the focus is on the one that takes it back.
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
    'Move shot 1 down',
  );

  await page.getByRole('button', { name: 'Remove shot 2' }).click();
  await shotOf(page, 2).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Put it back' }).click();
  await shotOf(page, 2).waitFor();

  await page.getByRole('button', { name: 'Add a shot at the end' }).click();
  const added = shotOf(page, 3);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText(/fields? needs? your attention/).waitFor();
  await added.getByLabel('Picture').fill('The harbour at first light, every boat at its place');
  await added.getByLabel('Motion').fill('The camera rises slowly.');
  await added.getByLabel('Narration').fill('Nobody was missing.');
}

/** Every link of the film serves its file as a file. */
async function expectDownloads(page: Page): Promise<void> {
  const links = page.getByRole('list', { name: 'Downloads' }).getByRole('link');
  const found: Record<string, string | undefined> = {};
  for (const link of await links.all()) {
    const response = await page.request.get((await link.getAttribute('href')) ?? '');
    const headers = response.headers();
    expect(response.status()).toBe(200);
    expect(headers['content-disposition']).toMatch(/^attachment; filename="[^"]+"/);
    expect((await response.body()).length).toBeGreaterThan(0);
    found[(await link.textContent()) ?? ''] = headers['content-type']?.split(';')[0];
  }
  expect(found).toEqual({
    'Film (MP4)': 'video/mp4',
    Poster: 'image/webp',
    'Captions (SRT)': 'text/plain',
    'Captions (VTT)': 'text/plain',
    'All shots (ZIP)': 'application/zip',
  });
  const arriving = page.waitForEvent('download');
  await links.filter({ hasText: 'ZIP' }).click();
  expect((await arriving).suggestedFilename()).toMatch(/\.zip$/);
}

test('a part that fails is tried again or left out, and a voice of the finished film is made anew', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/workbench/dramas/new');
  const taskId = await orderDrama(page, {
    idea: 'A fox keeps the light [[shots=2]] [[seconds=1]] [[child:2 fail]]',
    shots: 2,
    choose: { Clips: 'Still pictures', Captions: 'A track that players can switch on' },
  });
  await startButton(page).click();
  await page.getByText('One part failed').waitFor();
  await page.getByText('Waits for you', { exact: true }).waitFor();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Try again for 7 credits: Shot 2, picture' }).click();
  await expect.poll(() => failedPictures(taskId), { timeout: 180_000, interval: 100 }).toBe(2);
  await page.getByText('One part failed').waitFor();
  await page.getByRole('button', { name: 'Finish without' }).click();
  await page.getByRole('button', { name: 'Finish without it' }).press('Enter');
  await waitForBadge(page, 'Done');
  const film = page.locator('video');
  expect(await playOf(film)).toBeGreaterThan(0);
  expect(await captionsOf(film)).toEqual(['It began with A fox keeps.']);
  await expectAccessible(page);
  const spent = (await budgetOf(page)).Spent ?? 0;
  await expect.poll(() => balanceOf(page), { timeout: 180_000 }).toBe(START - STORYBOARD - spent);

  await page.getByText('Make parts of shot 1 anew').click();
  const redo = page.getByRole('form', { name: 'Make parts of shot 1 anew' });
  await redo.getByLabel('New voice, 3 credits').check();
  await redo.getByLabel('Words for the voice').fill('The fox never sleeps.');
  await redo.getByRole('button', { name: 'Make anew for 3 credits' }).waitFor();
  await expectAccessible(page);
  await redo.getByRole('button', { name: 'Make anew for 3 credits' }).click();
  await page.waitForURL((url) => url.pathname.includes('/dramas/') && !url.pathname.endsWith(taskId));
  // The address comes a moment before its page.
  await page.getByText('Version 2 (shown)').waitFor();
  await waitForBadge(page, 'Done');
  expect((await budgetOf(page)).Spent).toBe(3);
  await expect.poll(() => balanceOf(page), { timeout: 180_000 }).toBe(START - STORYBOARD - spent - 3);
  const versions = page.getByRole('list', { name: 'Versions' }).getByRole('link');
  expect(await versions.count()).toBe(2);
  expect(await versions.nth(1).getAttribute('aria-current')).toBe('page');
  await page.getByRole('link', { name: 'Compare with version 1' }).click();
  await page.getByRole('region', { name: 'Version 1' }).locator('video').waitFor();
  await expectAccessible(page);
  await versions.first().click();
  await page.waitForURL(`**/workbench/dramas/${taskId}`);
  await page.getByText('This is not the newest version.').waitFor();
});

async function failedPictures(taskId: string): Promise<number> {
  const rows = await stage.sql`
    select 1 from composite_steps
    where task_id = ${taskId} and key like 'shot:%:picture:%' and status = 'failed'`;
  return rows.length;
}

/** What the captions that can be switched on say, once the player has read them. */
async function captionsOf(film: Locator): Promise<string[]> {
  return film.evaluate(async (player: HTMLVideoElement) => {
    const [element] = player.querySelectorAll('track');
    if (!element) throw new Error('no captions');
    element.track.mode = 'showing';
    if (element.readyState !== HTMLTrackElement.LOADED)
      await new Promise((resolve, reject) => {
        element.addEventListener('load', resolve);
        element.addEventListener('error', reject);
      });
    return [...(element.track.cues ?? [])].map((cue) => (cue as VTTCue).text);
  });
}
