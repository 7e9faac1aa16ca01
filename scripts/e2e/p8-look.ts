import { mkdirSync } from 'node:fs';
import { chromium } from 'playwright-core';
import postgres from 'postgres';
import { newId } from '#server/lib/ids.ts';
import { createClient } from '#server/trpc/client.ts';
import { startLocalSite } from './local-site.ts';
import { createVisitor, enterQuietly } from './visitor.ts';

const OUT = '/tmp/p8-shots';
mkdirSync(OUT, { recursive: true });
const site = await startLocalSite({ name: 'p8look', sandboxSpeed: 8 });
try {
  const { stack } = site;
  await stack.startDaemon();
  const sql = postgres(site.databaseUrl, { max: 1, onnotice: () => {} });
  const client = createClient({ url: stack.webUrl, token: stack.login.apiToken });
  const order = async (kind: any, prompt: string, params: any = {}) =>
    (await client.generation.submit.mutate({ kind, model: kind === 'audio' ? 'sandbox-speech' : `sandbox-${kind}`, prompt, params, requestKey: newId() })).taskId;
  const lost = await order('image', 'A picture whose answer is lost, seen from a hill [[drop_after_accept]]', { n: 2 });
  const lostText = await order('text', 'A letter that never arrives [[drop_after_accept]]');
  const failing = await order('video', 'A storm at sea [[fail]]', { seconds: '4' });
  const good = await order('image', 'A calm sea', { n: 1 });
  const until = async (id: string, status: string) => {
    for (;;) {
      const [row] = await sql`select status from generation_tasks where id = ${id}`;
      if (row?.status === status) return;
      await new Promise((r) => setTimeout(r, 300));
    }
  };
  await until(lost, 'uncertain'); await until(lostText, 'uncertain'); await until(failing, 'failed'); await until(good, 'succeeded');
  const browser = await chromium.connect(site.browserUrl);
  const shots: [string, { width: number; height: number }, 'light' | 'dark'][] = [
    ['1440-light', { width: 1440, height: 1000 }, 'light'],
    ['1440-dark', { width: 1440, height: 1000 }, 'dark'],
    ['390-light', { width: 390, height: 844 }, 'light'],
    ['390-dark', { width: 390, height: 844 }, 'dark'],
  ];
  const visitors = [];
  for (const [name, viewport, colorScheme] of shots) {
    const visitor = await createVisitor(browser, { webUrl: stack.webUrl }, { viewport, colorScheme, timezoneId: 'Europe/Berlin' });
    await enterQuietly(visitor, stack.login);
    visitors.push({ name, visitor });
  }
  const look = async (path: string, label: string, before?: (page: any) => Promise<void>) => {
    for (const { name, visitor } of visitors) {
      await visitor.open(path);
      if (before) await before(visitor.page);
      const wide = await visitor.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (wide > 0) console.log('OVERFLOW', label, name, wide);
      await visitor.page.screenshot({ path: `${OUT}/${label}-${name}.png`, fullPage: true, animations: 'disabled' });
    }
  };
  await look('/admin/webhooks', 'webhooks-empty');
  // Deliveries.
  const [channel] = await sql`select id from provider_channels limit 1`;
  const [dispatch] = await sql`select id from dispatches where task_id = ${good}`;
  const add = (row: Record<string, unknown>) => sql`insert into webhook_inbox ${sql({ id: newId(), channel_id: channel.id, dedupe_key: newId(), body: '{"id":"evt_1","data":{"id":"video_9007199254740993123","status":"completed","urls":["https://files.example/a-very-long-address/that-goes-on-and-on/and-on/result.mp4?sig=…"]}}', headers: { 'content-type': 'application/json', 'user-agent': 'vendor-hooks/1.0', 'webhook-id': 'msg_2b8f', 'webhook-timestamp': '1767607200' } as any, ...row })}`;
  await add({ status: 'refused', verified: false, reason: 'The signature does not match the body.', deliveries: 1 });
  await add({ status: 'pending', verified: false, upstream_id: 'video_9007199254740993123', upstream_status: 'completed', deliveries: 4 });
  await add({ status: 'matched', verified: true, upstream_id: 'video_68fa1c2d', upstream_status: 'video.completed', dispatch_id: dispatch.id, matched_at: new Date(), deliveries: 2 });
  await look('/admin/webhooks', 'webhooks', async (page) => { await page.locator('summary').first().click(); });
  await look('/admin/webhooks?state=refused&channel=' + channel.id + '&cursor=0190a0b0-0000-7000-8000-0000000000b1', 'webhooks-none');
  await look('/admin/attention', 'attention');
  await look('/admin', 'overview');
  await look('/workbench', 'user-list');
  await look(`/workbench/tasks/${lost}`, 'user-task');
  await look(`/admin/tasks/${lost}#resolve`, 'resolve', async (page) => {
    await page.getByRole('button', { name: 'Deliver these files' }).click();
    await page.getByText('Enter the address of at least one file.').waitFor();
  });
  await look(`/admin/tasks/${lostText}`, 'resolve-text');
  await look(`/admin/tasks/${failing}`, 'recover');
  await sql`update credit_refunds set status = 'manual', last_error = 'The ledger refused the entry: account is locked for maintenance.' where task_id = ${failing}`.catch((e) => console.log(String(e)));
  await look('/admin/attention', 'attention-refund');
  for (const { name, visitor } of visitors) if (visitor.problems.length) console.log(name, visitor.problems);
  await sql.end();
  await browser.close();
} finally {
  await site.stop();
}
