import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSession } from '#server/auth/sessions.ts';
import { LIMITS } from '#server/http/rate-limits.ts';
import { startTestApp } from '#server/http/test-app.ts';
import { procedureCaller } from '#server/http/test-client.ts';
import { createUser } from '#server/testing/factories.ts';
import { createRig, type Rig } from '#server/testing/rig.ts';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  sendTest,
  viewEndpoints,
} from './manage-endpoints.ts';
import { readDeliveries } from './read-deliveries.ts';
import { runDeliveryBatch } from './run-delivery-batch.ts';
import { MOST_ENDPOINTS } from './schemas.ts';

/** What people could do to others, and to the operator's own network, with addresses that they choose. */

/** A gateway in the operator's own network: opened for channels, and no business of the people who have accounts. */
let gateway: Server;
let address: string;
const asked: string[] = [];
let rig: Rig;
beforeAll(async () => {
  gateway = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('internal secrets');
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  address = `http://${host}/api/delete`;
  rig = await createRig({ allowHosts: [host] });
});
afterAll(async () => {
  await rig.close();
  gateway.closeAllConnections();
  await new Promise((resolve) => gateway.close(resolve));
});

const endpoint = { description: '', events: ['task.failed' as const] };

it('a host that is opened for channels is not opened for the webhooks of everybody', async () => {
  const { id: userId } = await createUser(rig.db);
  const refused = {
    code: 'bad_request',
    field: 'url',
    message: expect.stringMatching(/WEBHOOK_ALLOW_HOSTS/),
  };
  await expect(createEndpoint(rig.deps, { userId, ...endpoint, url: address })).rejects.toMatchObject(
    refused,
  );
  const made = await createEndpoint(rig.deps, { userId, ...endpoint, url: 'https://example.com/hook' });
  const own = { userId, endpointId: made.endpoint.id };
  await expect(
    changeEndpoint(rig.deps, { ...own, ...endpoint, url: address, enabled: true }),
  ).rejects.toMatchObject(refused);
  // As a row from before the rule: the guard stands at the connection, too.
  await rig.t.sql`update webhook_endpoints set url = ${address} where id = ${own.endpointId}`;
  await sendTest(rig.deps, own);
  await runDeliveryBatch(rig.deps, { limit: 10, workerId: null });
  expect((await readDeliveries(rig.deps, { ...own, limit: 5 })).items).toMatchObject([
    { status: 'failed', attempts: [{ statusCode: null, answer: null }] },
  ]);
  expect(asked).toEqual([]);
  // The channel's own calls still reach it.
  expect(await rig.runToEnd(await rig.submit('image'))).toMatchObject({ status: 'succeeded' });
});

it('there are never more endpoints than may be, however many are made at once', async () => {
  const { id: userId } = await createUser(rig.db);
  const make = () => createEndpoint(rig.deps, { userId, ...endpoint, url: 'https://example.com/hook' });
  const made = await Promise.allSettled(Array.from({ length: MOST_ENDPOINTS + 8 }, make));
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(MOST_ENDPOINTS);
  const [first] = await viewEndpoints(rig.deps, userId);
  await deleteEndpoint(rig.deps, { userId, endpointId: first?.id ?? '' });
  await make();
  expect(await viewEndpoints(rig.deps, userId)).toHaveLength(MOST_ENDPOINTS);
});

it('a delivery is not sent again and again by a script: each is a request to somebody’s server', async () => {
  const app = await startTestApp(rig.t, { limits: { resend: { ...LIMITS.resend, points: 3 } } });
  try {
    const call = procedureCaller(app.url);
    const { id: userId } = await createUser(rig.db);
    const session = await openSession(app.deps, { userId, userAgent: 'Test browser' });
    const cookie = session.cookie.split(';')[0] ?? '';
    const made = await createEndpoint(rig.deps, { userId, ...endpoint, url: 'https://example.com/hook' });
    const { deliveryId } = await sendTest(rig.deps, { userId, endpointId: made.endpoint.id });
    const again = async () =>
      (await call.mutate('webhookEndpoints.resend', { deliveryId }, { cookie })).status;
    expect([await again(), await again(), await again(), await again()]).toEqual([200, 200, 200, 429]);
  } finally {
    await app.close();
  }
});
