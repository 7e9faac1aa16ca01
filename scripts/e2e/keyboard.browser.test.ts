import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { prepareStage } from './stage.ts';
import { newPerson, signUp, waitForScripts } from './visitor.ts';
import { cardOf, waitForStatus } from './workbench.ts';

const stage = prepareStage();

/** Presses Tab until the element that matches has the focus, and checks that one can see where it is. */
async function tabTo(page: Page, selector: string): Promise<void> {
  const path: string[] = [];
  for (let press = 0; press < 60; press += 1) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate((wanted) => {
      const element = document.activeElement;
      const style = element ? getComputedStyle(element) : null;
      return {
        found: element?.matches(wanted) ?? false,
        name: `${element?.tagName} ${element?.getAttribute('name') ?? element?.textContent?.slice(0, 30) ?? ''}`,
        seen: style ? style.outlineStyle !== 'none' || style.boxShadow !== 'none' || style.borderColor : '',
      };
    }, selector);
    path.push(at.name);
    if (at.found) {
      expect(at.seen, `focus on ${at.name}`).toBeTruthy();
      return;
    }
  }
  throw new Error(`Tab does not lead to ${selector}: ${path.join(' → ')}`);
}

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
  await tabToPrompt(page);
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

/** Back to the start of the page and forward to the prompt, as the skip link allows. */
async function tabToPrompt(page: Page): Promise<void> {
  await page.evaluate(() => document.querySelector<HTMLElement>('#main')?.focus());
  await tabTo(page, 'textarea[name="prompt"]');
}
