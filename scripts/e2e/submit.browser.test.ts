import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createClient } from '#server/trpc/client.ts';
import { expectAccessible } from './accessibility.ts';
import { prepareStage } from './stage.ts';
import { newPerson, signIn } from './visitor.ts';
import { cardOf, fillOrder, generateButton, submitOrder, waitForStatus } from './workbench.ts';

const stage = prepareStage();

const tasksOf = async (email: string) =>
  stage.sql<{ id: string }[]>`
    select t.id from generation_tasks t join users u on u.id = t.user_id where u.email = ${email}`;

test('a double click, and a form that is sent twice at once, make one task', async () => {
  const visitor = await stage.visitAsMember();
  const { page, person } = visitor;
  await visitor.open('/workbench?make=image');
  await fillOrder(page, { kind: 'image', prompt: 'Two quick clicks' });
  await generateButton(page).dblclick();
  await cardOf(page, 'Two quick clicks').waitFor();

  await fillOrder(page, { kind: 'image', prompt: 'Two quick events' });
  await page.getByRole('form', { name: 'New image' }).evaluate((form: HTMLFormElement) => {
    form.requestSubmit();
    form.requestSubmit();
  });
  await cardOf(page, 'Two quick events').waitFor();
  await waitForStatus(cardOf(page, 'Two quick events'), 'succeeded');
  await visitor.open('/workbench');
  expect(await page.getByRole('article').count()).toBe(2);
  expect(await tasksOf(person.email)).toHaveLength(2);
});

test('an order is shown although the page was loaded anew between its press and its answer', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/workbench?make=video');
  const first = await submitOrder(page, { kind: 'video', prompt: 'A first one [[delay:3600000]]' });
  await waitForStatus(first, 'running');

  // The order waits on its way until the end of the first one has loaded the page again.
  const list = /\/workbench\.data\?/;
  let press = () => {};
  const pressed = new Promise<void>((resolve) => (press = resolve));
  await page.route(list, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    const loaded = page.waitForResponse(
      (response) => list.test(response.url()) && response.request().method() === 'GET',
    );
    press();
    await (await loaded).finished();
    await route.continue();
  });
  await fillOrder(page, { kind: 'image', prompt: 'A second one' });
  await generateButton(page).click();
  await pressed;
  await stage.control.release();
  await cardOf(page, 'A second one').waitFor();
  await page.waitForURL(/made=/);
  await waitForStatus(cardOf(page, 'A second one'), 'succeeded');
  expect(await tasksOf(visitor.person.email)).toHaveLength(2);
});

test('a session that has ended loses no order: it is in the form again after signing in', async () => {
  const visitor = await stage.visitAsMember();
  const { page, person } = visitor;
  await visitor.open('/workbench?make=image');
  const prompt = 'An order without a session';
  await fillOrder(page, { kind: 'image', prompt });
  await stage.sql`delete from sessions where user_id in (select id from users where email = ${person.email})`;
  // Whatever else the page asks for meanwhile.
  visitor.expectProblem(/status of 401/);
  await generateButton(page).click();
  await page.waitForURL('**/login**');
  await signIn(page, person);
  const form = page.getByRole('form', { name: 'New image' });
  await expect.poll(() => form.getByLabel('Prompt').inputValue()).toBe(prompt);
  expect(await tasksOf(person.email)).toHaveLength(0);
});

test('without JavaScript: sign in, submit, see the list and the result', async () => {
  const person = newPerson();
  const account = createClient({ url: stage.site.webUrl, headers: { origin: stage.site.webUrl } });
  await account.auth.signUp.mutate({ ...person, displayName: person.name });

  const visitor = await stage.visit({ javaScriptEnabled: false });
  const { page } = visitor;
  // The wrong password below.
  visitor.expectProblem(/status of 401/);
  await visitor.open('/workbench');
  expect(page.url()).toContain('/login');
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel(/^Password/).fill('not the right one');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
  expect(await page.getByLabel('E-mail').inputValue()).toBe(person.email);
  await signIn(page, person);
  await fillOrder(page, { kind: 'image', prompt: 'Drawn without a script', choose: { Images: '2' } });
  await generateButton(page).click();
  await cardOf(page, 'Drawn without a script').waitFor();
  await page.getByText('Accepted:').waitFor();
  expect(await tasksOf(person.email)).toHaveLength(1);
  await reloadUntilDone(page, 'Drawn without a script');
  expect(await cardOf(page, 'Drawn without a script').getByRole('img').count()).toBe(2);
});

test('an order that cannot be made says why before it is sent', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/workbench?make=video');
  await fillOrder(page, { kind: 'video', prompt: '   ' });
  await generateButton(page).click();
  await page.getByText('Write a prompt.').waitFor();
  await expectAccessible(page);

  await fillOrder(page, { kind: 'video', prompt: 'A long film', choose: { Seconds: '12' } });
  await generateButton(page).click();
  await cardOf(page, 'A long film').waitFor();
  await fillOrder(page, { kind: 'video', prompt: 'Another long film' });
  await page.getByText('Not enough credits: you have 40, 20 too few.').waitFor();
  expect(await generateButton(page).isDisabled()).toBe(true);
  await page.getByRole('textbox', { name: 'Prompt' }).press('Control+Enter');
  await expectAccessible(page);
  expect(await page.getByRole('article').count()).toBe(1);
});

/** Reads the page again, as somebody without a script would, until the task has ended. */
async function reloadUntilDone(page: Page, prompt: string): Promise<void> {
  await stage.startDaemon();
  await expect
    .poll(
      async () => {
        await page.reload();
        return cardOf(page, prompt).getAttribute('data-status');
      },
      { timeout: 180_000, interval: 250 },
    )
    .toBe('succeeded');
}
