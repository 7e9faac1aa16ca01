import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ServerBuild } from '@remix-run/node';
import { AppError } from '#server/lib/app-error.ts';
import { describeError } from '#server/lib/describe-error.ts';
import type { Logger } from '#server/lib/logger.ts';
import { StartupError } from '#server/lib/startup-error.ts';
import type { PagesSource } from './remix.ts';

export type Pages = { source: PagesSource; close(): Promise<void> };

/**
 * The built pages below `root`. A build that cannot be loaded leaves the API alive: pages answer 503 then.
 *
 * @throws StartupError when there is no build
 */
export async function openBuiltPages(root: string, logger: Logger): Promise<Pages> {
  const entry = path.join(root, 'build', 'server', 'index.js');
  if (!existsSync(entry)) throw new StartupError('The pages are not built. Run: npm run build');
  let build: PagesSource['build'];
  try {
    build = (await import(pathToFileURL(entry).href)) as ServerBuild;
  } catch (error) {
    logger.error(
      { error: describeError(error) },
      'The build of the pages cannot be loaded; only the API is served',
    );
    build = () =>
      Promise.reject(new AppError('unavailable', 'The pages are not available: their build is broken.'));
  }
  return {
    source: { build, mode: 'production', clientDirectory: path.join(root, 'build', 'client') },
    close: async () => {},
  };
}

/** Pages straight from their sources, through Vite, with hot reload over the same port. */
export async function openDevelopmentPages(root: string, server: Server): Promise<Pages> {
  const { createServer } = await import('vite');
  const vite = await withoutExitHandlers(() =>
    createServer({ root, appType: 'custom', server: { middlewareMode: true, hmr: { server } } }),
  );
  return {
    source: {
      build: () => vite.ssrLoadModule('virtual:remix/server-build') as Promise<ServerBuild>,
      mode: 'development',
      viteMiddleware: vite.middlewares,
    },
    close: () => vite.close(),
  };
}

/**
 * The Remix plugin starts a second Vite, which ends the process at SIGTERM and when stdin ends: in the middle of our
 * drain. What it hooks up while it starts is taken off again.
 */
async function withoutExitHandlers<T>(work: () => Promise<T>): Promise<T> {
  const onSignal = new Set(process.listeners('SIGTERM'));
  const onEnd = new Set(process.stdin.listeners('end'));
  try {
    return await work();
  } finally {
    for (const listener of process.listeners('SIGTERM')) {
      if (!onSignal.has(listener)) process.off('SIGTERM', listener);
    }
    for (const listener of process.stdin.listeners('end')) {
      if (!onEnd.has(listener)) process.stdin.off('end', listener as () => void);
    }
  }
}

/** The folder of `package.json`, seen from the sources as well as from the bundle in `dist/`. */
export function projectRoot(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, 'package.json'))) {
    const parent = path.dirname(folder);
    if (parent === folder) throw new StartupError('package.json is missing: start from a complete checkout.');
    folder = parent;
  }
  return folder;
}

export const hasBuiltPages = (root: string) => existsSync(path.join(root, 'build', 'server', 'index.js'));
