import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { DEFAULT_API_KEY } from '#scripts/sandbox/server.ts';
import { expectAccessible, expectNoSidewaysScroll } from './accessibility.ts';
import { prepareStage } from './stage.ts';
import { enterQuietly, type Visitor } from './visitor.ts';
import { submitOrder, waitForStatus } from './workbench.ts';

const stage = prepareStage();

const TEMPLATE = JSON.stringify(
  {
    input: {
      text: '{{prompt}}',
      model: '{{model}}',
      size: '{{params.size}}',
      count: '{{params.n}}',
      seconds: '{{params.seconds|number}}',
    },
    ref: '{{ref}}',
  },
  null,
  2,
);
const PARAMETERS = JSON.stringify({
  n: { type: 'integer', label: 'Images', minimum: 1, maximum: 4, default: 2 },
  size: { type: 'choice', label: 'Size', options: ['512x512', '1024x1024'], default: '512x512' },
});

async function visitAsAdmin(options?: Parameters<typeof stage.visit>[0]): Promise<Visitor> {
  const admin = await stage.visit(options);
  await enterQuietly(admin, { email: stage.site.adminEmail, password: stage.site.adminPassword });
  return admin;
}

/** Describes the vendor that the sandbox plays below `/studio`. */
async function describeStudio(page: Page): Promise<void> {
  const fill = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value);
  await fill('Name', 'Studio');
  await fill('Base URL', `${stage.site.sandboxUrl}/studio`);
  await fill('API key', DEFAULT_API_KEY);
  await page.getByLabel('The key goes').selectOption({ label: 'In a header of its own' });
  await fill('Header or parameter', 'X-Studio-Key');
  await fill('Create path', '/renders');
  await fill('Template', TEMPLATE);
  await fill('Job id', 'ticket.no');
  await fill('Status', 'render.phase');
  await fill('Progress', 'render.percent');
  await fill('Result', 'render.files.*.href');
  await fill('Error message', 'render.problem.text, problem.text');
  await fill('Error code', 'render.problem.kind, problem.kind');
  await fill('Status words', 'painting = running\nready = succeeded\nbroken = failed\nstopped = cancelled');
  await fill('Poll path', '/renders/{id}');
  await fill('Cancel path', '/renders/{id}');
  await page.getByLabel('Cancel method').selectOption('DELETE');
  await fill('Free call', '/ping');
}

test('a service is described, tried on samples, saved as a channel, and used', async () => {
  const admin = await visitAsAdmin();
  const { page } = admin;
  await admin.open('/admin/channels/new');
  await page.getByRole('link', { name: 'Custom (described here)' }).click();
  await page.waitForURL('**/admin/channels/custom');
  await expectAccessible(page);
  await describeStudio(page);
  await page.getByLabel('Answer to the create').fill('{"ticket":{"no":"R-7"}}');
  await page
    .getByLabel('Answer to the poll')
    .fill('{"render":{"phase":"varnishing","percent":40,"files":[{"href":"https://cdn.example/1.png"}]}}');
  await page.getByRole('button', { name: 'Dry run' }).click();
  const result = page.getByRole('status', { name: 'Result of the dry run' });
  await result.getByText('Taken. The job "R-7" will be polled.').waitFor();
  await result.getByText(/"varnishing" is no known status word/).waitFor();
  await result
    .getByText(/x-studio-key: \*{8}/)
    .first()
    .waitFor();
  await expectAccessible(page);
  await page
    .getByLabel('Answer to the poll')
    .fill('{"render":{"phase":"ready","files":[{"href":"https://cdn.example/1.png"}]}}');
  await page.getByRole('button', { name: 'Dry run' }).click();
  await result.getByText('Finished. Results: 1.').waitFor();

  await page.getByRole('button', { name: 'Save as channel' }).click();
  await page.waitForURL('**/admin/channels/*?added=1');
  const channelId = new URL(page.url()).pathname.split('/').at(-1);
  await page.getByRole('button', { name: 'Test it' }).click();
  await page.getByText('The channel answers', { exact: true }).waitFor();

  await admin.open(`/admin/models/new?channel=${channelId}`);
  await page.getByLabel('Name in the API').fill('studio-canvas');
  await page.getByLabel('Title').fill('Studio canvas');
  await page.getByLabel('Upstream model').fill('canvas-1');
  await page.getByLabel('Parameters (JSON)').fill(PARAMETERS);
  await page.getByRole('button', { name: 'Add model' }).click();
  await page.waitForURL(`**/admin/channels/${channelId}`);

  const visitor = await stage.visitAsMember();
  await visitor.open('/workbench?make=image&model=studio-canvas');
  const card = await submitOrder(visitor.page, { kind: 'image', prompt: 'Over a described service' });
  await waitForStatus(card, 'succeeded');
  expect(await card.getByRole('img').count()).toBe(2);
  const failed = await submitOrder(visitor.page, { kind: 'image', prompt: 'One that breaks [[fail]]' });
  await waitForStatus(failed, 'failed');

  // The description comes back as it was written, and can be changed.
  await admin.open(`/admin/channels/custom?channel=${channelId}`);
  expect(await page.getByLabel('Template', { exact: true }).inputValue()).toBe(TEMPLATE);
  expect(await page.content()).not.toContain(DEFAULT_API_KEY);
  await page.getByLabel('Progress', { exact: true }).fill('');
  await page.getByRole('button', { name: 'Save the description' }).click();
  await page.waitForURL(`**/admin/channels/${channelId}`);
  await admin.open(`/admin/channels/custom?channel=${channelId}`);
  expect(await page.getByLabel('Progress', { exact: true }).inputValue()).toBe('');
});

test('a service can be described on a phone, and without scripts', async () => {
  const admin = await visitAsAdmin({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  for (const path of ['/admin/channels/custom', '/admin/channels/custom?preset=answer']) {
    await admin.open(path);
    await expectNoSidewaysScroll(admin.page);
    await expectAccessible(admin.page);
  }
  const plain = await visitAsAdmin({ javaScriptEnabled: false });
  await plain.open('/admin/channels/custom');
  await plain.page.getByLabel('Name', { exact: true }).fill('Kept through the reload');
  await plain.page
    .getByLabel('Answer to the poll')
    .fill('{"status":"failed","error":{"message":"No paint."}}');
  await plain.page.getByRole('button', { name: 'Dry run' }).click();
  await plain.page.getByText('Failed.', { exact: true }).waitFor();
  await plain.page.getByText('No paint.', { exact: true }).waitFor();
  expect(await plain.page.getByLabel('Name', { exact: true }).inputValue()).toBe('Kept through the reload');
});
