import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TRPCClientError } from '@trpc/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiToken } from '#server/auth/api-tokens.ts';
import type { WatchMessage } from '#server/generation/schemas.ts';
import { startTestApp, type TestApp } from '#server/http/test-app.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createTask, createUser } from '#server/testing/factories.ts';
import { createClient } from './client.ts';

let t: TestDatabase;
let app: TestApp;
let userId: string;
let token: string;

beforeAll(async () => {
  t = await createTestDatabase();
  app = await startTestApp(t);
  userId = (await createUser(t.db, { balanceCredits: 500 })).id;
  token = (await createApiToken(t, { userId, name: 'service', scopes: ['read'] })).secret;
});
afterAll(async () => {
  await app.close();
  await t.close();
});

describe('a service with a token', () => {
  it('reads with real types, and several calls of one moment share a request', async () => {
    const client = createClient({ url: `${app.url}/`, token });
    const before = app.log.length;
    const [me, balance] = await Promise.all([client.auth.me.query(), client.billing.balance.query()]);
    expect(me?.id).toBe(userId);
    expect(balance.balanceCredits).toBe(500);
    await expect
      .poll(() => app.log.slice(before).filter((line) => line.includes('"message":"request"')))
      .toHaveLength(1);
  });

  it('gets refusals as the sentence and code that the server gave', async () => {
    const error = await createClient({ url: app.url, token: 'sdl_wrong' })
      .billing.balance.query()
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(TRPCClientError);
    expect(error).toMatchObject({
      message: 'The API token is not valid or was revoked.',
      data: { code: 'UNAUTHORIZED', httpStatus: 401, appCode: 'unauthorized' },
    });
  });

  it('watches its tasks over a stream, with the token in a header', async () => {
    const task = await createTask(t.db, { kind: 'image', userId });
    const client = createClient({ url: app.url, token });
    const messages: WatchMessage[] = [];
    const watching = client.generation.watch.subscribe(
      { taskIds: [task.id] },
      { onData: (data) => messages.push(data as WatchMessage) },
    );
    await expect
      .poll(() => messages[0], { timeout: 20_000 })
      .toMatchObject({ type: 'snapshot', tasks: [{ id: task.id }] });
    expect(messages[0]?.tasks[0]?.submittedAt).toBeInstanceOf(Date);
    watching.unsubscribe();
  });

  it('is told why a stream is refused, in the words of the server', async () => {
    const task = await createTask(t.db, { kind: 'image', userId });
    const client = createClient({ url: app.url, token: 'sdl_wrong' });
    const error = await new Promise((resolve) => {
      client.generation.watch.subscribe(
        { taskIds: [task.id] },
        { onError: resolve, onComplete: () => resolve('completed') },
      );
    });
    expect(error).toBeInstanceOf(TRPCClientError);
    expect((error as Error).message).toBe('The API token is not valid or was revoked.');
  });
});

it('never sends a call twice, whatever happens to the first', async () => {
  let requests = 0;
  const server = createServer((req, res) => {
    requests += 1;
    if (req.url?.includes('signOut'))
      res.writeHead(503, { 'content-type': 'text/html' }).end('<h1>busy</h1>');
    else req.socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = createClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  await expect(client.auth.me.query()).rejects.toThrow(TRPCClientError);
  await expect(client.auth.signOut.mutate()).rejects.toThrow(TRPCClientError);
  expect(requests).toBe(2);
  await new Promise((resolve) => server.close(resolve));
});

it('gives up on an answer that does not come in time, though tRPC passes a signal of its own', async () => {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = createClient({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    timeoutMs: 30,
  });
  const never = new AbortController();
  await expect(client.auth.me.query(undefined, { signal: never.signal })).rejects.toThrow(TRPCClientError);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
