import { runRefundBatch } from '#server/billing/run-refund-batch.ts';
import { maintenanceProcedure, router } from '#server/trpc/init.ts';
import { checkProtocol } from './check-protocol.ts';
import { recordHeartbeat } from './record-heartbeat.ts';
import { runGenerationKnock } from './run-generation-knock.ts';
import {
  heartbeatInput,
  heartbeatOutput,
  type RunRefundsOutput,
  type RunTasksOutput,
  runRefundsInput,
  runRefundsOutput,
  runTasksInput,
  runTasksOutput,
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
      .input(runRefundsInput)
      .output(runRefundsOutput)
      .mutation(({ ctx, input }) =>
        whenMigrated(
          () => runRefundBatch(ctx.deps, { limit: input.limit, workerId: ctx.workerId }),
          (message) => ({ ...NO_REFUNDS, message }),
        ),
      ),
  }),
});
