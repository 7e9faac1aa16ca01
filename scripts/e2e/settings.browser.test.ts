import { expect, test } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { createClient } from '#server/trpc/client.ts';
import { expectAccessible } from './accessibility.ts';
import { prepareStage } from './stage.ts';
import { enterQuietly } from './visitor.ts';

const stage = prepareStage();

test('an API token is made, works with the typed client within its scopes, and is refused once revoked', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/settings');
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
  await visitor.open('/settings');
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

test('another session is revoked here and signed out there; signing out ends this one', async () => {
  const here = await stage.visitAsMember();
  const there = await stage.visit({
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  });
  await enterQuietly(there, here.person);
  await there.open('/workbench');
  expect(new URL(there.page.url()).pathname).toBe('/workbench');

  const { page } = here;
  await here.open('/settings');
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
