import { adminProcedure, router } from '#server/trpc/init.ts';
import { listWorkers } from './list-workers.ts';

export const workersRouter = router({
  list: adminProcedure.query(({ ctx }) => listWorkers(ctx.deps)),
});
