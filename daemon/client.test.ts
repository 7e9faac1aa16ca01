import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { classifyFailure } from './classify-failure.ts';
import { createMaintenanceClient } from './client.ts';
import { FAKE_TOKEN, startFakeWebProcess } from './testing/fake-web-process.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function clientOf(origin: string, token = FAKE_TOKEN) {
  const { client, close } = createMaintenanceClient({ origin, token, workerId: 'w' });
  closers.push(close);
  return client.maintenance;
}

/** How the daemon sees the failure of one refund knock. */
async function failureOf(origin: string, token?: string, signal?: AbortSignal) {
  const error = await clientOf(origin, token)
    .billingRefunds.run.mutate({ limit: 1 }, { signal })
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );
  return classifyFailure(error);
}

describe('createMaintenanceClient', () => {
  it('brings dates across the wire', async () => {
    const web = await startFakeWebProcess();
    closers.push(web.stop);
    web.answers.refunds = async () => ({ nextDueAt: new Date('2026-01-02T03:04:05.678Z') });
    const result = await clientOf(web.origin).billingRefunds.run.mutate({ limit: 1 });
    expect(result.nextDueAt).toEqual(new Date('2026-01-02T03:04:05.678Z'));
  });

  it('tells a refused token, a refused connection and a foreign answer apart', async () => {
    const web = await startFakeWebProcess();
    expect(await failureOf(web.origin, 'x'.repeat(32))).toEqual({
      kind: 'refused',
      message: 'A valid service token is needed.',
    });
    await web.stop();
    expect(await failureOf(web.origin)).toEqual({ kind: 'unreachable', message: 'ECONNREFUSED' });
    const html = await serve((_req, res) => res.writeHead(502).end('<html>Bad gateway</html>'));
    expect((await failureOf(html)).kind).toBe('unreachable');
    const hangUp = await serve((req) => req.socket.destroy());
    expect((await failureOf(hangUp)).kind).toBe('unreachable');
  });

  it('tells a procedure that an older web process does not have from a foreign 404', async () => {
    const older = await startFakeWebProcess({ isOlder: true });
    closers.push(older.stop);
    const error: unknown = await clientOf(older.origin)
      .retention.run.mutate({ limit: 1 })
      .catch((reason: unknown) => reason);
    expect(classifyFailure(error)).toMatchObject({
      kind: 'absent',
      message: expect.stringContaining('retention'),
    });
    const foreign = await serve((_req, res) => res.writeHead(404).end('Not found'));
    expect((await failureOf(foreign)).kind).toBe('unreachable');
  });

  it('does not follow a redirect with its token, and says what to set', async () => {
    const targets: string[] = [];
    const target = await serve((req, res) => {
      targets.push(req.headers.authorization ?? '');
      res.end('{}');
    });
    const origin = await serve((_req, res) => res.writeHead(307, { location: target }).end());
    const failure = await failureOf(origin);
    expect(failure.kind).toBe('unreachable');
    expect(failure.message).toContain('set SIDELANE_ORIGIN to its target');
    expect(targets).toEqual([]);
  });

  it('sends a call once, whatever the answer is', async () => {
    let calls = 0;
    const error = await serve((_req, res) => {
      calls += 1;
      res.writeHead(503).end('{}');
    });
    await failureOf(error);
    expect(calls).toBe(1);
    const hangUp = await serve((req) => {
      calls += 1;
      req.socket.destroy();
    });
    await failureOf(hangUp);
    expect(calls).toBe(2);
  });

  it('ends a call with its signal', async () => {
    const origin = await serve(() => {});
    const call = new AbortController();
    const failure = failureOf(origin, FAKE_TOKEN, call.signal);
    call.abort();
    expect(await failure).toEqual({ kind: 'unreachable', message: 'This operation was aborted' });
  });
});
