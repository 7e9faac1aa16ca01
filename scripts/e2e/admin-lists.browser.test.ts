import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { prepareStage } from './stage.ts';
import { enterQuietly, type Visitor } from './visitor.ts';

const stage = prepareStage();

async function visitAsAdmin(options?: Parameters<typeof stage.visit>[0]): Promise<Visitor> {
  const admin = await stage.visit(options);
  await enterQuietly(admin, { email: stage.site.adminEmail, password: stage.site.adminPassword });
  return admin;
}

/** A member of whom nothing may start, with these texts ordered: they stay in the queue. */
async function queueTexts(prompts: readonly string[]): Promise<{ email: string }> {
  const member = await stage.visitAsMember();
  await stage.sql`update users set in_flight_limit = 0 where email = ${member.person.email}`;
  for (const prompt of prompts) {
    const answer = await member.page.request.post('/api/trpc/generation.submit', {
      data: { json: { kind: 'text', model: 'sandbox-text', prompt, requestKey: randomUUID() } },
      headers: { origin: member.webUrl },
    });
    expect(answer.ok(), await answer.text()).toBe(true);
  }
  return { email: member.person.email };
}

const statusesOf = async (email: string) =>
  (
    await stage.sql<{ prompt: string; status: string }[]>`
      select d.prompt, t.status from generation_tasks t
      join generation_task_details d on d.task_id = t.id join users u on u.id = t.user_id
      where u.email = ${email} order by t.id`
  ).map(({ prompt, status }) => `${prompt}: ${status}`);

test('tasks are found by words of their prompt, chosen, and cancelled after a page that asks again', async () => {
  const { email } = await queueTexts(['A heron at dusk', 'A heron at dawn', 'A quiet pond']);
  const admin = await visitAsAdmin();
  const { page } = admin;
  await admin.open(`/admin/tasks?who=${encodeURIComponent(email)}`);
  await page.getByLabel('Words of the prompt').fill('HERON');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.waitForURL('**/admin/tasks?*prompt=HERON*');
  const table = page.getByRole('table', { name: 'Tasks' });
  await table.getByRole('link', { name: 'A heron at dusk' }).waitFor();
  await table.getByText('A quiet pond').waitFor({ state: 'detached' });
  await expectAccessible(page);

  const file = page.getByRole('link', { name: 'Download as CSV' });
  const csv = await (await page.request.get((await file.getAttribute('href')) ?? '')).text();
  expect(csv.trim().split('\r\n')).toHaveLength(3);
  expect(csv).toContain('A heron at dawn');

  await page.getByLabel('Choose all on this page').check();
  await page.getByLabel('With the chosen ones').selectOption('cancel');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByRole('heading', { name: 'Cancel', level: 1 }).waitFor();
  await expectAccessible(page);
  await page.getByRole('textbox', { name: 'Why?' }).fill('The model is being replaced.');
  await page.getByRole('button', { name: 'Cancel 2 tasks' }).click();
  await page.getByText('Done to 2 rows').waitFor();
  expect(await statusesOf(email)).toEqual([
    'A heron at dusk: cancelled',
    'A heron at dawn: cancelled',
    'A quiet pond: queued',
  ]);
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await page.waitForURL('**/admin/tasks?*prompt=HERON*');
});

test('the same works without a script, and a person is kept out and let in again', async () => {
  const { email } = await queueTexts(['A gull in the rain']);
  const admin = await visitAsAdmin({ javaScriptEnabled: false });
  const { page } = admin;
  await admin.open(`/admin/tasks?who=${encodeURIComponent(email)}`);
  await page.getByLabel('Choose: A gull in the rain').check();
  await page.getByLabel('With the chosen ones').selectOption('cancel');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByRole('textbox', { name: 'Why?' }).fill('Asked for by mail.');
  await page.getByRole('button', { name: 'Cancel 1 task' }).click();
  await page.getByText('Done to 1 row').waitFor();
  expect(await statusesOf(email)).toEqual(['A gull in the rain: cancelled']);

  for (const [deed, button] of [
    ['disable', 'Disable 1 account'],
    ['enable', 'Enable 1 account'],
  ] as const) {
    await admin.open(`/admin/users?who=${encodeURIComponent(email)}`);
    await page.getByLabel(`Choose: ${email}`).check();
    await page.getByLabel('With the chosen ones').selectOption(deed);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('textbox', { name: 'Why?' }).fill('Sold the account.');
    await page.getByRole('button', { name: button }).click();
    await page.getByText('Done to 1 row').waitFor();
    const [user] = await stage.sql`select disabled_at is not null as out from users where email = ${email}`;
    expect(user?.out).toBe(deed === 'disable');
  }
});
