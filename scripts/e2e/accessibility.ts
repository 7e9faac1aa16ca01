import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** No violation of WCAG 2.2 A and AA that axe can find on the page as it is now. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async (tags) => {
    // biome-ignore lint/suspicious/noExplicitAny: axe lives in the page
    const result = await (window as any).axe.run(document, { runOnly: { type: 'tag', values: tags } });
    return (result as axe.AxeResults).violations.map(
      ({ id, help, nodes }) =>
        `${id}: ${help}: ${nodes.map((node) => `${node.target.join(' ')} ${node.failureSummary ?? ''}`).join('; ')}`,
    );
  }, TAGS);
  expect(violations, `accessibility of ${page.url()}: ${violations.join('; ')}`).toEqual([]);
}

/** The page is no wider than its window: nothing to scroll sideways for. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const widths = await page.evaluate(() => ({
    window: document.documentElement.clientWidth,
    screen: window.screen.width,
    page: document.documentElement.scrollWidth,
  }));
  expect(widths.page, `width of ${page.url()}`).toBeLessThanOrEqual(Math.min(widths.window, widths.screen));
}
