import compression from 'compression';
import express, { type Express, type RequestHandler } from 'express';
import type { DbHandle } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import type { Executor } from '#server/generation/executor.ts';
import { AppError } from '#server/lib/app-error.ts';
import type { RateLimits } from '#server/lib/rate-limit.ts';
import type { DueWatcher } from '#server/maintenance/due-watcher.ts';
import type { ServiceTokens } from '#server/maintenance/service-token.ts';
import { accessLog, requestId } from './access-log.ts';
import { createContextFactory } from './create-context.ts';
import { errorHandler } from './error-handler.ts';
import { createFilesRouter } from './files.ts';
import { createHealthRouter } from './health.ts';
import { createIdentityResolver, type ResolveIdentity } from './identity.ts';
import { createHttpMetrics, createMetricsRouter } from './metrics.ts';
import { checkOrigin } from './origin-check.ts';
import { createPaymentsRouter } from './payments.ts';
import { createAssets, createPages, type PagesSource } from './remix.ts';
import { securityHeaders } from './security-headers.ts';
import { createSharedFilesRouter } from './shared-files.ts';
import { createTrpcHandler } from './trpc.ts';
import { createWebhooksRouter } from './webhooks.ts';

export type AppOptions = {
  deps: Deps;
  /** The pool's driver, for the readiness probe. */
  sql: DbHandle['sql'];
  executor: Executor;
  dueWatcher: DueWatcher;
  serviceTokens: ServiceTokens;
  limits: RateLimits;
  /** Undefined: no pages are served, the API is (tests; a broken UI build). */
  pages?: PagesSource;
  /** Proxies whose `X-Forwarded-*` headers are believed. */
  trustProxyHops: number;
  isDraining: () => boolean;
};

/** The web process' HTTP side. What stands here is the order in which a request passes. */
export function createApp(options: AppOptions): Express {
  const { deps, executor, serviceTokens, pages } = options;
  const { logger, config } = deps;
  const https = config.publicOrigin?.startsWith('https:') ?? false;
  const metrics = createHttpMetrics();
  const resolveIdentity = createIdentityResolver({ deps, serviceTokens });
  const createContext = createContextFactory({ ...options, resolveIdentity });

  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', options.trustProxyHops);

  app.use(requestId(deps.newId));
  app.use(accessLog(logger, metrics));
  app.use(securityHeaders({ https, development: pages?.mode === 'development' }));
  app.use(createHealthRouter({ deps, sql: options.sql, isDraining: options.isDraining }));
  app.use(createMetricsRouter({ deps, executor, metrics, resolveIdentity }));
  app.use(createWebhooksRouter({ deps, executor, limits: options.limits }));
  app.use(createPaymentsRouter({ deps, limits: options.limits }));
  app.use(checkOrigin(config.publicOrigin));
  app.use(compression({ filter: isWorthCompressing }));
  app.use('/api/trpc', createTrpcHandler({ createContext, logger }));
  app.use('/api', notFound);
  app.use('/files', limitFiles(options.limits, resolveIdentity));
  app.use(createFilesRouter({ deps, resolveIdentity }));
  app.use(createSharedFilesRouter({ deps, limits: options.limits }));
  app.use('/files', notFound);
  if (pages) {
    app.use(createAssets(pages));
    app.all('*', createPages({ source: pages, createContext, logger }));
  }
  app.use(notFound);
  app.use(errorHandler(logger));
  return app;
}

/** Streams must not wait in a compressor, and media is compressed already. */
function isWorthCompressing(req: express.Request, res: express.Response): boolean {
  if (req.path.startsWith('/files')) return false;
  if (String(res.getHeader('content-type') ?? '').startsWith('text/event-stream')) return false;
  return compression.filter(req, res);
}

const notFound: RequestHandler = (_req, _res, next) =>
  next(new AppError('not_found', 'There is no such page.'));

/** The same allowances as in `/api/trpc`: calls per token, and uploads per user. */
function limitFiles(limits: RateLimits, resolveIdentity: ResolveIdentity): RequestHandler {
  return (req, _res, next) => {
    resolveIdentity(req)
      .then(async (identity) => {
        if (identity.type === 'api-token') await limits.consume('api', identity.tokenId);
        if (req.method === 'POST' && req.path === '/uploads' && 'user' in identity)
          await limits.consume('upload', identity.user.id);
        next();
      })
      .catch(next);
  };
}
