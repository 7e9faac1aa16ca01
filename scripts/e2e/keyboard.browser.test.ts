import { expect, test } from 'vitest';
import { expectFocusInSight, tabFromStart, tabTo } from './keyboard.ts';
import { prepareStage } from './stage.ts';
import { newPerson, signUp, waitForScripts } from './visitor.ts';
import { cardOf, waitForStatus } from './workbench.ts';

const stage = prepareStage();

test('the main job needs no mouse: from signing in to a result that is opened', async () => {
  const person = newPerson();
  const before = await stage.visit();
  await before.open('/signup');
  await signUp(before.page, person);
  await before.leave();

  const visitor = await stage.visit();
  const { page } = visitor;
  await visitor.open('/login');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content');
  await tabTo(page, 'input[name="email"]');
  await page.keyboard.type(person.email);
  await tabTo(page, 'input[name="password"]');
  await page.keyboard.type(person.password);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/workbench**');
  await waitForScripts(page);

  await tabTo(page, 'textarea[name="prompt"]');
  await page.keyboard.type('Typed without a mouse');
  await page.keyboard.press('Control+Enter');
  await cardOf(page, 'Typed without a mouse').waitFor();

  // Again, by the button, with two images chosen by the arrow keys.
  await tabFromStart(page, 'textarea[name="prompt"]');
  await page.keyboard.type('Two by the arrow keys');
  await tabTo(page, 'input[type="radio"][name="params.n"]');
  await page.keyboard.press('ArrowRight');
  await tabTo(page, 'form[aria-label="New image"] button[type="submit"]');
  await page.keyboard.press('Enter');
  const card = cardOf(page, 'Two by the arrow keys');
  await waitForStatus(card, 'succeeded');
  expect(await card.getByRole('img').count()).toBe(2);

  await tabTo(page, 'article a[aria-label^="Open image 1 of 2"]');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), { timeout: 60_000 })
    .toContain('Open image 1 of 2');
});

test('what takes the focus is not behind the header or the bar of a phone', async () => {
  const visitor = await stage.visitAsMember({ viewport: { width: 390, height: 560 } });
  for (const path of ['/workbench?make=video', '/settings', '/settings/webhooks', '/library']) {
    await visitor.open(path);
    await expectFocusInSight(visitor.page, 45);
  }
});
