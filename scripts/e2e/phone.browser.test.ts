import { expect, test } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll } from './accessibility.ts';
import { prepareStage } from './stage.ts';
import { enterQuietly, type Visitor } from './visitor.ts';
import { cardOf, fillOrder, generateButton, submitOrder, taskIdOf, waitForStatus } from './workbench.ts';

const stage = prepareStage();

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

/** A page that fits and that everybody can use; in the dark, too. */
async function expectFit(visitor: Visitor, path: string): Promise<void> {
  await visitor.open(path);
  await expectNoSidewaysScroll(visitor.page);
  await expectAccessible(visitor.page);
}

test('the main job is done on a phone', async () => {
  const visitor = await stage.visitAsMember(PHONE);
  const { page } = visitor;
  await expectFit(visitor, '/workbench');
  await page.getByRole('navigation', { name: 'What to make' }).getByRole('link', { name: 'Video' }).tap();
  await fillOrder(page, { kind: 'video', prompt: 'Waves from a phone' });
  await generateButton(page).tap();
  await page.getByRole('link', { name: 'Show it' }).tap();
  const card = cardOf(page, 'Waves from a phone');
  await expect.poll(() => isInWindow(visitor, 'Waves from a phone'), { timeout: 60_000 }).toBe(true);
  await waitForStatus(card, 'succeeded');
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await card.getByRole('heading').getByRole('link').tap();
  await page.getByRole('heading', { name: 'What happened' }).waitFor();
  await page.locator('video').waitFor();
  await expectNoSidewaysScroll(page);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Credits' }).tap();
  await page.waitForURL('**/credits');
});

test('no page of a visitor or a member scrolls sideways on a phone', async () => {
  const guest = await stage.visit(PHONE);
  for (const path of ['/', '/login', '/signup']) await expectFit(guest, path);
  guest.expectProblem(/404/);
  await expectFit(guest, '/no/such/page');

  const member = await stage.visitAsMember(PHONE);
  await member.open('/workbench');
  const long = `${'Pneumonoultramicroscopicsilicovolcanoconiosis'.repeat(3)} in one word [[fail]]`;
  const failed = await submitOrder(member.page, { kind: 'image', prompt: long, choose: { Images: '2' } });
  const taskId = await taskIdOf(failed);
  await waitForStatus(failed, 'failed');
  for (const path of [
    '/workbench?make=image',
    '/workbench?make=video',
    '/workbench?make=audio',
    '/workbench?make=text',
    `/workbench/tasks/${taskId}`,
    '/credits',
    '/credits/buy',
    '/orders',
    '/redeem',
    '/invites',
    '/settings',
    '/settings/password',
    '/settings/sessions',
    '/settings/tokens',
    '/settings/data',
  ])
    await expectFit(member, path);
  guest.expectProblem(/404/);
  await expectFit(guest, '/invite/NOBODYS1');
});

test('no page of an administrator scrolls sideways on a phone, and all are clean in the dark', async () => {
  const admin = await stage.visit({ ...PHONE, colorScheme: 'dark' });
  await enterQuietly(admin, { email: stage.site.adminEmail, password: stage.site.adminPassword });
  await admin.open('/workbench');
  const card = await submitOrder(admin.page, { kind: 'image', prompt: 'A lamp in a dark room' });
  const taskId = await taskIdOf(card);
  await waitForStatus(card, 'succeeded');
  await stage.startDaemon();
  const [channel] = await stage.sql<{ id: string }[]>`select id from provider_channels limit 1`;
  const [user] = await stage.sql<{ id: string }[]>`select id from users limit 1`;
  const [model] = await stage.sql<{ id: string }[]>`select id from models limit 1`;
  for (const path of [
    '/workbench',
    `/workbench/tasks/${taskId}`,
    '/credits',
    '/settings',
    '/admin',
    '/admin/attention',
    '/admin/webhooks',
    '/admin/tasks',
    `/admin/tasks/${taskId}`,
    '/admin/channels',
    '/admin/channels/new',
    `/admin/channels/${channel?.id}`,
    '/admin/models',
    '/admin/models/new',
    `/admin/models/${model?.id}`,
    '/admin/workers',
    '/admin/money',
    '/admin/money/audit',
    '/admin/users',
    `/admin/users/${user?.id}`,
    '/admin/orders',
    '/admin/orders/mismatches',
    '/admin/packs',
    '/admin/refunds',
    '/admin/refunds/money',
    '/admin/codes',
    '/admin/invites',
  ])
    await expectFit(admin, path);
});

async function isInWindow({ page }: Visitor, prompt: string): Promise<boolean> {
  const box = await cardOf(page, prompt).boundingBox();
  return box !== null && box.y < PHONE.viewport.height && box.y + box.height > 0;
}
