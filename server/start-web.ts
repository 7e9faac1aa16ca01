import type { Server } from 'node:http';
import { type Container, createContainer } from '#server/container.ts';
import { pendingMigrations } from '#server/db/migrate.ts';
import type { Env } from '#server/env.ts';
import { createApp } from '#server/http/app.ts';
import { createWebServer } from '#server/http/listen.ts';
import {
  hasBuiltPages,
  openBuiltPages,
  openDevelopmentPages,
  type Pages,
  projectRoot,
} from '#server/http/pages.ts';
import { createRateLimits } from '#server/http/rate-limits.ts';
import { describeError } from '#server/lib/describe-error.ts';
import { StartupError } from '#server/lib/startup-error.ts';
import { within } from '#server/lib/within.ts';
import { createServiceTokens } from '#server/maintenance/service-token.ts';
import { StorageError } from '#server/storage/asset-store.ts';

const FIRST_ANSWER_MS = 15_000;

type RunningWeb = {
  port: number;
  container: Container;
  /** Not ready any more; long polls answered; steps drained; then server and connections closed. */
  close(): Promise<void>;
};

/**
 * Starts a web process.
 *
 * @throws StartupError in one line when something that it needs is not there
 */
export async function startWeb(env: Env): Promise<RunningWeb> {
  const root = projectRoot();
  const server = createWebServer({ host: env.HOST, port: env.PORT });
  const container = createContainer(env);
  const { deps, executor, dueWatcher, deliveries, sql } = container;
  const limits = createRateLimits(deps);
  let pages: Pages | undefined;
  let draining = false;

  const close = async () => {
    draining = true;
    await dueWatcher.close();
    await executor.drain();
    await deliveries.drain();
    await server.close();
    await pages?.close();
    limits.close();
    await container.close();
  };

  try {
    pages = await openPages(env, { root, server: server.server, logger: deps.logger });
    await checkStorage(container);
    await checkDatabase(container, env.DATABASE_URL);
    await deps.operations.refresh();
    deps.operations.start();
    const serviceTokens = createServiceTokens(env.MAINTENANCE_TOKEN, env.MAINTENANCE_TOKEN_PREVIOUS);
    if (!serviceTokens.enabled) {
      deps.logger.warn(
        {},
        'MAINTENANCE_TOKEN is not set: no daemon can knock, work goes on only while its page is open',
      );
    }
    deps.logger.info({}, describePayments(deps.payments));
    const app = createApp({
      deps,
      sql,
      executor,
      dueWatcher,
      serviceTokens,
      limits,
      pages: pages?.source,
      trustProxyHops: env.TRUST_PROXY_HOPS,
      isDraining: () => draining,
    });
    const port = await server.listen(app);
    deps.logger.info(
      { host: env.HOST, port, executor: executor.id },
      `Web process started: http://${env.HOST}:${port}`,
    );
    return { port, container, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Who takes payments here, for the log. */
function describePayments(payments: Container['deps']['payments']): string {
  if (!payments) return 'Payments: none, credits cannot be bought (PAYMENT_PROVIDER)';
  return `Payments: by ${payments.name}${payments.test ? ', in test mode: no money moves' : ''}`;
}

/** Production needs the build; development reads the sources; tests take what is there. */
async function openPages(
  env: Env,
  options: { root: string; server: Server; logger: Container['deps']['logger'] },
): Promise<Pages | undefined> {
  if (env.NODE_ENV === 'development') return openDevelopmentPages(options.root, options.server);
  if (env.NODE_ENV === 'test' && !hasBuiltPages(options.root)) return undefined;
  return openBuiltPages(options.root, options.logger);
}

async function checkStorage({ deps }: Container): Promise<void> {
  try {
    await deps.storage.check();
  } catch (error) {
    if (error instanceof StorageError) throw new StartupError(error.message, { cause: error });
    throw error;
  }
}

/** An unmigrated database only warns: `/readyz` says so, and migrations may run while we serve. */
async function checkDatabase({ deps, sql }: Container, url: string): Promise<void> {
  let pending: string[];
  try {
    pending = await within(FIRST_ANSWER_MS, pendingMigrations(sql));
  } catch (error) {
    const { code, message } = describeError(error);
    throw new StartupError(
      `The database at ${hostOf(url)} does not answer (${code ?? message}). Start it, or check DATABASE_URL.`,
      { cause: error },
    );
  }
  if (pending.length > 0) {
    deps.logger.warn({ pending: pending.length }, 'The database is not migrated. Run: npm run db:migrate');
  }
}

/** Host and port: never the user, never the password. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the address in DATABASE_URL';
}
