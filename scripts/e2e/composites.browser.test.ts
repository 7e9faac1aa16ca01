import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createClient } from '#server/trpc/client.ts';
import { expectAccessible, expectNoSidewaysScroll } from './accessibility.ts';
import { tabFromStart } from './keyboard.ts';
import { prepareStage } from './stage.ts';
import { newPerson, signIn } from './visitor.ts';
import { balanceOf, budgetOf, compositeIdOf, waitForBadge } from './workbench.ts';

/** Agents from the goal to the results, and what both agents and films are on a phone and without a script. */
const stage = prepareStage();

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

type AgentOrder = { goal: string; budget: number; models?: string[]; approval?: string };

/** Fills the form of an agent; the first model of pictures is ticked from the start. */
async function fillAgent(page: Page, { goal, budget, models = [], approval }: AgentOrder): Promise<Locator> {
  const form = page.getByRole('form', { name: 'New agent' });
  await form.getByLabel('Goal').fill(goal);
  for (const model of models) await form.getByRole('checkbox', { name: model }).check();
  await form.getByLabel('Budget in credits').fill(String(budget));
  if (approval) await form.getByRole('radio', { name: approval }).check();
  return form;
}

const startButton = (form: Locator): Locator => form.getByRole('button', { name: 'Start' });
const stepOf = (page: Page, title: string): Locator => page.getByRole('form', { name: title, exact: true });

test('an agent asks before each result: one is approved, one is changed first, and the budget adds up', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/workbench');
  await page.getByRole('navigation', { name: 'What to make' }).getByRole('link', { name: 'Agent' }).click();
  await page.waitForURL('**/workbench/agents/new');
  const form = await fillAgent(page, {
    goal: 'A picture and a sound for the opening of a museum',
    budget: 40,
    models: ['Sandbox speech'],
    approval: 'Ask before each result',
  });
  await form.getByText('never more than').waitFor();
  await expectAccessible(page);
  await startButton(form).click();
  const taskId = await compositeIdOf(page);
  const [picture, sound] = [stepOf(page, 'Make a picture'), stepOf(page, 'Make a sound')];
  await picture.getByText('for 4 credits at most').waitFor();
  await sound.getByText('for 3 credits at most').waitFor();
  expect((await budgetOf(page))['Held, the most it can cost']).toBe(40);
  await expect.poll(() => balanceOf(page), { timeout: 180_000 }).toBe(60);
  expect(await childrenOf(taskId)).toEqual(['text']);
  await expectAccessible(page);

  await picture.getByRole('button', { name: 'Approve', exact: true }).click();
  await picture.waitFor({ state: 'detached' });
  await sound.getByText('Change it before it is made').click();
  // The answer to arguments that are none.
  visitor.expectProblem(/status of 400/);
  const args = sound.getByLabel('Arguments as JSON');
  const proposed = await args.inputValue();
  await args.fill('{"prompt": ');
  await sound.getByRole('button', { name: 'Approve with these arguments' }).click();
  await sound.getByText(/not (valid )?JSON/i).waitFor();
  await expectAccessible(page);
  await args.fill(JSON.stringify({ ...JSON.parse(proposed), prompt: 'Welcome to the museum.' }));
  await sound.getByRole('button', { name: 'Approve with these arguments' }).click();
  await sound.waitFor({ state: 'detached' });

  await waitForBadge(page, 'Done');
  const results = page.getByRole('region', { name: 'Results' });
  await results.locator('img').waitFor();
  await results.locator('audio').waitFor();
  await results.getByText('Welcome to the museum.').waitFor();
  expect(await childrenOf(taskId)).toEqual(['audio', 'image', 'text', 'text']);
  await expectAccessible(page);
  // Two turns of 1 credit, a picture of 4 and a sound of 3.
  expect(await budgetOf(page)).toMatchObject({ Spent: 9, Returned: 31 });
  await expect.poll(() => balanceOf(page), { timeout: 180_000 }).toBe(91);
  await results
    .getByRole('button', { name: /^Open image/ })
    .or(results.getByRole('link', { name: /^Open image/ }))
    .click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
});

async function childrenOf(taskId: string): Promise<string[]> {
  const rows = await stage.sql<{ kind: string }[]>`
    select kind from generation_tasks where parent_id = ${taskId} order by kind`;
  return rows.map(({ kind }) => kind);
}

