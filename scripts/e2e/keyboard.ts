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

/**
 * Goes through a page by Tab and back again by Shift+Tab: whatever takes the focus can be seen at one point at least, and
 * is not wholly behind a bar that stays in place (WCAG 2.4.11).
 */
export async function expectFocusInSight(page: Page, presses: number): Promise<void> {
  const hidden: string[] = [];
  for (const key of ['Tab', 'Shift+Tab']) {
    for (let press = 0; press < presses; press += 1) {
      await page.keyboard.press(key);
      const name = await page.evaluate(() => {
        const element = document.activeElement;
        if (!element || element === document.body) return null;
        const { left, top, width, height } = element.getBoundingClientRect();
        const places = [0.1, 0.5, 0.9];
        // The words of a label stand for the box that it belongs to.
        const whole = element.closest('label') ?? element;
        const seen = places.some((x) =>
          places.some((y) => {
            const hit = document.elementFromPoint(left + width * x, top + height * y);
            return hit !== null && (whole.contains(hit) || hit.contains(element));
          }),
        );
        return seen ? null : `${element.tagName} ${element.getAttribute('name') ?? element.textContent}`;
      });
      if (name) hidden.push(`${key}: ${name}`);
    }
  }
  expect(hidden, `hidden focus on ${page.url()}`).toEqual([]);
}

/** Back to the start of the page's content, as the skip link allows, and forward to the element. */
export async function tabFromStart(page: Page, selector: string): Promise<void> {
  await page.evaluate(() => document.querySelector<HTMLElement>('#main')?.focus());
  await tabTo(page, selector);
}
