import { expect, test } from 'vitest';
import { signDelivery } from '#server/notifications/sign-delivery.ts';
import { verifyStandardWebhook } from '#server/providers/standard-webhooks.ts';
import { expectAccessible } from './accessibility.ts';
import { prepareStage } from './stage.ts';
import { enterQuietly } from './visitor.ts';
import { submitOrder, waitForStatus } from './workbench.ts';

const stage = prepareStage();

test('what became of a task is told by the bell, leads to it and counts as read then', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/workbench');
  const card = await submitOrder(page, { kind: 'image', prompt: 'A boat at dawn' });
  await waitForStatus(card, 'succeeded');
  // Nothing lies below the list there.
  await visitor.open('/settings/password');
  const bell = page.getByRole('banner').getByRole('link', { name: 'Notifications, 1 unread' });
  await bell.click();
  const latest = page.getByRole('dialog', { name: /^Notifications/ });
  await latest.getByText('A boat at dawn').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await latest.waitFor({ state: 'hidden' });
  await bell.click();
  await latest.getByRole('link', { name: 'Your image is ready' }).click();
  await page.waitForURL('**/workbench/tasks/*');
  await page.getByRole('banner').getByRole('link', { name: 'Notifications', exact: true }).waitFor();

  await visitor.open('/notifications?show=unread');
  await page.getByText('Nothing unread').waitFor();
  await visitor.open('/notifications');
  await page.getByRole('main').getByRole('link', { name: 'Your image is ready' }).waitFor();
  await expectAccessible(page);
  // Without a script it is a plain page.
  const plain = await stage.visit({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
  await enterQuietly(plain, visitor.person);
  await plain.open('/notifications');
  await plain.page.getByRole('main').getByRole('link', { name: 'Your image is ready' }).click();
  await plain.page.waitForURL('**/workbench/tasks/*');
});

test('a webhook is set up, tested, looked at and sent again', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/settings/webhooks');
  await page.getByText('No endpoints').waitFor();
  const address = page.getByLabel('Address');
  await address.fill('http://169.254.169.254/latest');
  visitor.expectProblem(/400/);
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  await page.getByText(/not on the public Internet/).waitFor();
  await address.fill(`${stage.site.sandboxUrl}/nobody-listens-here`);
  await page.getByLabel('Description').fill('render farm');
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  const secret = await page.getByRole('textbox', { name: 'Signing secret' }).inputValue();
  // It works as the receivers' libraries expect it.
  const sentAt = new Date();
  const headers = signDelivery({ id: 'one', body: '{}', secrets: [secret], sentAt });
  expect(verifyStandardWebhook({ headers, rawBody: Buffer.from('{}'), secret, now: sentAt }).ok).toBe(true);
  await expectAccessible(page);
  await visitor.open('/settings/webhooks');
  expect(await page.content()).not.toContain(secret);

  await page.getByRole('link', { name: /Log and settings of/ }).click();
  await page.getByText('Nothing was sent yet').waitFor();
  await page.getByRole('button', { name: 'Send a test' }).click();
  const log = page.getByRole('list', { name: 'Deliveries' });
  await log.getByText(/1 try · It answered 4\d\d/).waitFor();
  await log.getByText('What is sent').first().click();
  await log.getByText(/Nothing has happened/).waitFor();
  await expectAccessible(page);
  await log.getByRole('button', { name: /^Send again/ }).click();
  await log.getByText(/2 tries/).waitFor();

  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Remove it' }).click();
  await page.getByText('The endpoint was removed.').waitFor();
  await page.getByText('No endpoints').waitFor();
});
