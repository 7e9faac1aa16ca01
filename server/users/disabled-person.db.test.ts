import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApiToken, revokeApiToken } from '#server/auth/api-tokens.ts';
import { startTestApp, type TestApp } from '#server/http/test-app.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createTask, createUser } from '#server/testing/factories.ts';
import { createClient } from '#server/trpc/client.ts';
import { setDisabled } from './manage-users.ts';

/** What a person who is kept out, or a token that is revoked, had open at that moment. */

let t: TestDatabase;
let app: TestApp;
beforeAll(async () => {
  t = await createTestDatabase();
  app = await startTestApp(t);
});
afterAll(async () => {
  await app.close();
  await t.close();
});

/** A service that watches a task of its owner; `ended` has the reason when the stream is refused to go on. */
async function watcher() {
  const { id: userId } = await createUser(t.db);
  const task = await createTask(t.db, { userId, status: 'running' });
  const { secret, token } = await createApiToken(t, { userId, name: 'service', scopes: ['read'] });
  let seen = 0;
  let tell: (error: unknown) => void = () => {};
  const ended = new Promise<unknown>((resolve) => {
    tell = resolve;
  });
  const stream = createClient({ url: app.url, token: secret }).generation.watch.subscribe(
    { taskIds: [task.id] },
    {
      onData: () => {
        seen += 1;
      },
      onError: tell,
      onComplete: () => tell('completed'),
    },
  );
  await expect.poll(() => seen).toBe(1);
  const change = () => t.sql`update generation_tasks set version = version + 1 where id = ${task.id}`;
  return { userId, tokenId: token.id, stream, ended, seen: () => seen, change };
}

it('a stream goes on while its owner may see it', async () => {
  const { stream, seen, change } = await watcher();
  // More looks than pass between two checks.
  for (let n = 2; n < 9; n += 1) {
    await change();
    await expect.poll(seen).toBe(n);
  }
  stream.unsubscribe();
});

it('a stream ends soon after its owner was disabled', async () => {
  const { userId, ended } = await watcher();
  const { id: actorId } = await createUser(t.db, { role: 'admin' });
  await setDisabled(app.deps, { userId, disabled: true, reason: 'Sold the account.', actorId });
  expect(await ended).toMatchObject({ message: expect.stringMatching(/ended|not valid or was revoked/) });
});

it('a stream ends soon after its token was revoked', async () => {
  const { userId, tokenId, ended } = await watcher();
  await revokeApiToken(app.deps, { userId, tokenId });
  expect(await ended).toMatchObject({ message: expect.stringMatching(/ended|not valid or was revoked/) });
});
