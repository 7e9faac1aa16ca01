import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RunningSandbox, startSandbox } from '#scripts/sandbox/server.ts';
import { auditLedger } from '#server/billing/audit.ts';
import { newId } from '#server/lib/ids.ts';
import { createOrder } from '#server/orders/create-order.ts';
import { savePack } from '#server/orders/packs.ts';
import { createSandboxPayments } from '#server/orders/payment/sandbox.ts';
import { runPaymentRefundBatch } from '#server/orders/run-payment-refund-batch.ts';
import { savePackInput } from '#server/orders/schemas.ts';
import { setCrashHandler } from '#server/testing/crash-points.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createUser } from '#server/testing/factories.ts';
import { startTestApp, type TestApp } from './test-app.ts';

/** The whole way of a payment over real HTTP: order, the played vendor's page, signed events, credits. */

const SECRET = 'a-shared-secret-of-at-least-32-characters';
const PATH = '/payments/sandbox/webhook';

let t: TestDatabase;
let sandbox: RunningSandbox;
let app: TestApp;
let packId: string;
/** Where the vendor reports to. */
let told: { webhookUrl: string; secret: string };
let payments: ReturnType<typeof createSandboxPayments>;

beforeAll(async () => {
  t = await createTestDatabase();
  // The vendor is told the shop's address once that has one.
  told = { webhookUrl: '', secret: SECRET };
  sandbox = await startSandbox({ payments: told });
  payments = createSandboxPayments({ url: sandbox.url, secret: SECRET });
  app = await startTestApp(t, { payments, config: { publicOrigin: 'http://127.0.0.1:3000' } });
  told.webhookUrl = `${app.url}${PATH}`;
  const admin = await createUser(t.db, { role: 'admin' });
  const pack = savePackInput.parse({
    title: 'Medium pack',
    credits: 500,
    amountMinor: 1_900,
    currency: 'EUR',
  });
  ({ packId } = await savePack(app.deps, { ...pack, actorId: admin.id }));
});
afterEach(() => setCrashHandler(undefined));
afterAll(async () => {
  await sandbox?.close();
  await app?.close();
  await t?.close();
});

async function placeOrder() {
  const user = await createUser(t.db, { balanceCredits: 0 });
  const placed = await createOrder(app.deps, { userId: user.id, packId, requestKey: newId() });
  if (!placed.checkoutUrl) throw new Error('The vendor opened no page.');
  return { userId: user.id, orderId: placed.orderId, page: placed.checkoutUrl };
}

const press = (page: string, action: string, more: Record<string, string> = {}) =>
  fetch(page, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ action, ...more }) });

/** The deliveries of an order, once the vendor has finished with all of them. */
const delivered = (orderId: string, atLeast: number) =>
  sandbox.control.waitForReports({ orderId }, { atLeast });

async function books({ userId, orderId }: { userId: string; orderId: string }) {
  const [order] = await t.sql<{ status: string }[]>`select status from orders where id = ${orderId}`;
  const [account] = await t.sql<{ balance: number }[]>`
    select balance_credits::int as balance from credit_accounts where user_id = ${userId}`;
  const purchases = await t.sql`
    select 1 from credit_ledger where user_id = ${userId} and kind = 'purchase'`;
  return { status: order?.status, balance: account?.balance, purchases: purchases.length };
}

const PAID = { status: 'paid', balance: 500, purchases: 1 };
const UNPAID = { status: 'pending', balance: 0, purchases: 0 };

type Parts = { path?: string; secret?: string; ageSeconds?: number; headers?: Record<string, string> };

/** A paid event as the vendor would send it; what a forger gets wrong can be replaced. */
function event(orderId: string, more: object = {}) {
  return JSON.stringify({
    id: `pev_${newId()}`,
    type: 'payment.paid',
    data: {
      order_id: orderId,
      checkout_id: null,
      payment_id: `ppa_${newId()}`,
      amount_minor: 1_900,
      currency: 'EUR',
      ...more,
    },
  });
}
function send(url: string, body: string, parts: Parts = {}) {
  const { path = PATH, secret = SECRET, ageSeconds = 0, headers } = parts;
  const seconds = Math.floor(Date.now() / 1_000) - ageSeconds;
  const mark = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return fetch(`${url}${path}`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'sandbox-signature': `t=${seconds},v1=${mark}`,
      ...headers,
    },
  });
}

