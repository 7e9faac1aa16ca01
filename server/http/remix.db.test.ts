import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { ActionFunctionArgs, LoaderFunctionArgs, ServerBuild } from '@remix-run/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AppError } from '#server/lib/app-error.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { cookieOf } from './test-client.ts';

let t: TestDatabase;
let app: TestApp;
let clientDirectory: string;

beforeAll(async () => {
  t = await createTestDatabase();
  clientDirectory = await mkdtemp(path.join(os.tmpdir(), 'sidelane-client-'));
  await mkdir(path.join(clientDirectory, 'assets'));
  await writeFile(path.join(clientDirectory, 'assets', 'page-abc123.js'), 'export {};');
  await writeFile(path.join(clientDirectory, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  app = await startTestApp(t, { pages: { build: tinyBuild(), mode: 'production', clientDirectory } });
});
afterAll(async () => {
  await app.close();
  await rm(clientDirectory, { recursive: true });
  await t.close();
});

/** One route, enough to see what loaders and actions are given. */
function tinyBuild(): ServerBuild {
  const module = {
    loader: async ({ context, request }: LoaderFunctionArgs) => {
      const fail = new URL(request.url).searchParams.get('fail');
      if (fail === 'procedure') await context.trpc.auth.sessions.list();
      if (fail === 'bug') throw new Error('secret detail of a bug');
      return Response.json({
        me: await context.trpc.auth.me(),
        user: context.user,
        nonce: context.cspNonce,
        requestId: context.requestId,
      });
    },
    action: async ({ context, request }: ActionFunctionArgs) => {
      const form = Object.fromEntries(await request.formData());
      await context.trpc.auth.signUp(form as never);
      return new Response(null, { status: 302, headers: { location: '/' } });
    },
  };
  return {
    entry: {
      module: {
        default: () => new Response('page'),
        handleError: (error: unknown, { context }: LoaderFunctionArgs) => context.reportError?.(error),
      },
    },
    routes: { root: { id: 'root', path: '', module } },
    assets: { entry: { imports: [], module: '' }, routes: {}, url: '', version: '1' },
    assetsBuildDirectory: '',
    basename: '/',
    future: {},
    isSpaMode: false,
    mode: 'production',
    publicPath: '/',
  } as unknown as ServerBuild;
}

const data = (query = '', headers: Record<string, string> = {}) =>
  fetch(`${app.url}/?_data=root${query}`, { headers });

const signUp = (email: string, headers: Record<string, string> = { origin: app.url }) =>
  fetch(`${app.url}/?_data=root`, {
    method: 'POST',
    body: new URLSearchParams({ email, displayName: 'Ada', password: 'a quiet long password' }),
    headers,
    redirect: 'manual',
  });

it('gives loaders procedures with the identity of the very request, its nonce and its id', async () => {
  const cookie = cookieOf(await signUp('loader@example.com'));
  const response = await data('', { cookie, 'x-request-id': 'request-0001' });
  const body = (await response.json()) as Record<string, unknown>;
  expect(body.me).toMatchObject({ email: 'loader@example.com' });
  expect(body.user).toEqual(body.me);
  expect(body.requestId).toBe('request-0001');
  expect(response.headers.get('content-security-policy')).toContain(`'nonce-${body.nonce}'`);
  expect(await (await data()).json()).toMatchObject({ me: null, user: null });
});

it('passes the cookie that a procedure sets in an action on to the browser', async () => {
  const response = await signUp('action@example.com');
  expect(response.headers.getSetCookie()).toHaveLength(1);
  const body = (await (await data('', { cookie: cookieOf(response) })).json()) as { me: { email: string } };
  expect(body.me.email).toBe('action@example.com');
});

it('refuses forms that another site posts, signed in or not', async () => {
  const response = await signUp('forged@example.com', { origin: 'https://evil.example' });
  expect(response.status).toBe(403);
  expect(await t.sql`select 1 from users where email = 'forged@example.com'`).toHaveLength(0);
});

it('shows people a bare page without internals when pages fail before they render', async () => {
  const broken = await startTestApp(t, {
    pages: {
      build: () =>
        Promise.reject(new AppError('unavailable', 'The pages are not available: their build is broken.')),
      mode: 'production',
      clientDirectory,
    },
  });
  const response = await fetch(`${broken.url}/`, { headers: { accept: 'text/html' } });
  const text = await response.text();
  expect(response.status).toBe(503);
  expect(text).toContain('The pages are not available: their build is broken.');
  expect(text).not.toMatch(/node_modules|at \w+ \(/);
  // The API does not need the pages.
  expect((await fetch(`${broken.url}/api/trpc/auth.me`)).status).toBe(200);
  await broken.close();
});

it('keeps internals of a failing loader from the browser', async () => {
  for (const fail of ['bug', 'procedure']) {
    const response = await data(`&fail=${fail}`);
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).not.toMatch(/secret detail|node_modules|\.ts:/);
  }
  // Operators see the bug, and no refusal as if it were one.
  const failures = app.log.filter((line) => line.includes('A page failed'));
  expect(failures).toHaveLength(1);
  expect(failures[0]).toContain('secret detail of a bug');
});

it('lets hashed assets be kept for a year, and answers 404 for missing ones without asking Remix', async () => {
  const asset = await fetch(`${app.url}/assets/page-abc123.js`);
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  const icon = await fetch(`${app.url}/favicon.svg`);
  expect(icon.headers.get('cache-control')).toBe('public, max-age=3600');
  const missing = await fetch(`${app.url}/assets/gone.js`);
  expect([missing.status, missing.headers.get('cache-control')]).toEqual([404, 'no-store']);
});
