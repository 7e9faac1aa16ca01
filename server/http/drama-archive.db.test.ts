import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDramaRig, type DramaRig } from '#server/generation/drama/testing/drama-rig.ts';
import { createLogger } from '#server/lib/logger.ts';
import { createUser } from '#server/testing/factories.ts';
import type { Identity } from '#server/trpc/context.ts';
import { errorHandler } from './error-handler.ts';
import { createFilesRouter } from './files.ts';

vi.mock(
  '#server/composition/compose-film.ts',
  () => import('#server/generation/drama/testing/quick-composer.ts'),
);

let rig: DramaRig;
let server: Server;
let origin: string;
let taskId: string;
let identity: Identity = { type: 'anonymous' };

beforeAll(async () => {
  rig = await createDramaRig();
  taskId = await rig.orderPictures(1);
  await rig.ended(taskId);
  const app = express();
  const logger = createLogger('silent');
  app.use(
    createFilesRouter({ deps: { ...rig.deps, logger }, resolveIdentity: async () => identity }),
    errorHandler(logger),
  );
  server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rig.close();
});

/** Whoever this is signs in; ids decide whose files are seen. */
function sessionOf({ id }: { id: string }, role: 'user' | 'admin' = 'user'): Identity {
  const user = { id, email: 'someone@example.com', displayName: 'Someone', role };
  return { type: 'session', user, sessionId: 'a-session' };
}

const get = (id = taskId, init?: RequestInit) => fetch(`${origin}/files/dramas/${id}/shots.zip`, init);

describe('/files/dramas/:id/shots.zip', () => {
  it('gives its owner the archive, never to be kept or shown', async () => {
    identity = sessionOf(rig.user);
    const response = await get();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('cache-control')).toContain('no-store');
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="sidelane-film-/);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(0, 2).toString()).toBe('PK');
    expect(bytes.includes('shots/01-picture.png')).toBe(true);
    expect(bytes.includes('film.mp4')).toBe(true);
    const head = await get(taskId, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('is not there for anybody else, administrators among them', async () => {
    const other = await createUser(rig.db);
    identity = sessionOf(other);
    expect((await get()).status).toBe(404);
    identity = sessionOf(other, 'admin');
    expect((await get()).status).toBe(404);
    identity = { type: 'anonymous' };
    expect((await get()).status).toBe(401);
  });

  it('is not there for a film without a shot, or for what is no film', async () => {
    identity = sessionOf(rig.user);
    const empty = await rig.orderPictures(1, '', { startBelowCredits: undefined });
    await rig.review(empty);
    const [child] = await rig.childrenOf(taskId);
    for (const id of [empty, child?.id ?? '', 'nothing', '01890000-0000-7000-8000-000000000000']) {
      expect((await get(id)).status).toBe(404);
    }
  });

  it('is cut off when a file breaks on the way, so that nobody takes it for whole', async () => {
    identity = sessionOf(rig.user);
    const drama = await rig.drama(taskId);
    const childId = drama.shots[0]?.picture?.child?.taskId ?? '';
    const [row] = await rig.t.sql<
      { key: string }[]
    >`select storage_key as key from outputs where task_id = ${childId}`;
    await rig.deps.storage.delete(row?.key ?? '');
    await expect(get().then((response) => response.arrayBuffer())).rejects.toThrow();
  });
});