test('a step is approved without a mouse, and a goal in Chinese is worked on in Chinese', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/workbench/agents/new');
  const form = await fillAgent(page, {
    goal: '一张海边灯塔的图片',
    budget: 20,
    approval: 'Ask before each result',
  });
  await form.getByLabel('Goal').press('Control+Enter');
  await compositeIdOf(page);
  const step = stepOf(page, 'Make a picture');
  await step.waitFor();
  await tabFromStart(page, 'button[name="decision"][value="approve"]');
  await page.keyboard.press('Enter');
  await step.waitFor({ state: 'detached' });
  await waitForBadge(page, 'Done');
  await page.getByText('完成').first().waitFor();
  await expectAccessible(page);
});

test('agents and films are ordered, decided on and watched on a phone, also in the dark', async () => {
  const visitor = await stage.visitAsMember({ ...PHONE, colorScheme: 'dark' });
  const { page } = visitor;
  await visitor.open('/workbench/agents/new');
  const form = await fillAgent(page, {
    goal: 'A picture for a very small screen',
    budget: 20,
    approval: 'Ask before each result',
  });
  await expectFit(page);
  await startButton(form).tap();
  await compositeIdOf(page);
  const approve = stepOf(page, 'Make a picture').getByRole('button', { name: 'Approve', exact: true });
  await approve.waitFor();
  await expectFit(page);
  await approve.tap();
  await waitForBadge(page, 'Done');
  await expectFit(page);

  await visitor.open('/workbench/dramas/new');
  const drama = page.getByRole('form', { name: 'New short drama' });
  await drama.getByLabel('Text', { exact: true }).fill('A very small film [[shots=1]] [[seconds=1]]');
  await drama.getByLabel('Shots').fill('1');
  await drama.getByLabel('Clips').selectOption('Still pictures');
  await expectFit(page);
  await drama.getByRole('button', { name: 'Create' }).tap();
  const start = page.getByRole('button', { name: 'Start the shots' });
  await start.waitFor();
  await expectFit(page);
  await start.tap();
  await waitForBadge(page, 'Done');
  await page.locator('video').waitFor();
  await expectFit(page);
});

/** A page that fits its window and that everybody can use. */
async function expectFit(page: Page): Promise<void> {
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
}

test('without JavaScript an agent is started and approved, and a film is ordered and started', async () => {
  const person = newPerson();
  const account = createClient({ url: stage.site.webUrl, headers: { origin: stage.site.webUrl } });
  await account.auth.signUp.mutate({ ...person, displayName: person.name });
  const visitor = await stage.visit({ javaScriptEnabled: false });
  const { page } = visitor;
  await visitor.open('/login');
  await signIn(page, person);
  await stage.startDaemon();

  await visitor.open('/workbench/agents/new');
  const form = await fillAgent(page, {
    goal: 'A picture without a script',
    budget: 20,
    approval: 'Ask before each result',
  });
  await startButton(form).click();
  await compositeIdOf(page);
  const approve = page.getByRole('button', { name: 'Approve', exact: true });
  await reloadUntil(page, approve);
  await approve.click();
  await reloadUntil(page, badgeOf(page));
  await page.getByRole('region', { name: 'Results' }).locator('img').waitFor();

  await visitor.open('/workbench/dramas/new');
  const drama = page.getByRole('form', { name: 'New short drama' });
  await drama.getByLabel('Text', { exact: true }).fill('A film without a script [[shots=1]] [[seconds=1]]');
  await drama.getByLabel('Shots').fill('1');
  await drama.getByLabel('Clips').selectOption('Still pictures');
  await drama.getByRole('button', { name: 'Create' }).click();
  await compositeIdOf(page);
  const start = page.getByRole('button', { name: 'Start the shots' });
  await reloadUntil(page, start);
  await start.click();
  await reloadUntil(page, badgeOf(page));
  await page.locator('video').waitFor();
});

const badgeOf = (page: Page): Locator =>
  page.getByRole('region', { name: 'State' }).getByText('Done', { exact: true });

/** Reads the page again, as somebody without a script would, until something is on it. */
async function reloadUntil(page: Page, wanted: Locator): Promise<void> {
  await expect
    .poll(
      async () => {
        await page.reload();
        return wanted.count();
      },
      { timeout: 180_000, interval: 250 },
    )
    .toBe(1);
}
