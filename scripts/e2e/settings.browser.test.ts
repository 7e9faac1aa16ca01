import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { createClient } from '#server/trpc/client.ts';
import { expectAccessible } from './accessibility.ts';
import { prepareStage } from './stage.ts';
import { enterQuietly, signIn, signUp } from './visitor.ts';
import { submitOrder, waitForStatus } from './workbench.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const stage = prepareStage();

test('an API token is made, works with the typed client within its scopes, and is refused once revoked', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/settings/tokens');
  await page.getByLabel('Name').fill('render farm');
  await page.getByLabel('Submit and retry tasks').check();
  await page.getByRole('button', { name: 'Create token' }).click();
  const token = await page.getByRole('textbox', { name: 'Secret of token render farm' }).inputValue();
  expect(token).toMatch(/^sdl_/);
  await expectAccessible(page);

  const client = createClient({ url: stage.site.webUrl, token });
  const { taskId } = await client.generation.submit.mutate({
    kind: 'text',
    model: 'sandbox-text',
    prompt: 'Sent by a service',
    requestKey: newId(),
  });
  expect(await client.generation.get.query({ taskId })).toMatchObject({ prompt: 'Sent by a service' });
  await expect(client.generation.cancel.mutate({ taskId })).rejects.toMatchObject({
    data: { code: 'FORBIDDEN' },
  });

  // Read again: the secret is gone, the token and its use are there.
  await visitor.open('/settings/tokens');
  expect(await page.content()).not.toContain(token);
  const tokens = page.getByRole('table', { name: 'API tokens' });
  await tokens.getByText('render farm').waitFor();
  expect(await tokens.getByText('never').count()).toBe(0);
  await tokens.getByRole('button', { name: 'Revoke token render farm' }).click();
  await tokens.getByRole('button', { name: 'Revoke it' }).click();
  await page.getByText('No tokens').waitFor();
  await expect(client.generation.get.query({ taskId })).rejects.toMatchObject({
    data: { code: 'UNAUTHORIZED' },
  });
});

test('the example of the tokens page runs as it stands there', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/settings/tokens');
  await page.getByLabel('Name').fill('example');
  await page.getByLabel('Submit and retry tasks').check();
  await page.getByRole('button', { name: 'Create token' }).click();
  const token = await page.getByRole('textbox', { name: 'Secret of token example' }).inputValue();
  const source = await page.getByRole('figure').getByRole('region').textContent();

  const folder = await mkdtemp(path.join(os.tmpdir(), 'sidelane-example-'));
  try {
    await mkdir(path.join(folder, 'node_modules'));
    await symlink(ROOT, path.join(folder, 'node_modules/sidelane'), 'dir');
    await writeFile(path.join(folder, 'example.mts'), source ?? '');
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', tsx, 'example.mts'], {
      cwd: folder,
      env: { ...process.env, SIDELANE_TOKEN: token },
    });
    expect(stdout).toMatch(/^succeeded \[ '\/files\/outputs\//);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a new password ends the other sessions, is asked for with the old one, and is the one to sign in with', async () => {
  const here = await stage.visitAsMember();
  const there = await stage.visit();
  await enterQuietly(there, here.person);
  const { page, person } = here;
  await here.open('/settings/password');
  await expectAccessible(page);
  here.expectProblem(/settings\/password\.data/);
  await page.getByLabel('Your password now').fill('not the password');
  await page.getByLabel('New password').fill('another long walk');
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('The password is wrong.').waitFor();
  await page.getByLabel('Your password now').fill(person.password);
  await page.getByLabel('New password').fill('another long walk');
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('1 other session was ended.').waitFor();

  await there.open('/workbench');
  expect(new URL(there.page.url()).pathname).toBe('/login');
  there.expectProblem(/login\.data/);
  await there.page.getByLabel('E-mail').fill(person.email);
  await there.page.getByLabel(/^Password/).fill(person.password);
  await there.page.getByRole('button', { name: 'Sign in' }).click();
  await there.page.getByText('E-mail or password is wrong.').waitFor();
  await signIn(there.page, { email: person.email, password: 'another long walk' });
});

test('name and time zone are kept: the server itself says moments in that zone, without a script too', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/settings');
  await page.getByLabel('Name').fill('Ada of the lighthouse');
  await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await page.getByRole('button', { name: 'Account of Ada of the lighthouse' }).waitFor();
  await expectAccessible(page);

  const [session] = await stage.sql<{ hour: string }[]>`
    select to_char(s.created_at at time zone 'Asia/Tokyo', 'FMDD Mon YYYY, HH24:MI') as hour
    from sessions s join users u on u.id = s.user_id where u.email = ${visitor.person.email}`;
  const plain = await stage.visit({
    javaScriptEnabled: false,
    storageState: await page.context().storageState(),
  });
  await plain.open('/settings/sessions');
  const moments = await plain.page.getByRole('table', { name: 'Sessions' }).locator('time').all();
  const titles = await Promise.all(moments.map((moment) => moment.getAttribute('title')));
  expect(titles.map((title) => title?.replace('Sept', 'Sep'))).toContain(session?.hour);
});

test('another session is revoked here and signed out there; signing out ends this one', async () => {
  const here = await stage.visitAsMember();
  const there = await stage.visit({
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  });
  await enterQuietly(there, here.person);
  await there.open('/workbench');
  expect(new URL(there.page.url()).pathname).toBe('/workbench');

  const { page } = here;
  await here.open('/settings/sessions');
  const sessions = page.getByRole('table', { name: 'Sessions' });
  await sessions.getByText('This one').waitFor();
  await sessions.getByRole('button', { name: /End the session in Firefox/ }).click();
  await sessions.getByRole('button', { name: 'End it' }).click();
  await expect.poll(() => sessions.getByText('Firefox').count(), { timeout: 60_000 }).toBe(0);
  await expectAccessible(page);

  await there.page.reload();
  await there.page.waitForURL('**/login**');
  await here.open('/settings');
  await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL((url) => url.pathname !== '/settings');
  await here.open('/workbench');
  expect(new URL(page.url()).pathname).toBe('/login');
});

test('everything of a person is downloaded, then the account is closed and its address is free again', async () => {
  const visitor = await stage.visitAsMember();
  const { page, person } = visitor;
  await visitor.open('/workbench');
  const card = await submitOrder(page, { kind: 'text', prompt: 'A letter to take along' });
  await waitForStatus(card, 'succeeded');

  await visitor.open('/settings/data');
  await expectAccessible(page);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('a[href="/settings/export"]').click(),
  ]);
  const everything = (await json(await download.createReadStream())) as Record<string, object>;
  expect(everything.account).toMatchObject({ email: person.email });
  expect(JSON.stringify(everything.tasks)).toContain('A letter to take along');

  visitor.expectProblem(/settings\/data\.data/);
  await page.getByLabel('Your password').fill('not the password');
  await page.getByLabel(/delete my account/).fill('delete my account');
  await page.getByRole('button', { name: 'Close the account' }).click();
  await page.getByText('The password is wrong.').waitFor();
  await page.getByLabel('Your password').fill(person.password);
  await page.getByRole('button', { name: 'Close the account' }).click();
  await page.waitForURL((url) => !url.pathname.startsWith('/settings'));
  await visitor.open('/workbench');
  expect(new URL(page.url()).pathname).toBe('/login');

  await visitor.open('/signup');
  await signUp(page, person);
  await page.getByText('A letter to take along').waitFor({ state: 'detached' });
});
