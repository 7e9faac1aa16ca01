import { createAuthRouter } from '#server/auth/router.ts';
import { adminBillingRouter } from '#server/billing/admin-router.ts';
import { adminRedeemRouter } from '#server/billing/redeem/admin-router.ts';
import { billingRouter } from '#server/billing/router.ts';
import { adminTasksRouter } from '#server/generation/admin-router.ts';
import { agentsRouter } from '#server/generation/agent/router.ts';
import { compositesRouter } from '#server/generation/composite/router.ts';
import { dramasRouter } from '#server/generation/drama/router.ts';
import { promptsRouter } from '#server/generation/prompts/router.ts';
import { generationRouter } from '#server/generation/router.ts';
import { webhooksRouter } from '#server/generation/webhooks/router.ts';
import { adminInvitesRouter } from '#server/invites/admin-router.ts';
import { bindNewUser, requireInviter } from '#server/invites/bind-invite.ts';
import { invitesRouter } from '#server/invites/router.ts';
import { libraryRouter } from '#server/library/router.ts';
import { sharesRouter } from '#server/library/shares-router.ts';
import { maintenanceRouter } from '#server/maintenance/router.ts';
import { workersRouter } from '#server/maintenance/workers-router.ts';
import {
  adminDeliveriesRouter,
  notificationsRouter,
  webhookEndpointsRouter,
} from '#server/notifications/router.ts';
import { operationsRouter } from '#server/operations/router.ts';
import { adminOrdersRouter } from '#server/orders/admin-router.ts';
import { ordersRouter } from '#server/orders/router.ts';
import { overviewRouter } from '#server/overview/router.ts';
import { modelsRouter } from '#server/providers/channels/models-router.ts';
import { channelsRouter } from '#server/providers/channels/router.ts';
import { customRouter } from '#server/providers/custom/router.ts';
import { accountRouter } from '#server/retention/router.ts';
import { adminUsersRouter } from '#server/users/admin-router.ts';
import { router } from './init.ts';

/** Everything that can be called, by pages, services and the daemon alike. */
export const appRouter = router({
  auth: createAuthRouter({ requireInviter, bindNewUser }),
  account: accountRouter,
  generation: generationRouter,
  prompts: promptsRouter,
  composites: compositesRouter,
  agents: agentsRouter,
  dramas: dramasRouter,
  library: libraryRouter,
  shares: sharesRouter,
  billing: billingRouter,
  adminTasks: adminTasksRouter,
  adminBilling: adminBillingRouter,
  adminInvites: adminInvitesRouter,
  adminRedeem: adminRedeemRouter,
  adminUsers: adminUsersRouter,
  invites: invitesRouter,
  channels: channelsRouter,
  models: modelsRouter,
  customProtocol: customRouter,
  webhooks: webhooksRouter,
  webhookEndpoints: webhookEndpointsRouter,
  adminWebhooks: adminDeliveriesRouter,
  notifications: notificationsRouter,
  workers: workersRouter,
  overview: overviewRouter,
  orders: ordersRouter,
  adminOrders: adminOrdersRouter,
  operations: operationsRouter,
  maintenance: maintenanceRouter,
});

/** Clients import this type and nothing else of the server. */
export type AppRouter = typeof appRouter;
