import type { BrowserContext, Page } from 'playwright-core';

declare global {
  interface Window {
    /** What this tab had the browser show, and whether it plays to be in the background. */
    notices: Notification[];
    isInBackground: boolean;
  }
}

/** Keeps what tabs of this profile have the browser show, and lets them play to be in the background. */
export async function recordNotices(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const shown: Notification[] = [];
    window.notices = shown;
    window.isInBackground = false;
    window.Notification = class extends Notification {
      constructor(title: string, options?: NotificationOptions) {
        super(title, options);
        shown.push(this);
      }
    };
    Object.defineProperty(document, 'visibilityState', {
      get: () => (window.isInBackground ? 'hidden' : 'visible'),
    });
  });
}

/** Sends a tab to the background, where it looks at once for what has happened; again when it is there already. */
export async function lookInBackground(page: Page): Promise<void> {
  const looked = page.waitForResponse((response) => response.url().endsWith('/notifications/recent'));
  await turn(page, 'background');
  await (await looked).finished();
}

/** Brings a tab to the front, or sends it to the background. */
export async function turn(page: Page, to: 'front' | 'background'): Promise<void> {
  await page.evaluate((isInBackground) => {
    window.isInBackground = isInBackground;
    document.dispatchEvent(new Event('visibilitychange'));
  }, to === 'background');
}

export const noticesOf = (page: Page): Promise<{ title: string; body: string }[]> =>
  page.evaluate(() => window.notices.map(({ title, body }) => ({ title, body })));

/** Presses the first one, as its reader would. */
export async function pressNotice(page: Page): Promise<void> {
  await page.evaluate(() => void window.notices[0]?.dispatchEvent(new Event('click')));
}
