import { rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '#scripts/lib/embedded-postgres.ts';
import { ensureBuilt } from '#scripts/lib/ensure-built.ts';
import { type LocalStack, startLocalStack } from '#scripts/lib/local-stack.ts';
import { createScratchDatabase } from '#scripts/lib/scratch-database.ts';
import { launchChromium } from './chromium.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

type LocalSite = {
  stack: LocalStack;
  databaseUrl: string;
  /** Where a Playwright client connects to the browser. */
  browserUrl: string;
  /** Ends everything that was started, last first. */
  stop(): Promise<void>;
};

/** The product as it runs in production, on an empty database of its own, with a browser in front of it. */
export async function startLocalSite(options: {
  /** Of the scratch database, unique per kind of run. */
  name: string;
  webEnv?: Record<string, string>;
  sandboxSpeed?: number;
}): Promise<LocalSite> {
  const undo: (() => Promise<unknown> | unknown)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    // First, because it is the one thing that a machine may lack.
    const browser = await launchChromium();
    undo.push(() => browser.close());
    ensureBuilt(ROOT, (line) => console.log(line));
    const home = path.join(ROOT, '.data', options.name, String(process.pid));
    const server = await startEmbeddedPostgres({ name: 'test', dataRoot: path.join(ROOT, '.data') });
    undo.push(() => server.stop());
    const database = await createScratchDatabase(server.url, options.name);
    undo.push(() => database.drop());
    undo.push(() => rmSync(home, { recursive: true, force: true }));
    const stack = await startLocalStack({
      databaseUrl: database.url,
      storageDir: path.join(home, 'files'),
      logDir: path.join(home, 'logs'),
      mode: 'built',
      email: 'admin@example.com',
      webEnv: options.webEnv,
      sandboxSpeed: options.sandboxSpeed,
    });
    undo.push(() => stack.stop());
    return { stack, databaseUrl: database.url, browserUrl: browser.wsEndpoint(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
