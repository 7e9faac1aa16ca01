import { authRouter } from '#server/auth/router.ts';
import { billingRouter } from '#server/billing/router.ts';
import { adminTasksRouter } from '#server/generation/admin-router.ts';
import { generationRouter } from '#server/generation/router.ts';
import { webhooksRouter } from '#server/generation/webhooks/router.ts';
import { maintenanceRouter } from '#server/maintenance/router.ts';
import { workersRouter } from '#server/maintenance/workers-router.ts';
import { modelsRouter } from '#server/providers/channels/models-router.ts';
import { channelsRouter } from '#server/providers/channels/router.ts';
import { customRouter } from '#server/providers/custom/router.ts';
import { router } from './init.ts';

/** Everything that can be called, by pages, services and the daemon alike. */
export const appRouter = router({
  auth: authRouter,
  generation: generationRouter,
  billing: billingRouter,
  adminTasks: adminTasksRouter,
  channels: channelsRouter,
  models: modelsRouter,
  customProtocol: customRouter,
  webhooks: webhooksRouter,
  workers: workersRouter,
  maintenance: maintenanceRouter,
});

/** Clients import this type and nothing else of the server. */
export type AppRouter = typeof appRouter;
