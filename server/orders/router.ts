import { router, userProcedure } from '#server/trpc/init.ts';
import { cancelOrder } from './cancel-order.ts';
import { createOrder, openCheckout } from './create-order.ts';
import { readShop } from './packs.ts';
import { readOrder, readOrderPage } from './read-orders.ts';
import { createOrderInput, listOrdersInput, orderIdInput } from './schemas.ts';

/** Buying credits. Tokens may read orders; only a signed-in person makes, pays or cancels one. */
export const ordersRouter = router({
  shop: userProcedure.query(({ ctx }) => readShop(ctx.deps)),

  create: userProcedure
    .input(createOrderInput)
    .mutation(({ ctx, input }) => createOrder(ctx.deps, { ...input, userId: ctx.user.id })),

  checkout: userProcedure
    .input(orderIdInput)
    .mutation(({ ctx, input }) => openCheckout(ctx.deps, { ...input, userId: ctx.user.id })),

  get: userProcedure
    .meta({ audience: 'user', scope: 'read' })
    .input(orderIdInput)
    .query(({ ctx, input }) => readOrder(ctx.deps, { ...input, userId: ctx.user.id })),

  list: userProcedure
    .meta({ audience: 'user', scope: 'read' })
    .input(listOrdersInput.optional())
    .query(({ ctx, input }) =>
      readOrderPage(ctx.deps, { ...(input ?? listOrdersInput.parse({})), userId: ctx.user.id }),
    ),

  cancel: userProcedure.input(orderIdInput).mutation(async ({ ctx, input }) => {
    await cancelOrder(ctx.deps, { ...input, userId: ctx.user.id });
    return { ok: true };
  }),
});
