import { afterEach, expect, test } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { prepareStage } from './stage.ts';
import { enterQuietly, newPerson, type Visitor } from './visitor.ts';
import { cardOf, fillOrder, generateButton, submitOrder } from './workbench.ts';

const stage = prepareStage();

/** The next file finds the site as it was. */
afterEach(async () => {
  await stage.sql`delete from intake_pauses`;
  await stage.sql`delete from settings`;
  await stage.sql`update announcements set withdrawn_at = now() where withdrawn_at is null`;
});

async function visitAsAdmin(options: Parameters<typeof stage.visit>[0] = {}): Promise<Visitor> {
  const admin = await stage.visit(options);
  await enterQuietly(admin, { email: stage.site.adminEmail, password: stage.site.adminPassword });
  return admin;
}

test('a paused kind is told at the top of each page and refused with its reason; resumed, it is accepted', async () => {
  const admin = await visitAsAdmin();
  const { page } = admin;
  await admin.open('/admin/pauses');
  await expectAccessible(page);
  const form = page.getByRole('form', { name: 'Pause new tasks' });
  await form.getByLabel('What to pause').selectOption('Videos');
  await form.getByLabel('Why').fill('The upstream moves house until noon.');
  await form.getByRole('button', { name: 'Pause' }).click();
  await form.getByRole('button', { name: 'Refuse new tasks' }).click();
  await page.getByText('It is paused.').waitFor();
  await expectAccessible(page);

  const visitor = await stage.visitAsMember();
  await visitor.open('/workbench?make=video');
  const banner = visitor.page.getByRole('status', { name: 'News from this site' });
  await banner.getByText('The upstream moves house until noon.').waitFor();
  await expectAccessible(visitor.page);
  // The answer of the refused submit.
  visitor.expectProblem(/503/);
  const prompt = 'A ship that waits';
  await fillOrder(visitor.page, { kind: 'video', prompt });
  await generateButton(visitor.page).click();
  await visitor.page
    .getByText(
      'New video tasks are paused: The upstream moves house until noon. Tasks that were accepted go on.',
    )
    .waitFor();
  expect(await visitor.page.getByRole('form', { name: 'New video' }).getByLabel('Prompt').inputValue()).toBe(
    prompt,
  );
  // Other kinds are open.
  await submitOrder(visitor.page, { kind: 'image', prompt: 'A ship that sails' });

  await page.getByRole('button', { name: 'Resume: Videos' }).click();
  await page.getByRole('button', { name: 'Accept new tasks' }).click();
  await page.getByText('New tasks are accepted again.').waitFor();
  await visitor.open('/workbench?make=video');
  expect(await banner.textContent()).toBe('');
  // What was refused comes back as a draft.
  const kept = visitor.page.getByRole('form', { name: 'New video' }).getByLabel('Prompt');
  await expect.poll(() => kept.inputValue()).toBe(prompt);
  await generateButton(visitor.page).click();
  await cardOf(visitor.page, prompt).waitFor();

  await admin.open('/admin/audit?action=intake');
  await page
    .getByRole('row', { name: /intake\.resume/ })
    .first()
    .waitFor();
  await page
    .getByRole('row', { name: /intake\.pause.*until noon/ })
    .first()
    .waitFor();
  await expectAccessible(page);
});

test('an announcement is read in the reader’s language, and stays away once dismissed', async () => {
  const admin = await visitAsAdmin();
  const { page } = admin;
  await admin.open('/admin/announcements');
  const form = page.getByRole('form', { name: 'New announcement' });
  await form.getByLabel('English').fill('New models tomorrow.');
  await form.getByLabel('简体中文').fill('明天上线新模型。');
  await form.getByRole('button', { name: 'Announce' }).click();
  await page.getByText('The announcement is saved.').waitFor();
  await expectAccessible(page);

  const reader = await stage.visit({ locale: 'zh-CN' });
  await reader.open('/');
  await reader.page.getByText('明天上线新模型。').waitFor();

  const visitor = await stage.visitAsMember();
  await visitor.open('/workbench');
  const text = visitor.page
    .getByRole('status', { name: 'News from this site' })
    .getByText('New models tomorrow.');
  await text.waitFor();
  await visitor.page.getByRole('button', { name: 'Dismiss this announcement' }).click();
  await text.waitFor({ state: 'detached' });
  await visitor.open('/workbench');
  expect(await text.count()).toBe(0);

  await page.getByRole('button', { name: 'Withdraw: New models tomorrow.' }).first().click();
  await page.getByRole('button', { name: 'Take it away' }).click();
  await page.getByText('The announcement is withdrawn.').waitFor();
  await reader.open('/');
  expect(await reader.page.getByText('明天上线新模型。').count()).toBe(0);
});

test('a policy holds as soon as it is set, and follows the environment again after a reset', async () => {
  const admin = await visitAsAdmin();
  const { page } = admin;
  // A value out of bounds.
  admin.expectProblem(/400/);
  await admin.open('/admin/settings');
  await expectAccessible(page);
  const figure = page.getByRole('form', { name: 'Tries of a refund' });
  await figure.getByLabel('Tries of a refund (tries)').fill('1000');
  await figure.getByRole('button', { name: 'Set: Tries of a refund' }).click();
  await figure.getByText('Enter a whole number from 1 to 100.').waitFor();
  const signUp = page.getByRole('form', { name: 'Sign-up' });
  await signUp.getByRole('combobox').selectOption('Off');
  await signUp.getByRole('button', { name: 'Set: Sign-up' }).click();
  await page.getByText('The policy is set.').waitFor();
  await expectAccessible(page);

  const guest = await stage.visit();
  guest.expectProblem(/403/);
  const person = newPerson();
  const join = async () => {
    await guest.open('/signup');
    await guest.page.getByLabel('Name').fill(person.name);
    await guest.page.getByLabel('E-mail').fill(person.email);
    await guest.page.getByLabel(/^Password/).fill(person.password);
    await guest.page.getByRole('button', { name: 'Create account' }).click();
  };
  await join();
  await guest.page.getByText(/Sign-up is closed/).waitFor();
  await page.getByRole('button', { name: 'Reset: Sign-up' }).click();
  await page.getByRole('button', { name: 'Follow the environment' }).click();
  await page.getByText('The policy follows the environment again.').waitFor();
  await join();
  await guest.page.waitForURL('**/workbench**');
});

test('on a phone the back office is one button away, also without scripts; set-up and system say how things are', async () => {
  const phone = { viewport: { width: 390, height: 844 }, javaScriptEnabled: false };
  const admin = await visitAsAdmin(phone);
  const { page } = admin;
  await admin.open('/admin/setup');
  const navigation = page.getByRole('navigation', { name: 'Administration' });
  expect(await navigation.getByRole('link', { name: 'System' }).isVisible()).toBe(false);
  await navigation.getByText('Set-up').first().click();
  await navigation.getByRole('link', { name: 'System' }).click();
  await page.waitForURL('**/admin/system');
  await page.getByRole('row', { name: /ENCRYPTION_KEY/ }).waitFor();
  const text = (await page.locator('main').textContent()) ?? '';
  expect(text).toContain('PostgreSQL');
  expect(text).not.toContain(stage.site.databaseUrl);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);

  const desk = await visitAsAdmin();
  await desk.open('/admin/setup');
  await desk.page
    .getByRole('navigation', { name: 'Administration' })
    .getByRole('link', { name: 'System' })
    .waitFor();
  await desk.page.getByRole('list', { name: 'First steps' }).getByText('· done').first().waitFor();
  await expectAccessible(desk.page);
  await desk.open('/admin/system');
  await expectAccessible(desk.page);
});