describe('B65 a payment', () => {
  it('on the vendor’s page makes the order paid and gives its credits once', async () => {
    const order = await placeOrder();
    const answer = await press(order.page, 'pay');
    expect(answer.headers.get('location')).toContain(`/orders/${order.orderId}`);
    const [delivery] = await delivered(order.orderId, 1);
    expect(delivery?.tries).toMatchObject([{ status: 200 }]);
    expect(await books(order)).toEqual(PAID);
  });

  it('told three times at once is credited once, and every delivery is answered with 200', async () => {
    const order = await placeOrder();
    await press(order.page, 'pay', { thrice: '1' });
    const deliveries = await delivered(order.orderId, 3);
    expect(deliveries.map(({ tries }) => tries.map(({ status }) => status))).toEqual([[200], [200], [200]]);
    expect(await books(order)).toEqual(PAID);
    const events = await t.sql`select outcome from payment_events where order_id = ${order.orderId}`;
    expect(events).toEqual([{ outcome: 'applied' }]);
  });

  it('is answered only after the commit: what fails before is told again and credited once', async () => {
    const order = await placeOrder();
    let faults = 2;
    setCrashHandler((name) => {
      if (name !== 'payment-event.before-commit' || faults === 0) return;
      faults -= 1;
      throw new Error('The process stops here.');
    });
    await press(order.page, 'pay');
    const [delivery] = await delivered(order.orderId, 1);
    expect(delivery?.tries.map(({ status }) => status)).toEqual([500, 500, 200]);
    expect(await books(order)).toEqual(PAID);
  });

  it('whose answer is lost after the commit is told again, and nothing happens twice', async () => {
    const order = await placeOrder();
    let faults = 1;
    setCrashHandler((name) => {
      if (name !== 'payment-event.after-commit' || faults === 0) return;
      faults -= 1;
      throw new Error('The process stops here.');
    });
    await press(order.page, 'pay');
    const [delivery] = await delivered(order.orderId, 1);
    expect(delivery?.tries.map(({ status }) => status)).toEqual([500, 200]);
    expect(await books(order)).toEqual(PAID);
  });

  it('while the database is away is answered 503 with Retry-After, so that the vendor repeats it', async () => {
    const away = t.open({ url: 'postgres://127.0.0.1:9/none' });
    const other = await startTestApp(away, { payments });
    const order = await placeOrder();
    const body = event(order.orderId);
    const refused = await send(other.url, body);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await books(order)).toEqual(UNPAID);
    await other.close();
    expect((await send(app.url, body)).status).toBe(200);
    expect(await books(order)).toEqual(PAID);
  });
});

describe('B67 the second payment of an order goes back', () => {
  /** An order that was paid twice; its second payment waits for the refund lane. */
  const paidTwice = async () => {
    const order = await placeOrder();
    await press(order.page, 'pay_twice');
    await delivered(order.orderId, 2);
    return order;
  };
  const runLane = async (orderId: string) => {
    await t.sql`update payment_refunds set next_attempt_at = now() where order_id = ${orderId} and status = 'pending'`;
    await runPaymentRefundBatch(app.deps, { limit: 10, workerId: null });
  };
  const refundsOf = async (orderId: string) => {
    const rows = await t.sql<{ id: string; status: string; provider_refund_id: string | null }[]>`
      select id, status, provider_refund_id from payment_refunds where order_id = ${orderId}`;
    const { refunds, calls } = await sandbox.control.payments({ orderId });
    return { rows, refunds, calls: calls[`refund:${rows[0]?.id}`] };
  };

  it('once, however often and however many lanes ask', async () => {
    const order = await paidTwice();
    await Promise.all([runLane(order.orderId), runLane(order.orderId), runLane(order.orderId)]);
    await delivered(order.orderId, 3);
    await runLane(order.orderId);
    const { rows, refunds } = await refundsOf(order.orderId);
    expect(refunds).toMatchObject([{ amountMinor: 1_900, ourRefundId: rows[0]?.id }]);
    expect(rows).toMatchObject([{ status: 'settled', provider_refund_id: refunds[0]?.id }]);
    expect(await books(order)).toEqual(PAID);
  });

  it('once, when the answer is lost: the vendor’s report settles it', async () => {
    const order = await paidTwice();
    await sandbox.control.loseRefundAnswers(1);
    await runLane(order.orderId);
    await delivered(order.orderId, 3);
    await runLane(order.orderId);
    expect(await refundsOf(order.orderId)).toMatchObject({
      rows: [{ status: 'settled' }],
      refunds: [{ amountMinor: 1_900 }],
      calls: 1,
    });
  });

  it('once, when answer and report are lost: the lane asks again under the same key', async () => {
    const order = await paidTwice();
    const { webhookUrl } = told;
    told.webhookUrl = '';
    await sandbox.control.loseRefundAnswers(2);
    for (let round = 0; round < 3; round += 1) await runLane(order.orderId);
    told.webhookUrl = webhookUrl;
    expect(await refundsOf(order.orderId)).toMatchObject({
      rows: [{ status: 'settled' }],
      refunds: [{ amountMinor: 1_900 }],
      calls: 3,
    });
    expect(await books(order)).toEqual(PAID);
  });
});

