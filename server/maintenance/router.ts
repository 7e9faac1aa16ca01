import { runSettlementBatch } from '#server/invites/run-settlement-batch.ts';
import { runDeliveryBatch } from '#server/notifications/run-delivery-batch.ts';
import { runExpiryBatch } from '#server/orders/run-expiry-batch.ts';
import { runRetentionBatch } from '#server/retention/run-retention-batch.ts';
import { maintenanceProcedure, router } from '#server/trpc/init.ts';
import { checkProtocol } from './check-protocol.ts';
import { recordHeartbeat } from './record-heartbeat.ts';
import { runGenerationKnock } from './run-generation-knock.ts';
import { runRefundKnock } from './run-refund-knock.ts';
import {
  type DeliverWebhooksOutput,
  deliverWebhooksOutput,
  type ExpireOrdersOutput,
  expireOrdersOutput,
  heartbeatInput,
  heartbeatOutput,
  type RunRefundsOutput,
  type RunRetentionOutput,
  type RunTasksOutput,
  runBatchInput,
  runRefundsOutput,
  runRetentionOutput,
  runTasksInput,
  runTasksOutput,
  type SettleInvitesOutput,
  settleInvitesOutput,
} from './schemas.ts';
import { whenMigrated } from './when-migrated.ts';

const NO_TASKS: RunTasksOutput = {
  claimed: 0,
  advanced: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  uncertain: 0,
  lost: 0,
  inFlight: 0,
  nextDueAt: null,
  backlog: 0,
  waitedMs: 0,
};
const NO_REFUNDS: RunRefundsOutput = { claimed: 0, settled: 0, retried: 0, manual: 0, nextDueAt: null };
const NO_ORDERS: ExpireOrdersOutput = { expired: 0, creditsExpired: 0, nextDueAt: null };
const NO_INVITES: SettleInvitesOutput = {
  claimed: 0,
  qualified: 0,
  rewarded: 0,
  refused: 0,
  clawedBack: 0,
  retried: 0,
  nextDueAt: null,
};
const NO_DELIVERIES: DeliverWebhooksOutput = {
  claimed: 0,
  delivered: 0,
  retried: 0,
  failed: 0,
  lost: 0,
  nextDueAt: null,
};
const NO_RETENTION: RunRetentionOutput = { counts: {}, failed: 0, hasMore: false, nextDueAt: null };

/** The daemon, if it speaks a protocol that is served here. */
const knockProcedure = maintenanceProcedure.use(({ ctx, next }) => {
  checkProtocol(ctx.protocol);
  return next();
});

export const maintenanceRouter = router({
  heartbeat: knockProcedure
    .input(heartbeatInput)
    .output(heartbeatOutput)
    .mutation(({ ctx, input }) =>
      whenMigrated(
        () => recordHeartbeat(ctx.deps, { ...input, workerId: ctx.workerId, protocol: ctx.protocol }),
        (message) => ({ accepted: false, serverTime: ctx.deps.clock.now(), message }),
      ),
    ),

  generationTasks: router({
    run: knockProcedure
      .input(runTasksInput)
      .output(runTasksOutput)
      .mutation(({ ctx, input }) =>
        whenMigrated(
          () => runGenerationKnock(ctx, { limit: input.limit, waitMs: input.waitMs, workerId: ctx.workerId }),
          (message) => ({ ...NO_TASKS, message }),
        ),
      ),
  }),

  billingRefunds: router({
    run: knockProcedure
      .input(runBatchInput)
      .output(runRefundsOutput)
      .mutation(({ ctx, input }) =>
        whenMigrated(
          () => runRefundKnock(ctx.deps, { limit: input.limit, workerId: ctx.workerId }),
          (message) => ({ ...NO_REFUNDS, message }),
        ),
      ),
  }),

  orders: router({
    expire: knockProcedure
      .input(runBatchInput)
      .output(expireOrdersOutput)
      .mutation(({ ctx, input }) =>
        whenMigrated(
          () => runExpiryBatch(ctx.deps, { limit: input.limit, workerId: ctx.workerId }),
          (message) => ({ ...NO_ORDERS, message }),
        ),
      ),
  }),

  invites: router({
    settle: knockProcedure
      .input(runBatchInput)
      .output(settleInvitesOutput)
      .mutation(({ ctx, input }) =>
        whenMigrated(
          () => runSettlementBatch(ctx.deps, { limit: input.limit, workerId: ctx.workerId }),
          (message) => ({ ...NO_INVITES, message }),
        ),
      ),
  }),

  webhooks: router({
    deliver: knockProcedure
      .input(runBatchInput)
      .output(deliverWebhooksOutput)
      .mutation(({ ctx, input }) =>
        whenMigrated(
          () => runDeliveryBatch(ctx.deps, { limit: input.limit, workerId: ctx.workerId }),
          (message) => ({ ...NO_DELIVERIES, message }),
        ),
      ),
  }),

  retention: router({
    run: knockProcedure
      .input(runBatchInput)
      .output(runRetentionOutput)
      .mutation(({ ctx, input }) =>
        whenMigrated<RunRetentionOutput>(
          () => runRetentionBatch(ctx.deps, { limit: input.limit, workerId: ctx.workerId }),
          (message) => ({ ...NO_RETENTION, message }),
        ),
      ),
  }),
});
