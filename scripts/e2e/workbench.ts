import type { Locator, Page } from 'playwright-core';
import type { Kind, Status } from '#server/generation/status.ts';
import { waitForScripts } from './visitor.ts';

type Order = {
  kind: Kind;
  prompt: string;
  /** Segmented parameters by their label, e.g. `{ Images: '2' }`. */
  choose?: Record<string, string>;
};

/** Fills the composer of a kind and leaves the button to the test. */
export async function fillOrder(page: Page, { kind, prompt, choose = {} }: Order): Promise<void> {
  const tab = page.getByRole('navigation', { name: 'What to make' }).getByRole('link', { name: kind });
  if ((await tab.getAttribute('aria-current')) !== 'page') await tab.click();
  const form = page.getByRole('form', { name: `New ${kind}` });
  await form.getByLabel('Prompt').fill(prompt);
  for (const [label, option] of Object.entries(choose))
    await form.getByRole('group', { name: label }).getByRole('radio', { name: option, exact: true }).check();
}

export const generateButton = (page: Page): Locator => page.getByRole('button', { name: 'Generate' });

/** Submits and waits until the task is in the list. Returns its card. */
export async function submitOrder(page: Page, order: Order): Promise<Locator> {
  await fillOrder(page, order);
  await generateButton(page).click();
  const task = cardOf(page, order.prompt);
  await task.waitFor();
  return task;
}

/** The card of a task in the list, by its prompt. */
export const cardOf = (page: Page, prompt: string): Locator => page.getByRole('article', { name: prompt });

/** Waits, as a reader of the page would, until a card shows a status. */
export async function waitForStatus(card: Locator, ...statuses: Status[]): Promise<void> {
  const wanted = statuses.map((status) => `[data-status="${status}"]`).join(', ');
  await card.and(card.page().locator(`article:is(${wanted})`)).waitFor();
}

/** The id of a card's task, from its link. */
export async function taskIdOf(card: Locator): Promise<string> {
  const href = await card.getByRole('heading').getByRole('link').getAttribute('href');
  return href?.split('/').at(-1) ?? '';
}

/** The balance in the header. */
export async function balanceOf(page: Page): Promise<number> {
  const text = await page.getByRole('banner').getByRole('link', { name: 'Balance' }).textContent();
  return Number((text ?? '').replace(/[^\d]/g, ''));
}

export async function openTask(card: Locator): Promise<void> {
  const page = card.page();
  await card.getByRole('heading').getByRole('link').click();
  await page.waitForURL('**/workbench/tasks/*');
  await page.getByRole('heading', { name: 'What happened' }).waitFor();
  await waitForScripts(page);
}

/** Plays without sound, for machines without a loudspeaker, and returns the time once it moves. */
export async function playOf(media: Locator): Promise<number> {
  await media.scrollIntoViewIfNeeded();
  return media.evaluate(async (element) => {
    if (!(element instanceof HTMLMediaElement)) throw new Error('not a player');
    element.muted = true;
    await element.play();
    while (element.currentTime === 0)
      await new Promise((resolve) => element.addEventListener('timeupdate', resolve, { once: true }));
    element.pause();
    return element.currentTime;
  });
}

/** What the budget of an agent or drama says, by label: `{ Spent: 9 }`. */
export async function budgetOf(page: Page): Promise<Record<string, number>> {
  const rows = page.getByRole('region', { name: 'Budget', exact: true }).locator('dl > div');
  const texts = await rows.evaluateAll((all) =>
    all.map((row) => [
      row.querySelector('dt')?.textContent ?? '',
      row.querySelector('dd')?.textContent ?? '',
    ]),
  );
  return Object.fromEntries(texts.map(([label, amount]) => [label, Number(amount?.replace(/[^\d]/g, ''))]));
}

/** Waits, as a reader of the page would, until an agent or drama has reached a status. */
export async function waitForBadge(page: Page, status: string): Promise<void> {
  await page.getByRole('region', { name: 'State' }).getByText(status, { exact: true }).waitFor();
}

/** The id at the end of the address of an agent or drama. */
export async function compositeIdOf(page: Page): Promise<string> {
  await page.waitForURL(/\/workbench\/(agents|dramas)\/[0-9a-f-]{36}$/);
  return new URL(page.url()).pathname.split('/').at(-1) ?? '';
}
