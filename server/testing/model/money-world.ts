import { hashPassword } from '#server/auth/password.ts';
import { grantCredits } from '#server/billing/ledger.ts';
import { createBatch } from '#server/billing/redeem/manage-batches.ts';
import { redeemCode } from '#server/billing/redeem/redeem-code.ts';
import { runRefundBatch } from '#server/billing/run-refund-batch.ts';
import type { Deps } from '#server/deps.ts';
import { cancelTask } from '#server/generation/cancel-task.ts';
import { failTask } from '#server/generation/fail-task.ts';
import { settleTask } from '#server/generation/settle-task.ts';
import type { Step } from '#server/generation/step.ts';
import { submitTask } from '#server/generation/submit-task.ts';
import { runSettlementBatch } from '#server/invites/run-settlement-batch.ts';
import { AppError } from '#server/lib/app-error.ts';
import { newId } from '#server/lib/ids.ts';
import { cancelOrder, closeOrder } from '#server/orders/cancel-order.ts';
import { createOrder } from '#server/orders/create-order.ts';
import { handlePaymentEvent } from '#server/orders/handle-payment-event.ts';
import type { PaymentEvent } from '#server/orders/payment/payment-provider.ts';
import { refundOrder } from '#server/orders/refund-order.ts';
import { runExpiryBatch } from '#server/orders/run-expiry-batch.ts';
import { runPaymentRefundBatch } from '#server/orders/run-payment-refund-batch.ts';
import { closeAccount } from '#server/retention/close-account.ts';
import { createModel, createUser } from '#server/testing/factories.ts';
import type { Rig } from '#server/testing/rig.ts';
import { type CompositeCounts, compositeMoves } from './composite-moves.ts';
import { type LeasedRow, toStep } from './leased-step.ts';
import { createPlayedVendor, type PlayedVendor } from './played-vendor.ts';

/** Names nothing: an action on what is not there. */
const NOBODY = '00000000-0000-0000-0000-000000000000';
const PASSWORD = 'a password for the model';
const PRICE = 5;
const PACK = { title: 'Model pack', credits: 60, amountMinor: 1_199, currency: 'EUR', validDays: 30 };

/** What is shared by all histories of one run: an administrator, a model, a pack. */
export type Stage = {
  rig: Rig;
  adminId: string;
  modelSlug: string;
  packId: string;
  passwordHash: string;
  counts: CompositeCounts;
};

export async function setStage(rig: Rig): Promise<Stage> {
  const admin = await createUser(rig.db, { role: 'admin', balanceCredits: 0 });
  const model = await createModel(rig.db, { price: { unit: 'output', credits: PRICE } });
  const packId = newId();
  await rig.t.sql`insert into credit_packs (id, title, credits, amount_minor, currency, valid_days)
    values (${packId}, ${PACK.title}, ${PACK.credits}, ${PACK.amountMinor}, ${PACK.currency}, ${PACK.validDays})`;
  return {
    rig,
    adminId: admin.id,
    modelSlug: model.slug,
    packId,
    passwordHash: await hashPassword(PASSWORD),
    counts: { refusedChildren: 0, earlyEnds: 0 },
  };
}

/**
 * The product's own functions on a real database, as one history uses them: two users of its own (the first invited the
 * second) and a payment vendor of its own. What the product refuses is an end as good as any; every other error is a
 * fault.
 */
