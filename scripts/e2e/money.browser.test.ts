import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { USER_IN_FLIGHT } from './global-setup.ts';
import { prepareStage } from './stage.ts';
import { balanceOf, cardOf, openTask, submitOrder, waitForStatus } from './workbench.ts';

const stage = prepareStage();

const hasBalance = (page: Page, credits: number) =>
  expect.poll(() => balanceOf(page), { timeout: 180_000 }).toBe(credits);

test('a failed task shows that it failed, why, and its refund; the balance is what it was', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/workbench?make=video');
  const prompt =
    'A storm that nobody can film [[delay:3600000]] [[fail:generation_failed,The sky was too dark.]]';
  const card = await submitOrder(page, { kind: 'video', prompt });
  await waitForStatus(card, 'running');
  await hasBalance(page, 80);
  await card.getByText('20 credits held').waitFor();

  await stage.control.release();
  await waitForStatus(card, 'failed');
  await card.getByText('Failed', { exact: true }).waitFor();
  await card.getByText(/could not finish this generation\. It said: The sky was too dark\./).waitFor();
  await card.getByText('Refunded 20 credits').waitFor();
  await hasBalance(page, 100);
  await expectAccessible(page);

  await openTask(card);
  await page.getByText('Nothing was charged: 20 credits are back in your balance.').waitFor();
  await page.getByText('Nothing was delivered.').waitFor();
  await expectAccessible(page);

  await visitor.open('/credits');
  const ledger = page.getByRole('table', { name: 'Ledger entries' });
  await ledger.getByText('+20').waitFor();
  await ledger.getByText('-20').or(ledger.getByText('−20')).waitFor();
  await ledger.getByText('Refund', { exact: true }).waitFor();
  await expectAccessible(page);
});

test('a task that was not sent is cancelled at once; one that runs by the word of upstream; a retry is a new task', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/workbench?make=text');
  const held = [];
  for (let place = 1; place <= USER_IN_FLIGHT; place += 1) {
    const card = await submitOrder(page, { kind: 'text', prompt: `Long letter ${place} [[delay:3600000]]` });
    await waitForStatus(card, 'running');
    held.push(card);
  }
  const queued = await submitOrder(page, { kind: 'text', prompt: 'A letter that waits its turn' });
  await waitForStatus(queued, 'queued');
  await queued.getByText('Nothing has been sent yet: it is free').waitFor();
  await queued.getByRole('button', { name: 'Cancel', exact: true }).click();
  await waitForStatus(queued, 'cancelled');
  await queued.getByText(/Re(fund|turn)ed 1 credit/).waitFor();
  await expectAccessible(page);

  const [running] = held;
  if (!running) throw new Error('no running task');
  await running.getByRole('button', { name: 'Ask to cancel' }).click();
  await waitForStatus(running, 'cancelled');
  await running.getByText(/Re(fund|turn)ed 1 credit/).waitFor();
  await hasBalance(page, 99);

  await queued.getByRole('button', { name: 'Run again' }).click();
  const again = cardOf(page, 'A letter that waits its turn').and(page.locator('[data-status="succeeded"]'));
  await again.waitFor();
  expect(await cardOf(page, 'A letter that waits its turn').count()).toBe(2);
  await openTask(again);
  await page.getByRole('link', { name: 'an earlier task' }).click();
  await page.getByText('It was cancelled before anything was made.').waitFor();
});
