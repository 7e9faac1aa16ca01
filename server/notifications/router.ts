import { adminProcedure, router, userProcedure } from '#server/trpc/init.ts';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  rotateSecret,
  sendTest,
  viewEndpoint,
  viewEndpoints,
} from './manage-endpoints.ts';
import { markEverythingRead, markNotificationsRead, openNotification } from './mark-read.ts';
import { readAllDeliveries, readDeliveries } from './read-deliveries.ts';
import { readNotifications, readUnreadCount } from './read-notifications.ts';
import { resendAsOperator, resendDelivery } from './resend-delivery.ts';
import {
  adminResendInput,
  createEndpointInput,
  deliveryIdInput,
  endpointIdInput,
  listAllDeliveriesInput,
  listDeliveriesInput,
  listNotificationsInput,
  markAllReadInput,
  notificationIdInput,
  notificationIdsInput,
  updateEndpointInput,
} from './schemas.ts';

const readProcedure = userProcedure.meta({ scope: 'read' });

export const notificationsRouter = router({
  list: readProcedure.input(listNotificationsInput.optional()).query(({ ctx, input }) =>
    readNotifications(ctx.deps, {
      ...(input ?? listNotificationsInput.parse({})),
      userId: ctx.user.id,
    }),
  ),
  unreadCount: readProcedure.query(({ ctx }) => readUnreadCount(ctx.deps, ctx.user.id)),
  markRead: userProcedure.input(notificationIdsInput).mutation(async ({ ctx, input }) => ({
    marked: await markNotificationsRead(ctx.deps, { ...input, userId: ctx.user.id }),
  })),
  /** Marks it as read and says where it leads. */
  open: userProcedure
    .input(notificationIdInput)
    .mutation(({ ctx, input }) => openNotification(ctx.deps, { ...input, userId: ctx.user.id })),
  markAllRead: userProcedure.input(markAllReadInput.optional()).mutation(async ({ ctx, input }) => ({
    marked: await markEverythingRead(ctx.deps, { ...input, userId: ctx.user.id }),
  })),
});

export const webhookEndpointsRouter = router({
  list: readProcedure.query(({ ctx }) => viewEndpoints(ctx.deps, ctx.user.id)),
  get: readProcedure
    .input(endpointIdInput)
    .query(({ ctx, input }) => viewEndpoint(ctx.deps, { ...input, userId: ctx.user.id })),
  /** `secret` is shown this once. */
  create: userProcedure
    .input(createEndpointInput)
    .mutation(({ ctx, input }) => createEndpoint(ctx.deps, { ...input, userId: ctx.user.id })),
  update: userProcedure
    .input(updateEndpointInput)
    .mutation(({ ctx, input }) => changeEndpoint(ctx.deps, { ...input, userId: ctx.user.id })),
  /** `secret` is shown this once; the one before signs too for a day. */
  rotateSecret: userProcedure
    .input(endpointIdInput)
    .mutation(({ ctx, input }) => rotateSecret(ctx.deps, { ...input, userId: ctx.user.id })),
  sendTest: userProcedure
    .input(endpointIdInput)
    .mutation(({ ctx, input }) => sendTest(ctx.deps, { ...input, userId: ctx.user.id })),
  remove: userProcedure.input(endpointIdInput).mutation(async ({ ctx, input }) => {
    await deleteEndpoint(ctx.deps, { ...input, userId: ctx.user.id });
    return { removed: 1 };
  }),
  deliveries: readProcedure
    .input(listDeliveriesInput)
    .query(({ ctx, input }) => readDeliveries(ctx.deps, { ...input, userId: ctx.user.id })),
  resend: userProcedure.input(deliveryIdInput).mutation(async ({ ctx, input }) => {
    await ctx.limits?.consume('resend', ctx.user.id);
    await resendDelivery(ctx.deps, { ...input, userId: ctx.user.id });
    return { resent: 1 };
  }),
});

export const adminDeliveriesRouter = router({
  list: adminProcedure
    .input(listAllDeliveriesInput.optional())
    .query(({ ctx, input }) => readAllDeliveries(ctx.deps, input ?? listAllDeliveriesInput.parse({}))),
  resend: adminProcedure.input(adminResendInput).mutation(async ({ ctx, input }) => {
    await resendAsOperator(ctx.deps, { ...input, operatorId: ctx.user.id });
    return { resent: 1 };
  }),
});