describe('B64 what is not the vendor’s word', () => {
  const changesNothing = async (
    order: Awaited<ReturnType<typeof placeOrder>>,
    answer: Response,
    status: number,
  ) => {
    expect(answer.status).toBe(status);
    expect(await books(order)).toEqual(UNPAID);
    expect(await t.sql`select 1 from payment_events where order_id = ${order.orderId}`).toEqual([]);
  };

  it.each<[string, Parts]>([
    ['another secret', { secret: 'another-secret-of-at-least-32-characters' }],
    ['an old signature', { ageSeconds: 301 }],
    ['no signature', { headers: { 'sandbox-signature': '' } }],
    ['a signature of other bytes', { headers: { 'sandbox-signature': `t=1,v1=${'0'.repeat(64)}` } }],
  ])('%s is refused with 401', async (_name, parts) => {
    const order = await placeOrder();
    await changesNothing(order, await send(app.url, event(order.orderId), parts), 401);
  });

  it.each<[string, string]>([
    ['another provider', '/payments/stripe/webhook'],
    ['no provider', '/payments/none/webhook'],
    ['a longer path', `${PATH}/more`],
  ])('the address of %s does not exist', async (_name, path) => {
    const order = await placeOrder();
    await changesNothing(order, await send(app.url, event(order.orderId), { path }), 404);
  });

  it('a signed body that is no event is refused with 400, and one above 1 MB with 413', async () => {
    const order = await placeOrder();
    await changesNothing(order, await send(app.url, '{"id":'), 400);
    const big = event(order.orderId, { filler: 'x'.repeat(1_048_576) });
    await changesNothing(order, await send(app.url, big), 413);
  });

  it('without a payment provider there is no address at all', async () => {
    const other = await startTestApp(t);
    const order = await placeOrder();
    await changesNothing(order, await send(other.url, event(order.orderId)), 404);
    await other.close();
  });

  it('cookies, tokens and another site’s origin neither help nor hinder', async () => {
    const order = await placeOrder();
    const headers = {
      cookie: 'sidelane_session=stolen',
      authorization: 'Bearer sdl_stolen',
      origin: 'https://attacker.example',
    };
    await changesNothing(
      order,
      await send(app.url, event(order.orderId), { headers, secret: 'another-secret-of-at-least-32-chars' }),
      401,
    );
    expect((await send(app.url, event(order.orderId), { headers })).status).toBe(200);
    expect(await books(order)).toEqual(PAID);
  });

  it('too many deliveries from one address are put off', async () => {
    const limits = {
      webhook: { points: 2, seconds: 60, message: 'Too many.', withoutStore: 'allow' as const },
    };
    const other = await startTestApp(t, { payments, limits });
    // Counted in the database, by address: this file's own calls count too.
    await t.sql`delete from rate_limits`;
    const statuses = [];
    for (let call = 0; call < 3; call += 1) statuses.push((await send(other.url, '{}')).status);
    expect(statuses).toEqual([400, 400, 429]);
    await other.close();
  });
});

it('logs what was taken and what was refused, without secret and signature; the books are in balance', async () => {
  const log = app.log.join('\n');
  expect(log).toContain('A payment event was taken');
  expect(log).toContain('A delivery to the payment webhook was refused');
  expect(log).not.toContain(SECRET);
  expect(log).not.toMatch(/v1=[0-9a-f]{64}/);
  expect(await auditLedger(t.db)).toEqual([]);
});
