import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { prepareStage } from './stage.ts';
import { openTask, submitOrder, waitForStatus } from './workbench.ts';

const stage = prepareStage();

/** A mark on the window that no reload survives. */
const markPage = (page: Page) =>
  page.evaluate(() => document.documentElement.setAttribute('data-kept', 'yes'));
const isMarked = (page: Page) => page.evaluate(() => document.documentElement.hasAttribute('data-kept'));

test('without a daemon the open page itself takes the task to its end, live', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/workbench?make=video');
  const card = await submitOrder(page, { kind: 'video', prompt: 'A train at night [[delay:3600000]]' });
  await waitForStatus(card, 'running');
  await page.getByText('Live', { exact: true }).waitFor();
  await markPage(page);
  await stage.control.release();
  await waitForStatus(card, 'succeeded');
  await card.locator('video').waitFor();
  await expect
    .poll(() => page.getByRole('status').allTextContents(), { timeout: 60_000 })
    .toContainEqual(expect.stringContaining('is done. 20 credits charged.'));
  expect(await isMarked(page)).toBe(true);
});

test('when the stream is broken, plain requests show the end', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  visitor.expectProblem(/generation\.watch/);
  let broken = 0;
  await page.route('**/api/trpc/generation.watch*', (route) => {
    broken += 1;
    return route.abort();
  });
  await visitor.open('/workbench?make=video');
  const card = await submitOrder(page, { kind: 'video', prompt: 'A ship at dawn [[delay:3600000]]' });
  await page.getByText('Live updates are interrupted').waitFor();
  await waitForStatus(card, 'running');
  await markPage(page);
  await stage.control.release();
  await waitForStatus(card, 'succeeded');
  expect(await isMarked(page)).toBe(true);
  expect(broken).toBeGreaterThan(0);
});

test('the page of a task follows it too, with its history', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/workbench?make=video');
  const card = await submitOrder(page, { kind: 'video', prompt: 'A kite on a beach [[delay:3600000]]' });
  await waitForStatus(card, 'running');
  await openTask(card);
  await markPage(page);
  await stage.control.release();
  await page.locator('video').waitFor();
  await page.getByText('20 credits were charged for what was delivered.').waitFor();
  expect(await isMarked(page)).toBe(true);
});
