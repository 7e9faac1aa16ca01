import { expect, test } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { signDelivery } from '#server/notifications/sign-delivery.ts';
import { verifyStandardWebhook } from '#server/providers/standard-webhooks.ts';
import { createClient } from '#server/trpc/client.ts';
import { expectAccessible } from './accessibility.ts';
import { lookInBackground, noticesOf, pressNotice, recordNotices, turn } from './browser-notices.ts';
import { prepareStage } from './stage.ts';
import { enterQuietly, type Visitor, waitForScripts } from './visitor.ts';
import { submitOrder, waitForStatus } from './workbench.ts';

const stage = prepareStage();

/** Orders as a program of this person would, and asks until it is done: what made it is told by then. */
async function makeTask({ page, webUrl }: Visitor, prompt: string): Promise<void> {
  const cookies = await page.context().cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const { generation } = createClient({ url: webUrl, headers: { cookie, origin: webUrl } });
  const order = { kind: 'image', model: 'sandbox-image', prompt, requestKey: newId() } as const;
  const { taskId } = await generation.submit.mutate(order);
  await expect
    .poll(async () => (await generation.get.query({ taskId })).status, { timeout: 180_000 })
    .toBe('succeeded');
}

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

test('the browser shows what has happened, in one tab of several, and leads to the task', async () => {
  const visitor = await stage.visitAsMember({ permissions: ['notifications'] });
  const { page } = visitor;
  await recordNotices(page.context());
  await visitor.open('/notifications');
  await page.getByRole('button', { name: 'Show browser notifications' }).click();
  await page.getByText(/^This browser shows notifications/).waitFor();
  await expectAccessible(page);
  const other = await page.context().newPage();
  await other.goto('/settings/password');
  await waitForScripts(other);
  // What is there before is known, and not news.
  await lookInBackground(page);
  await lookInBackground(other);
  await makeTask(visitor, 'A boat at dawn');
  await Promise.all([lookInBackground(page), lookInBackground(other)]);
  const shown = async () => [...(await noticesOf(page)), ...(await noticesOf(other))];
  await expect.poll(shown).toHaveLength(1);
  await lookInBackground(page);
  await lookInBackground(other);
  const [notice, ...more] = await shown();
  expect(notice).toMatchObject({
    title: 'Your image is ready',
    body: expect.stringMatching(/^A boat at dawn/),
  });
  expect(more).toEqual([]);
  const teller = (await noticesOf(page)).length > 0 ? page : other;
  await pressNotice(teller);
  await teller.waitForURL('**/workbench/tasks/*');
  await teller.getByRole('heading', { name: /A boat at dawn/ }).waitFor();

  // Switched off, a tab in the background asks for nothing and shows nothing.
  await visitor.open('/notifications');
  await page.getByRole('button', { name: 'Stop showing them' }).click();
  await page.getByRole('button', { name: 'Show browser notifications' }).waitFor();
  await turn(page, 'background');
  await makeTask(visitor, 'A boat at noon');
  await turn(page, 'front');
  await page.getByRole('banner').getByRole('link', { name: 'Notifications, 1 unread' }).waitFor();
  expect(await noticesOf(page)).toEqual([]);
});

test('a browser that refuses notifications is told how to allow them', async () => {
  const visitor = await stage.visitAsMember();
  // Granting one permission refuses all others.
  await visitor.page.context().grantPermissions(['geolocation']);
  await visitor.open('/notifications');
  await visitor.page.getByText(/^This browser refuses notifications/).waitFor();
  expect(await visitor.page.getByRole('button', { name: 'Show browser notifications' }).count()).toBe(0);
  await expectAccessible(visitor.page);
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
