import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Presses Tab until the element that matches has the focus, and checks that one can see where it is. */
export async function tabTo(page: Page, selector: string): Promise<void> {
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

/** Back to the start of the page's content, as the skip link allows, and forward to the element. */
export async function tabFromStart(page: Page, selector: string): Promise<void> {
  await page.evaluate(() => document.querySelector<HTMLElement>('#main')?.focus());
  await tabTo(page, selector);
}
