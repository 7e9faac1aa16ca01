import path from 'node:path';
import { createRequestHandler } from '@remix-run/express';
import type { AppLoadContext, ServerBuild } from '@remix-run/node';
import express, { type RequestHandler, Router } from 'express';
import { AppError } from '#server/lib/app-error.ts';
import { describeError } from '#server/lib/describe-error.ts';
import type { Logger } from '#server/lib/logger.ts';
import { appRouter } from '#server/trpc/root.ts';
import type { CreateContext } from './create-context.ts';
import { logProcedureError } from './log-error.ts';

/** Where pages come from: a build, or Vite in development. */
export type PagesSource = {
  build: ServerBuild | (() => Promise<ServerBuild>);
  mode: 'development' | 'production';
  /** `build/client`; undefined in development, when Vite serves what the browser needs. */
  clientDirectory?: string;
  /** Vite's own middleware, in development. */
  viteMiddleware?: RequestHandler;
};

type RemixParts = { source: PagesSource; createContext: CreateContext; logger: Logger };

/** What the browser loads. Names in `assets/` carry a hash, so they may be kept for a year. */
export function createAssets({ clientDirectory, viteMiddleware }: PagesSource): Router {
  const router = Router();
  if (viteMiddleware) router.use(viteMiddleware);
  if (clientDirectory) {
    router.use(
      '/assets',
      express.static(path.join(clientDirectory, 'assets'), { immutable: true, maxAge: '1y', index: false }),
      (_req, res) => {
        res.status(404).type('text').set('cache-control', 'no-store').send('There is no such file.');
      },
    );
    router.use(express.static(clientDirectory, { maxAge: '1h', index: false }));
  }
  return router;
}

/**
 * Pages. Loaders and actions get `context.trpc`, a caller with the identity of this very request; cookies that a
 * procedure sets go out with the page's answer.
 */
export function createPages({ source, createContext, logger }: RemixParts): RequestHandler {
  return createRequestHandler({
    build: source.build,
    mode: source.mode,
    getLoadContext: async (req, res): Promise<AppLoadContext> => {
      const context = await createContext(req, res);
      const { identity, requestId } = context;
      return {
        trpc: appRouter.createCaller(context, {
          onError: ({ error, path }) => logProcedureError(logger, { error, path, requestId }),
        }),
        cspNonce: String(res.locals.cspNonce),
        requestId,
        user: identity.type === 'session' ? identity.user : null,
        reportError: (error) => {
          if (isRefusal(error)) return;
          logger.error({ requestId, path: req.path, error: describeError(error) }, 'A page failed');
        },
      };
    },
  });
}

/** What a procedure refused, or could not serve and has logged: no news for operators. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof AppError;
}
