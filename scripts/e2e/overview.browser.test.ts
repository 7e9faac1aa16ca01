import type { BrowserContextOptions } from 'playwright-core';
import { expect, test } from 'vitest';
import { DEFAULT_API_KEY } from '#scripts/sandbox/server.ts';
import { newId } from '#server/lib/ids.ts';
import { expectAccessible, expectNoSidewaysScroll } from './accessibility.ts';
import { prepareStage } from './stage.ts';
import { callProcedure, enterQuietly, type Visitor } from './visitor.ts';
import { submitOrder, waitForStatus } from './workbench.ts';

const stage = prepareStage();

async function visitAsAdmin(options?: BrowserContextOptions): Promise<Visitor> {
  const admin = await stage.visit(options);
  await enterQuietly(admin, { email: stage.site.adminEmail, password: stage.site.adminPassword });
  return admin;
}

/** A channel and a model of this test alone. */
async function addChannel(admin: Visitor, name: string): Promise<string> {
  const { channelId } = (await callProcedure(admin, 'channels.create', {
    name,
    baseUrl: `${stage.site.sandboxUrl}/v1`,
    apiKey: DEFAULT_API_KEY,
    templates: ['gpt-4o-mini', 'gpt-image-1'],
  })) as { channelId: string };
  return channelId;
}

test('the overview counts what people submit, in pictures and in tables', async () => {
  const member = await stage.visitAsMember();
  await member.open('/workbench?make=image');
  await waitForStatus(await submitOrder(member.page, { kind: 'image', prompt: 'Counted once' }), 'succeeded');

  const admin = await visitAsAdmin();
  const { page } = admin;
  await admin.open('/admin?window=1h');
  const chart = page.getByRole('img', { name: /^Tasks by when they were submitted: [1-9]/ });
  await chart.waitFor();
  await page.locator('#throughput summary').click();
  const table = page.getByRole('table', { name: 'Tasks by when they were submitted' });
  const counted = await table.locator('tbody td:nth-child(2)').allTextContents();
  expect(counted.reduce((sum, text) => sum + Number(text), 0)).toBeGreaterThan(0);
  // The books are audited in the background; a later look has the result.
  await page.waitForFunction(async () => (await (await fetch('/admin')).text()).includes('checked within'));
  await admin.open('/admin?window=30d');
  await page.getByText('Right', { exact: true }).waitFor();
  await expectAccessible(page);

  // Without a script, on a phone: the same figures, and links to other windows.
  const plain = await visitAsAdmin({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
  await plain.open('/admin');
  await plain.page.getByRole('link', { name: '7 days' }).click();
  await plain.page.waitForURL('**/admin?window=7d');
  await plain.page.locator('#throughput summary').click();
  expect(await plain.page.locator('#throughput table').isVisible()).toBe(true);
  await expectNoSidewaysScroll(plain.page);
});

test('a channel is turned off with a reason, its list says why, and it is turned on again', async () => {
  const admin = await visitAsAdmin();
  const { page } = admin;
  const name = `Account ${newId().slice(-6)}`;
  const channelId = await addChannel(admin, name);
  await admin.open(`/admin/channels/${channelId}`);
  const off = page.getByRole('form', { name: 'Turn off' });
  await off.getByRole('button', { name: 'Turn off' }).click();
  await off.getByText('Say why.').waitFor();
  await off.getByRole('textbox').fill('Their bill is unpaid');
  await off.getByRole('button', { name: 'Turn off' }).click();
  await page.getByRole('form', { name: 'Turn on' }).waitFor();
  await expectAccessible(page);

  await admin.open(`/admin/channels?state=off&text=${encodeURIComponent(name)}`);
  const row = page.getByRole('row', { name: new RegExp(name) });
  await row.getByText(/Turned off.*by .*Their bill is unpaid/).waitFor();
  expect(await page.getByRole('row').count()).toBe(2);
  await expectAccessible(page);

  // The other way round without a script.
  const plain = await visitAsAdmin({ javaScriptEnabled: false });
  await plain.open(`/admin/channels/${channelId}`);
  const on = plain.page.getByRole('form', { name: 'Turn on' });
  await on.getByRole('textbox').fill('It is paid');
  await on.getByRole('button', { name: 'Turn on' }).click();
  await plain.page.getByText(/Turned on.*It is paid/).waitFor();
});

test('models are filtered and change places', async () => {
  const admin = await visitAsAdmin();
  const { page } = admin;
  const channelId = await addChannel(admin, `Account ${newId().slice(-6)}`);
  await admin.open(`/admin/models?channel=${channelId}&sort=title`);
  expect(await page.getByRole('row').count()).toBe(3);
  expect(await page.getByRole('button', { name: /^Move/ }).count()).toBe(0);
  await expectAccessible(page);

  await admin.open('/admin/models?kind=image');
  const titles = () => page.locator('tbody tr td:first-child code').allTextContents();
  const before = await titles();
  await page
    .getByRole('button', { name: /^Move .* up$/ })
    .first()
    .click();
  const [first = '', second = '', ...others] = before;
  await expect.poll(titles, { timeout: 60_000 }).toEqual([second, first, ...others]);
});
