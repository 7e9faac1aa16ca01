import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import type { RunningProcess } from '#scripts/lib/child-process.ts';
import { findChromium } from './chromium.ts';
import { startLocalSite } from './local-site.ts';

/** A stack as a test file is told of it: the worker's own, shared by all its files. */
export type SiteAddresses = {
  webUrl: string;
  sandboxUrl: string;
  databaseUrl: string;
  browserUrl: string;
  /** POST /start and /stop: the daemon is a child of this process, so that nothing outlives the run. */
  daemonUrl: string;
  adminEmail: string;
  adminPassword: string;
};

declare module 'vitest' {
  export interface ProvidedContext {
    /** One for each worker. */
    sites: SiteAddresses[];
  }
}

/** How many tasks of a user may be under way: few, so that a test can hold one back in the queue. */
export const USER_IN_FLIGHT = 2;

export default async function setup(project: TestProject) {
  try {
    findChromium();
  } catch (error) {
    // One line is enough: Vitest would print the code around it.
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
  const started: { stop(): Promise<void> }[] = [];
  const stop = async () => {
    for (const site of started.splice(0)) await site.stop();
  };
  try {
    const sites: SiteAddresses[] = [];
    while (sites.length < project.config.maxWorkers) {
      const site = await startSite(`e2e-${sites.length + 1}`);
      started.push(site);
      sites.push(site.addresses);
    }
    project.provide('sites', sites);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startSite(name: string) {
  const site = await startLocalSite({
    name,
    webEnv: {
      USER_IN_FLIGHT: String(USER_IN_FLIGHT),
      POLL_FIRST_MS: '200',
      POLL_CAP_MS: '1000',
      LOG_LEVEL: 'info',
      TRUST_PROXY_HOPS: '1',
    },
    sandboxSpeed: 8,
  });
  const daemon = await serveDaemonSwitch(site.stack.startDaemon);
  const { webUrl, sandboxUrl, login } = site.stack;
  return {
    addresses: {
      webUrl,
      sandboxUrl,
      databaseUrl: site.databaseUrl,
      browserUrl: site.browserUrl,
      daemonUrl: daemon.url,
      adminEmail: login.email,
      adminPassword: login.password,
    },
    async stop() {
      await daemon.close();
      await site.stop();
    },
  };
}

/** Lets the tests, which run in another process, start and stop the daemon. */
async function serveDaemonSwitch(start: () => Promise<RunningProcess>) {
  let running: RunningProcess | undefined;
  const server = createServer(async (request, response) => {
    try {
      if (request.url === '/start') running ??= await start();
      if (request.url === '/stop') {
        await running?.stop();
        running = undefined;
      }
      response.end(running?.ready[1] ?? '');
    } catch (error) {
      response.writeHead(500).end(error instanceof Error ? error.message : String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
