import { expect, test } from 'vitest';
import { DEFAULT_API_KEY } from '#scripts/sandbox/server.ts';
import { expectAccessible } from './accessibility.ts';
import { prepareStage } from './stage.ts';
import { enterQuietly, type Visitor } from './visitor.ts';
import { balanceOf, submitOrder, taskIdOf, waitForStatus } from './workbench.ts';

const stage = prepareStage();

async function visitAsAdmin(): Promise<Visitor> {
  const admin = await stage.visit();
  await enterQuietly(admin, { email: stage.site.adminEmail, password: stage.site.adminPassword });
  return admin;
}

test('a channel is added with a ready-made model, tested, and used', async () => {
  const admin = await visitAsAdmin();
  const { page } = admin;
  await admin.open('/admin/channels/new');
  await expectAccessible(page);
  await page.getByLabel('Name').fill('Second account');
  await page.getByLabel('Base URL').fill(`${stage.site.sandboxUrl}/v1/`);
  await page.getByLabel('API key').fill('sk-not-this-one');
  await page.getByRole('checkbox', { name: 'GPT-4o mini' }).last().check();
  await page.getByRole('button', { name: 'Add channel' }).click();
  await page.waitForURL('**/admin/channels/*?added=1');
  await page.getByRole('button', { name: 'Test it' }).click();
  await page.getByText('The test failed', { exact: true }).waitFor();
  await expectAccessible(page);
  expect(await page.content()).not.toContain('sk-not-this-one');

  await page.getByLabel('New API key').fill(DEFAULT_API_KEY);
  await page.getByRole('button', { name: 'Replace the key' }).click();
  await page.getByText('Saved.').waitFor();
  await page.getByRole('button', { name: 'Test it' }).click();
  await page.getByText('The channel answers', { exact: true }).waitFor();
  await expectAccessible(page);

  const visitor = await stage.visitAsMember();
  await visitor.open('/workbench?make=text&model=gpt-4o-mini');
  const card = await submitOrder(visitor.page, { kind: 'text', prompt: 'Over the second account' });
  await waitForStatus(card, 'succeeded');
  await card.getByText('GPT-4o mini').waitFor();
});

test('the workers page shows the daemon at work', async () => {
  const admin = await visitAsAdmin();
  const { page } = admin;
  const workerId = await stage.startDaemon();
  await admin.open('/admin/workers');
  const panel = page.getByRole('region', { name: workerId });
  await panel.getByText('At work').waitFor();
  await expectAccessible(page);
});

test('an uncertain task is resolved as failed, with a reason, and its user gets the credits back', async () => {
  const visitor = await stage.visitAsMember();
  await visitor.open('/workbench?make=image');
  const prompt = 'A picture whose answer is lost [[drop_after_accept]]';
  const card = await submitOrder(visitor.page, { kind: 'image', prompt, choose: { Images: '2' } });
  await waitForStatus(card, 'uncertain');
  await card.getByText(/its answer never reached us.*It is not sent again/).waitFor();
  expect(await balanceOf(visitor.page)).toBe(92);
  await expectAccessible(visitor.page);
  const taskId = await taskIdOf(card);

  const admin = await visitAsAdmin();
  const { page } = admin;
  await admin.open('/admin/tasks?status=uncertain');
  await expectAccessible(page);
  await page.getByRole('link', { name: /A picture whose answer is lost/ }).click();
  await page.waitForURL(`**/admin/tasks/${taskId}`);
  const form = page.getByRole('form', { name: 'The upstream has no job' });
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Fail and refund' }).click();
  await form.getByRole('button', { name: 'Fail and refund it' }).click();
  // Not without a reason.
  await form.getByText('Fill this in.').waitFor();
  await form.getByRole('textbox').fill('Their dashboard lists no such job.');
  await form.getByRole('button', { name: 'Fail and refund' }).click();
  await form.getByRole('button', { name: 'Fail and refund it' }).click();
  await page.getByText('Failed: resolved_by_operator').waitFor();
  await page
    .getByText(/Their dashboard lists no such job/)
    .first()
    .waitFor();

  await waitForStatus(card, 'failed');
  await card.getByText('An administrator confirmed').waitFor();
  await card.getByText('Refunded 8 credits').waitFor();
  await expect.poll(() => balanceOf(visitor.page), { timeout: 60_000 }).toBe(100);
});

test('an uncertain task is resolved with the result itself, which is delivered and charged', async () => {
  const visitor = await stage.visitAsMember();
  await visitor.open('/workbench?make=image');
  const prompt = 'A picture that only their dashboard shows [[drop_after_accept]]';
  const card = await submitOrder(visitor.page, { kind: 'image', prompt, choose: { Images: '2' } });
  await waitForStatus(card, 'uncertain');
  const taskId = await taskIdOf(card);
  const [dispatch] = await stage.sql<{ id: string }[]>`select id from dispatches where task_id = ${taskId}`;
  const [job] = await stage.control.jobs({ clientRef: dispatch?.id });
  const fileOf = (ordinal: number) => `${stage.site.sandboxUrl}/files/${job?.id}/${ordinal}.png`;

  const admin = await visitAsAdmin();
  const { page } = admin;
  await admin.open('/admin');
  await page.getByRole('link', { name: /^Needs attention/ }).click();
  const item = page.getByRole('article').filter({ has: page.locator(`a[href="/admin/tasks/${taskId}"]`) });
  await item.getByText(/no clear answer/).waitFor();
  expect(await item.getByRole('textbox', { name: 'Our reference' }).inputValue()).toBe(dispatch?.id);
  await expectAccessible(page);
  await item.getByRole('link', { name: 'Resolve it' }).click();
  await page.waitForURL(`**/admin/tasks/${taskId}#resolve`);

  const form = page.getByRole('form', { name: 'The result is here' });
  const addresses = form.getByLabel('Addresses of the files');
  await addresses.fill(`${fileOf(0)}\nwww.example.com/1.png`);
  await form.getByLabel('How do you know?').fill('Both are in their dashboard.');
  await form.getByRole('button', { name: 'Deliver these files' }).click();
  await form.getByText('Line 2 is no complete address').waitFor();
  await expectAccessible(page);
  await addresses.fill(`${fileOf(0)}\n${fileOf(1)}`);
  await form.getByRole('button', { name: 'Deliver these files' }).click();
  await page.getByText('The result is fetched, checked and charged now').waitFor();

  await waitForStatus(card, 'succeeded');
  await card.getByText('2 images').waitFor();
  await card.getByText('8 credits charged').waitFor();
  expect(await balanceOf(visitor.page)).toBe(92);
});

test('the webhook inbox keeps its filters in the address', async () => {
  const admin = await visitAsAdmin();
  const { page } = admin;
  const [channel] = await stage.sql<{ id: string; name: string }[]>`
    select id, name from provider_channels where name = 'Sandbox'`;
  const refused = await page.request.post(`/webhooks/${channel?.id}`, { data: { id: 'evt_forged' } });
  expect(refused.status()).toBe(401);
  await admin.open('/admin/webhooks');
  await expectAccessible(page);
  await page.getByLabel('State').selectOption({ label: 'Refused' });
  await page.getByLabel('Channel').selectOption({ label: 'Sandbox' });
  await page.getByRole('button', { name: 'Show' }).click();
  await page.waitForURL(`**/admin/webhooks?state=refused&channel=${channel?.id}`);
  const first = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem').first();
  await first.getByText('Not believed:').waitFor();
  await first.getByText('What it sent').click();
  await first.getByText('evt_forged').waitFor();
  await expectAccessible(page);
});
