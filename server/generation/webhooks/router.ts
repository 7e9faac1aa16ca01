import { adminProcedure, router } from '#server/trpc/init.ts';
import { readInbox } from './read-inbox.ts';
import { listDeliveriesInput } from './schemas.ts';

export const webhooksRouter = router({
  list: adminProcedure
    .input(listDeliveriesInput.optional())
    .query(({ ctx, input }) => readInbox(ctx.deps, input ?? listDeliveriesInput.parse({}))),
});
