import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { expectAccessible } from './accessibility.ts';
import { prepareStage } from './stage.ts';
import { callProcedure, type Visitor } from './visitor.ts';

const stage = prepareStage();

const LOCALES = fileURLToPath(new URL('../../app/locales', import.meta.url));

/** English texts that Chinese pages have other words for, of every area that is translated. */
function englishOnly(): Set<string> {
  const out = new Set<string>();
  for (const file of readdirSync(path.join(LOCALES, 'en'))) {
    const [english, chinese] = ['en', 'zh-CN'].map((language) =>
      textsOf(JSON.parse(readFileSync(path.join(LOCALES, language, file), 'utf8'))),
    ) as [Map<string, string>, Map<string, string>];
    const kept = new Set(chinese.values());
    for (const text of english.values()) if (!kept.has(text) && /[A-Za-z]{2}/.test(text)) out.add(text);
  }
  return out;
}

function textsOf(node: object, before = ''): Map<string, string> {
  return new Map(
    Object.entries(node).flatMap(([key, value]) =>
      typeof value === 'object' && value !== null
        ? [...textsOf(value, `${before}${key}.`)]
        : [[`${before}${key}`, String(value)] as const],
    ),
  );
}

/**
 * What the page itself says in headings, navigation, buttons, labels and heads of tables, without what people wrote. The
 * labels of a composer are the administrator's: they come with the model.
 */
async function chromeOf(page: Page): Promise<string[]> {
  const words = 'h1, h2, h3, nav a, button, th, main a, [role="tab"]';
  const labels = new URL(page.url()).pathname === '/workbench' ? '' : ', label, legend';
  const texts = await page.locator(`${words}${labels}`).allInnerTexts();
  const names = await page
    .locator('nav[aria-label], button[aria-label], table[aria-label], form[aria-label]')
    .evaluateAll((elements) => elements.map((element) => element.getAttribute('aria-label') ?? ''));
  return [...texts.flatMap((text) => text.split('\n')), ...names].map((text) => text.trim()).filter(Boolean);
}

const english = englishOnly();

/** Opens a page, which has to say that it is Chinese. What of it is not, one after the other. */
async function englishLeftOn(visitor: Visitor, address: string): Promise<string[]> {
  await visitor.open(address);
  const { page } = visitor;
  expect(await page.locator('html').getAttribute('lang'), address).toBe('zh-CN');
  expect(await page.locator('main').textContent(), address).toMatch(/\p{Script=Han}/u);
  const left = (await chromeOf(page)).filter((text) => english.has(text));
  return left.map((text) => `${address}: ${text}`);
}

test('a person switches to 简体中文, and every page of theirs speaks it, in another browser too', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/settings');
  await page.getByLabel('Language').selectOption({ label: '简体中文' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: '个人资料' }).waitFor();
  await expectAccessible(page);

  const submitted = await callProcedure(visitor, 'generation.submit', {
    kind: 'text',
    model: 'sandbox-text',
    prompt: '海边的灯塔',
    requestKey: crypto.randomUUID(),
  });
  const { taskId } = submitted as { taskId: string };
  const addresses = [
    ...['image', 'video', 'audio', 'text'].map((kind) => `/workbench?make=${kind}`),
    `/workbench/tasks/${taskId}`,
    '/library',
    '/notifications',
    '/credits',
    '/credits/buy',
    '/orders',
    '/redeem',
    '/invites',
    '/settings',
    '/settings/password',
    '/settings/sessions',
    '/settings/tokens',
    '/settings/webhooks',
    '/settings/data',
  ];
  const left = [];
  for (const address of addresses) left.push(...(await englishLeftOn(visitor, address)));
  expect(left).toEqual([]);

  // Kept with the account, not only in this browser; refusals are translated as well.
  const elsewhere = await stage.visit();
  await callProcedure(elsewhere, 'auth.signIn', visitor.person);
  expect(await englishLeftOn(elsewhere, '/settings/password')).toEqual([]);
  await elsewhere.page.getByRole('button', { name: '更改密码' }).click();
  await elsewhere.page.getByText('请输入密码。').first().waitFor();
});

test('a visitor switches the language without a script, and the browser’s own is the first choice', async () => {
  const plain = await stage.visit({ javaScriptEnabled: false });
  await plain.open('/login?next=/credits');
  await plain.page.getByRole('button', { name: '简体中文' }).click();
  await plain.page.getByRole('heading', { level: 1, name: '登录' }).waitFor();
  expect(new URL(plain.page.url()).search).toBe('?next=/credits');
  await plain.open('/');
  expect(await plain.page.locator('html').getAttribute('lang')).toBe('zh-CN');

  const chinese = await stage.visit({ locale: 'zh-CN' });
  for (const address of ['/', '/login', '/signup']) {
    expect(await englishLeftOn(chinese, address)).toEqual([]);
  }
  await expectAccessible(chinese.page);
  await chinese.page.getByRole('button', { name: 'English' }).click();
  await chinese.page.getByRole('heading', { level: 1, name: 'Create an account' }).waitFor();
});

test('a page that opens with a refusal on it says the same words before and after the browser has taken it over', async () => {
  const visitor = await stage.visitAsMember({ locale: 'zh-CN' });
  await stage.startDaemon();
  const { taskId } = (await callProcedure(visitor, 'agents.submit', {
    goal: 'A postcard [[agent:one]] [[agent:call=generate_image {"model":"sandbox-image","prompt":"A","params":{"n":99}}]]',
    model: 'sandbox-text',
    allowed: [{ kind: 'image', model: 'sandbox-image' }],
    budgetCredits: 40,
    approval: 'none',
    requestKey: newId(),
  })) as { taskId: string };
  const ended = async () =>
    await stage.sql`select 1 from generation_tasks where id = ${taskId} and status = 'succeeded'`;
  await expect.poll(async () => (await ended()).length).toBe(1);
  await visitor.open(`/workbench/agents/${taskId}`);
  await visitor.page.getByText(/generate_image：Images：请输入 1 至 4 的整数/).waitFor();
});