export async function createWorld(stage: Stage, faults: () => number) {
  const { rig } = stage;
  const { sql } = rig.t;
  const vendor: PlayedVendor = createPlayedVendor(faults);
  const deps: Deps = {
    ...rig.deps,
    payments: vendor,
    random: faults,
    config: { ...rig.deps.config, retryBaseMs: 10, retryCapMs: 10, publicOrigin: 'https://lane.example.com' },
  };
  const users = [await person(), await person()];
  await sql`insert into invites (id, inviter_id, invitee_id) values (${newId()}, ${user(0)}, ${user(1)})`;
  const tasks: string[] = [];
  const orders: string[] = [];

  async function person(): Promise<string> {
    const { passwordHash } = stage;
    return (await createUser(rig.db, { balanceCredits: 0, passwordHash })).id;
  }
  function user(index: number): string {
    return pick(users, index) ?? NOBODY;
  }

  /** Runs an action to the end the product gives it. */
  async function tolerate(action: () => Promise<unknown>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'internal') throw error;
    }
  }

  /** Brings a queued task to where its outputs are stored; undefined when it has gone elsewhere. */
  async function reachArchive(taskId: string, outputs: number): Promise<Step | undefined> {
    const rows = await sql<LeasedRow[]>`
      update generation_tasks set status = 'archiving', sent_at = now(), accepted_at = now(), create_tries = 1,
        deadline_at = now() + interval '1 hour', archive_until = now() + interval '1 day',
        lease_until = now() + interval '1 hour', leased_by = ${newId()}, lease_token = lease_token + 1
      where id = ${taskId} and (status = 'queued' and lease_until is null or status = 'archiving')
      returning id, leased_by, lease_token, wake_seq`;
    const [row] = rows;
    if (!row) return undefined;
    for (let ordinal = 0; ordinal < outputs; ordinal += 1) {
      await sql`insert into outputs (id, task_id, ordinal, kind, mime, bytes, sha256, storage_key)
        values (${newId()}, ${taskId}, ${ordinal}, 'image', 'image/png', 4, ${'0'.repeat(64)}, ${`model/${taskId}/${ordinal}`})
        on conflict do nothing`;
    }
    return toStep(deps, row);
  }

  async function report(event: PaymentEvent, times = 1): Promise<void> {
    // Each delivery may name the event anew: the vendor's own retries do not, another webhook endpoint's do.
    const deliveries = Array.from({ length: times }, (_, index) =>
      index % 2 === 0 ? event : { ...event, eventId: `${event.eventId}_${index}` },
    );
    const ends = await Promise.allSettled(
      deliveries.map((delivery) => handlePaymentEvent(deps, { provider: 'sandbox', event: delivery })),
    );
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  /** The payment that an order was credited for; while it was not, the last one that was made. */
  async function paymentOf(order: number) {
    const orderId = pick(orders, order) ?? NOBODY;
    const [row] = await sql<{ paymentId: string | null }[]>`
      select payment_id as "paymentId" from orders where id = ${orderId}`;
    if (row?.paymentId) return vendor.payments.get(row.paymentId);
    return [...vendor.payments.values()].reverse().find((payment) => payment.orderId === orderId);
  }

  const world = {
    deps,
    vendor,
    users,
    tasks,
    orders,
    tolerate,
    ...compositeMoves({
      deps,
      t: rig.t,
      models: { driver: rig.models.text.slug, child: stage.modelSlug },
      counts: stage.counts,
      tasks,
      users,
      tolerate,
    }),

    grant: (who: number, credits: number, validDays: number | null) =>
      rig.db.transaction((tx) =>
        grantCredits(tx, {
          userId: user(who),
          credits,
          key: `model:${newId()}`,
          actor: 'cli',
          reason: 'Model',
          bucket: { kind: 'granted', validDays },
        }),
      ),
    async redeem(who: number, credits: number) {
      const key = newId();
      const terms = {
        title: 'Model',
        credits,
        codeCount: 1,
        expiresAt: null,
        validDays: 7,
        oncePerUser: false,
      };
      await createBatch(deps, { ...terms, key, adminId: stage.adminId });
      const [row] = await sql<{ code: string }[]>`select code from redeem_codes where batch_id = ${key}`;
      const once = () =>
        tolerate(() => redeemCode(deps, { userId: user(who), code: row?.code ?? '', limits: undefined }));
      await Promise.all([once(), once()]);
    },
    async submit(who: number, n: number) {
      await tolerate(async () => {
        const { taskId } = await submitTask(deps, {
          userId: user(who),
          kind: 'image',
          model: stage.modelSlug,
          prompt: 'a lamp',
          params: { n },
          references: [],
          requestKey: newId(),
        });
        tasks.push(taskId);
      });
    },
    async deliver(task: number, outputs: number) {
      const step = await reachArchive(pick(tasks, task) ?? NOBODY, outputs);
      if (step) await settleTask(step, { from: 'archiving', to: 'succeeded' });
    },
    async fail(task: number) {
      const step = await reachArchive(pick(tasks, task) ?? NOBODY, 0);
      if (step) await failTask(step, 'archiving', { code: 'upstream_failed' });
    },
    async cancel(task: number) {
      const taskId = pick(tasks, task) ?? NOBODY;
      for (const userId of users) await tolerate(() => cancelTask(deps, { userId, taskId }));
    },
    async buy(who: number) {
      await tolerate(async () => {
        const { orderId } = await createOrder(deps, {
          userId: user(who),
          packId: stage.packId,
          requestKey: newId(),
        });
        orders.push(orderId);
      });
    },
    async pay(order: number, times: number, overcharge: boolean) {
      const orderId = pick(orders, order) ?? NOBODY;
      const amountMinor = PACK.amountMinor + (overcharge ? 1 : 0);
      await report(vendor.pay({ orderId, amountMinor, currency: PACK.currency }), times);
    },
    async payLate(order: number) {
      const orderId = pick(orders, order) ?? NOBODY;
      await sql`update orders set expires_at = now() - interval '1 minute' where id = ${orderId} and status = 'pending'`;
      await runExpiryBatch(deps, { limit: 50, workerId: null });
      await report(vendor.pay({ orderId, amountMinor: PACK.amountMinor, currency: PACK.currency }), 2);
    },
    async endOrder(order: number, by: 'user' | 'admin') {
      const orderId = pick(orders, order) ?? NOBODY;
      if (by === 'admin') {
        return tolerate(() => closeOrder(deps, { orderId, reason: 'Model run', actorId: stage.adminId }));
      }
      for (const userId of users) await tolerate(() => cancelOrder(deps, { orderId, userId }));
    },
    async refundByAdmin(order: number, mode: 'unspent' | 'full') {
      const input = { orderId: pick(orders, order) ?? NOBODY, mode, reason: 'Model run', key: newId() };
      await tolerate(() => refundOrder(deps, { ...input, actorId: stage.adminId }));
    },
    async refundInPanel(order: number, share: number, times: number) {
      const payment = await paymentOf(order);
      const event = payment && vendor.refundInPanel(payment.paymentId, share);
      if (event) await report(event, times);
    },
    /** Late: the report comes after later ones. */
    async dispute(order: number, won: boolean, late: boolean) {
      const payment = await paymentOf(order);
      const event = payment && vendor.dispute(payment.paymentId, won);
      if (event && late) vendor.told.push(event);
      else if (event) await report(event, 3);
    },
    /** Reports that are on their way arrive, some of them twice. */
    async tell() {
      for (const event of vendor.told.splice(0)) await report(event, 2);
    },
    async expireBuckets(who: number) {
      await sql`update credit_buckets set expires_at = now() - interval '1 second'
        where user_id = ${user(who)} and remaining_credits > 0 and expires_at is not null`;
    },
    async sweep() {
      await runExpiryBatch(deps, { limit: 50, workerId: null });
    },
    async refundLane() {
      await sql`update credit_refunds set next_attempt_at = now() where status = 'pending' and user_id = any(${users})`;
      await sql`update payment_refunds set next_attempt_at = now() where status = 'pending' and user_id = any(${users})`;
      const lane = { limit: 50, workerId: null };
      await Promise.all([runRefundBatch(deps, lane), runPaymentRefundBatch(deps, lane)]);
    },
    async inviteLane() {
      await sql`update invites set due_at = now() where status = 'qualified' and invitee_id = any(${users})`;
      await runSettlementBatch(deps, { limit: 50, workerId: null });
    },
    closeAccount: (who: number) =>
      tolerate(() => closeAccount(deps, { userId: user(who), password: PASSWORD, limits: undefined })),
  };
  // Something to act on from the start: an order that was paid and of which some is spent, a task that waits, and a
  // composite with a child.
  await world.grant(1, 30, 30);
  await world.buy(0);
  await world.pay(0, 1, false);
  await world.submit(0, 3);
  await world.startComposite(1, 'agent', 25);
  await world.startChild(0, 2);
  return world;
}

export type World = Awaited<ReturnType<typeof createWorld>>;

/** An element by an index of any size; undefined of an empty list. */
function pick<T>(list: readonly T[], index: number): T | undefined {
  return list[index % Math.max(1, list.length)];
}
