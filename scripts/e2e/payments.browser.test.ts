import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll } from './accessibility.ts';
import { prepareStage } from './stage.ts';
import { waitForScripts } from './visitor.ts';
import { balanceOf } from './workbench.ts';

/** Buying credits from the pack to the ledger, with the page of the played payment vendor in between. */

const stage = prepareStage();

const START = 100;
const PACK = 500;

/** Waits as somebody would who looks at the balance again. */
const hasBalance = (page: Page, credits: number) =>
  expect
    .poll(
      async () => {
        await page.reload();
        return balanceOf(page);
      },
      { timeout: 180_000 },
    )
    .toBe(credits);

const onPaymentPage = (page: Page) => page.waitForURL(/\/pay\/pco_/);
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const orderIdOf = (page: Page) => /\/orders\/([\w-]+)/.exec(page.url())?.[1] ?? '';

async function choosePack(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Buy Medium' }).click();
  await onPaymentPage(page);
}

test('buying a pack: chosen, paid on the vendor’s page, credited; every page can be used on a phone', async () => {
  const visitor = await stage.visitAsMember({ viewport: { width: 360, height: 740 } });
  const { page } = visitor;
  await visitor.open('/credits/buy');
  expect(await balanceOf(page)).toBe(START);
  await page.getByText('no money moves').waitFor();
  await choosePack(page);

  await page.getByText('No money moves').waitFor();
  await page.getByText('€19.00').first().waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await press(page, 'Pay');

  await page.waitForURL('**/orders/*');
  await waitForScripts(page);
  await page.getByText('It was paid, and its credits are yours.').waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await hasBalance(page, START + PACK);
  await visitor.open('/credits');
  await page.getByRole('table', { name: 'Ledger entries' }).getByText('+500').waitFor();
});

test('a declined payment leaves the order open; a payment works without scripts', async () => {
  const visitor = await stage.visitAsMember({ javaScriptEnabled: false });
  const { page } = visitor;
  await visitor.open('/credits/buy');
  await page.getByRole('button', { name: 'Buy Medium' }).click();
  await page.waitForURL('**/orders/*');
  await page.getByRole('link', { name: 'Pay now' }).click();
  await onPaymentPage(page);
  await press(page, 'Decline');
  await page.getByText('The payment was declined.').waitFor();
  await press(page, 'Pay');
  await page.waitForURL('**/orders/*');
  await hasBalance(page, START + PACK);
  await page.getByText('It was paid, and its credits are yours.').waitFor();
});

test('B65 paid twice: credited once, and the second payment goes back once', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await stage.startDaemon();
  await visitor.open('/credits/buy');
  await choosePack(page);
  await page.getByRole('checkbox', { name: 'Tell the shop three times at once' }).check();
  await press(page, 'Pay twice');
  await page.waitForURL('**/orders/*');
  await hasBalance(page, START + PACK);

  const orderId = orderIdOf(page);
  const seen = () => stage.control.payments({ orderId });
  await expect.poll(async () => (await seen()).refunds.length, { timeout: 180_000 }).toBe(1);
  const { payments, refunds } = await seen();
  expect(payments).toHaveLength(2);
  expect(refunds).toMatchObject([{ amountMinor: 1_900, ourRefundId: expect.any(String) }]);
  await hasBalance(page, START + PACK);
});

test('B67 a refund on the vendor’s panel takes the credits back, however often it is told', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/credits/buy');
  await choosePack(page);
  const panel = page.url();
  await press(page, 'Pay');
  await page.waitForURL('**/orders/*');
  const order = page.url();
  await hasBalance(page, START + PACK);

  await page.goto(panel);
  await page.getByRole('group', { name: 'The vendor’s panel' }).getByRole('checkbox').check();
  await expectAccessible(page);
  await press(page, 'Refund all');
  await page.getByText('Refunded on the vendor’s side.').waitFor();
  await page.goto(order);
  await hasBalance(page, START);
  await page.getByText('€19.00 went back to how you paid.').waitFor();
  await expectAccessible(page);
});
