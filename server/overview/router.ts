import { adminProcedure, router } from '#server/trpc/init.ts';
import { readChannelDetail, readChannelNumbers } from './read-channel-numbers.ts';
import { readCosts } from './read-costs.ts';
import { readModelNumbers, readOverview } from './read-overview.ts';
import { readProcesses } from './read-processes.ts';
import { channelInput, costsInput, windowInput } from './schemas.ts';

/** Figures of the back office. Nothing here changes anything. */
export const overviewRouter = router({
  summary: adminProcedure.input(windowInput).query(({ ctx, input }) => readOverview(ctx.deps, input)),
  models: adminProcedure.input(windowInput).query(({ ctx, input }) => readModelNumbers(ctx.deps, input)),
  /** What upstream took beside what users were charged, by UTC day and by model. */
  costs: adminProcedure.input(costsInput).query(({ ctx, input }) => readCosts(ctx.deps, input)),
  channels: adminProcedure.query(({ ctx }) => readChannelNumbers(ctx.deps)),
  channel: adminProcedure.input(channelInput).query(({ ctx, input }) => readChannelDetail(ctx.deps, input)),
  processes: adminProcedure.query(({ ctx }) => readProcesses(ctx.deps, ctx.executor)),
});
