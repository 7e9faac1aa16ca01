import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { connectControl } from '#scripts/sandbox/control-client.ts';
import type { SandboxControl } from '#scripts/sandbox/control-schemas.ts';
import { auditLedger } from '#server/billing/audit.ts';
import { openDb } from '#server/db/client.ts';
import type { SiteAddresses } from './global-setup.ts';
import { createVisitor, joinQuietly, newPerson, type Person, type Visitor } from './visitor.ts';

type Stage = {
  readonly site: SiteAddresses;
  readonly control: SandboxControl;
  readonly sql: postgres.Sql;
  visit(options?: BrowserContextOptions): Promise<Visitor>;
  /** A visitor with a new account, signed in. */
  visitAsMember(options?: BrowserContextOptions): Promise<Visitor & { person: Person }>;
  /** Starts the daemon; it is stopped after the test. Returns its worker id. */
  startDaemon(): Promise<string>;
};

/**
 * What a test file needs of its worker's stack. After each test: no console or script error in any page, no task with
 * more than one create at the sandbox, every account's ledger in balance; then pages, hanging jobs and daemon are ended.
 */
export function prepareStage(): Stage {
  const site = siteOfWorker();
  const control = connectControl(site.sandboxUrl);
  const visitors: Visitor[] = [];
  let browser: Browser;
  let sql: postgres.Sql;

  beforeAll(async () => {
    browser = await chromium.connect(site.browserUrl);
    sql = postgres(site.databaseUrl, { max: 2, onnotice: () => {} });
  });
  afterAll(async () => {
    await browser?.close();
    await sql?.end();
  });
  afterEach(async ({ task }) => {
    try {
      if (task.result?.state === 'fail') await keepPictures(task.name, visitors);
      expect(visitors.flatMap((visitor) => visitor.problems)).toEqual([]);
      expect(await mostCreates(sql, control)).toBeLessThanOrEqual(1);
      expect(await auditBooks(site.databaseUrl)).toEqual([]);
    } finally {
      await Promise.all(visitors.splice(0).map((visitor) => visitor.leave()));
      await control.release();
      await switchDaemon(site, 'stop');
      // A channel that a test has added is not offered to the next one.
      await sql`update provider_channels set enabled = false where name not like 'Sandbox%'`;
    }
  });

  const visit = async (options?: BrowserContextOptions) => {
    const visitor = await createVisitor(browser, site, options);
    visitors.push(visitor);
    return visitor;
  };
  return {
    site,
    control,
    get sql() {
      return sql;
    },
    visit,
    async visitAsMember(options) {
      const visitor = await visit(options);
      const person = newPerson();
      await joinQuietly(visitor, person);
      return { ...visitor, person };
    },
    startDaemon: () => switchDaemon(site, 'start'),
  };
}

function siteOfWorker(): SiteAddresses {
  const site = inject('sites')[Number(process.env.VITEST_POOL_ID) - 1];
  if (!site) throw new Error(`No stack was started for worker ${process.env.VITEST_POOL_ID}.`);
  return site;
}

/** What the pages of a failed test looked like, in `.data/e2e-failures`. */
async function keepPictures(name: string, visitors: readonly Visitor[]): Promise<void> {
  const stem = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60);
  for (const [index, { page }] of visitors.entries()) {
    if (page.isClosed()) continue;
    const file = `.data/e2e-failures/${stem}-${index + 1}.png`;
    await page.screenshot({ path: file, fullPage: true }).then(
      () => console.log(`See ${file} (${page.url()})`),
      () => undefined,
    );
  }
}

/** The largest number of creates that the sandbox received for one task. */
async function mostCreates(sql: postgres.Sql, control: SandboxControl): Promise<number> {
  const dispatches = await sql<{ id: string; task_id: string }[]>`select id, task_id from dispatches`;
  const taskOf = new Map(dispatches.map((dispatch) => [dispatch.id, dispatch.task_id]));
  const perTask = new Map<string, number>();
  for (const { clientRef, received } of (await control.creates()).creates) {
    const task = taskOf.get(clientRef ?? '') ?? 'unknown';
    perTask.set(task, (perTask.get(task) ?? 0) + received);
  }
  return Math.max(0, ...perTask.values());
}

async function auditBooks(url: string): Promise<unknown[]> {
  const { db, close } = openDb({ url, max: 1, applicationName: 'sidelane-e2e' });
  try {
    return await auditLedger(db);
  } finally {
    await close();
  }
}

async function switchDaemon(site: SiteAddresses, to: 'start' | 'stop'): Promise<string> {
  const response = await fetch(`${site.daemonUrl}/${to}`, { method: 'POST' });
  const text = await response.text();
  if (!response.ok) throw new Error(`The daemon did not ${to}: ${text}`);
  return text;
}
