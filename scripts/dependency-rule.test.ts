import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type ICruiseOptions, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const config = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as {
  forbidden: (IForbiddenRuleType & { name: string; comment: string })[];
  options: ICruiseOptions;
};

type Plant = {
  rule: string;
  /** The planted file and the line that breaks the rule. */
  file: string;
  line: string;
  /** A line for the same place that keeps it. */
  fine?: string;
  /** Files that the lines lead to; an empty module each unless given with its text. */
  others?: readonly string[] | { readonly [name: `${string}.ts`]: string };
};

const PLANTS: readonly Plant[] = [
  {
    rule: 'app-server-contracts-only',
    file: 'app/routes/page.tsx',
    line: `import { x } from '#server/generation/submit-task.ts';`,
    fine: `import type { x } from '#server/generation/submit-task.ts';\nimport { y } from '#server/generation/status.ts';\nimport { z } from '#server/billing/schemas.ts';\nimport { s } from '#server/library/shared.ts';`,
    others: [
      'server/generation/submit-task.ts',
      'server/generation/status.ts',
      'server/billing/schemas.ts',
      'server/library/shared.ts',
    ],
  },
  {
    rule: 'app-alone',
    file: 'app/lib/pause.ts',
    line: `import type { x } from '#daemon/backoff.ts';`,
    others: ['daemon/backoff.ts'],
  },
  {
    rule: 'app-alone',
    file: 'app/lib/seed.ts',
    line: `import { x } from '#scripts/seed.ts';`,
    others: ['scripts/seed.ts'],
  },
  { rule: 'app-no-sql-no-http', file: 'app/routes/page.tsx', line: `import { eq } from 'drizzle-orm';` },
  { rule: 'app-no-sql-no-http', file: 'app/routes/page.tsx', line: `import { ofetch } from 'ofetch';` },
  {
    rule: 'daemon-server-types-only',
    file: 'daemon/lane.ts',
    line: `import { x } from '#server/maintenance/schemas.ts';`,
    fine: `import type { x } from '#server/maintenance/schemas.ts';`,
    others: ['server/maintenance/schemas.ts'],
  },
  {
    rule: 'daemon-alone',
    file: 'daemon/lane.ts',
    line: `import postgres from 'postgres';`,
    fine: `import { fetch } from 'undici';`,
  },
  {
    rule: 'daemon-alone',
    file: 'daemon/lane.ts',
    line: `import type { x } from '#app/lib/format.ts';`,
    others: ['app/lib/format.ts'],
  },
  {
    rule: 'server-never-upwards',
    file: 'server/http/pages.ts',
    line: `import type { x } from '#app/root.tsx';`,
    others: ['app/root.tsx'],
  },
  {
    rule: 'server-never-upwards',
    file: 'server/lib/pause.ts',
    line: `import { x } from '../../daemon/backoff.ts';`,
    others: ['daemon/backoff.ts'],
  },
  {
    rule: 'server-never-upwards',
    file: 'server/db/seed.ts',
    line: `import { x } from '#scripts/seed.ts';`,
    others: ['scripts/seed.ts'],
  },
  {
    rule: 'no-testing-in-production',
    file: 'server/generation/submit-task.ts',
    line: `import { x } from '#server/testing/factories.ts';`,
    fine: `import { x } from '#server/testing/crash-points.ts';`,
    others: ['server/testing/factories.ts', 'server/testing/crash-points.ts'],
  },
  {
    rule: 'no-development-packages',
    file: 'server/lib/check.ts',
    line: `import fc from 'fast-check';`,
    fine: `import { z } from 'zod';`,
  },
  {
    rule: 'pure-stays-pure',
    file: 'server/generation/transitions.ts',
    line: `import type { x } from '#server/lib/clock.ts';`,
    fine: `import { x } from './status.ts';\nimport { y } from '#server/lib/money.ts';`,
    others: ['server/lib/clock.ts', 'server/generation/status.ts', 'server/lib/money.ts'],
  },
  {
    rule: 'pure-stays-pure',
    file: 'server/generation/settlement.ts',
    line: `import { randomBytes } from 'node:crypto';`,
  },
  {
    rule: 'pure-stays-pure',
    file: 'server/generation/poll-schedule.ts',
    line: `import { x } from './queries.ts';`,
    others: ['server/generation/queries.ts'],
  },
  { rule: 'pure-stays-pure', file: 'server/billing/pricing.ts', line: `import { z } from 'zod';` },
  {
    rule: 'pure-stays-pure',
    file: 'daemon/backoff.ts',
    line: `import { x } from './sleep.ts';`,
    others: ['daemon/sleep.ts'],
  },
  {
    rule: 'contracts-stay-contracts',
    file: 'server/generation/schemas.ts',
    line: `import { x } from '#server/lib/app-error.ts';`,
    fine: `import { z } from 'zod';\nimport { x } from './status.ts';`,
    others: ['server/lib/app-error.ts', 'server/generation/status.ts'],
  },
  {
    rule: 'light-contracts-stay-light',
    file: 'server/generation/status.ts',
    line: `import { x } from './schemas.ts';`,
    fine: `import type { x } from './schemas.ts';\nimport { y } from './shared.ts';`,
    others: ['server/generation/schemas.ts', 'server/generation/shared.ts'],
  },
  {
    rule: 'light-contracts-stay-light',
    file: 'server/library/shared.ts',
    line: `import { z } from 'zod';`,
  },
  {
    rule: 'router-no-sql',
    file: 'server/billing/router.ts',
    line: `import { eq } from 'drizzle-orm';`,
    fine: `import { x } from './read-credits.ts';`,
    others: ['server/billing/read-credits.ts'],
  },
  {
    rule: 'router-no-sql',
    file: 'server/generation/admin-router.ts',
    line: `import type { x } from '#server/db/client.ts';`,
    others: ['server/db/client.ts'],
  },
  { rule: 'router-no-http', file: 'server/generation/router.ts', line: `import { ofetch } from 'ofetch';` },
  {
    rule: 'router-no-http',
    file: 'server/generation/router.ts',
    line: `import { request } from 'node:https';`,
  },
  {
    rule: 'router-no-http',
    file: 'server/providers/channels/router.ts',
    line: `import { x } from '../http-client.ts';`,
    others: ['server/providers/http-client.ts'],
  },
  {
    rule: 'sql-in-queries-only',
    file: 'server/generation/submit-task.ts',
    line: `import { sql } from 'drizzle-orm';`,
  },
  {
    rule: 'sql-in-queries-only',
    file: 'server/maintenance/due-watcher.ts',
    line: `import type postgres from 'postgres';`,
  },
  {
    rule: 'sql-libraries-in-their-place',
    file: 'server/auth/sign-in.ts',
    line: `import { x } from 'rate-limiter-flexible';`,
  },
  {
    rule: 'db-through-queries',
    file: 'server/generation/submit-task.ts',
    line: `import { x } from '#server/db/schema/index.ts';`,
    fine: `import type { Db } from '#server/db/client.ts';\nimport { isUniqueViolation } from '#server/db/errors.ts';`,
    others: ['server/db/schema/index.ts', 'server/db/client.ts', 'server/db/errors.ts'],
  },
  {
    rule: 'http-clients-in-their-place',
    file: 'server/generation/poll-task.ts',
    line: `import { ofetch } from 'ofetch';`,
  },
  {
    rule: 'leaves-know-no-domain',
    file: 'server/lib/charge.ts',
    line: `import { x } from '#server/billing/ledger.ts';`,
    fine: `import type { x } from '#server/billing/ledger.ts';`,
    others: ['server/billing/ledger.ts'],
  },
  {
    rule: 'domains-below-http',
    file: 'server/billing/receipt.ts',
    line: `import type { Request } from 'express';`,
  },
  {
    rule: 'domains-below-http',
    file: 'server/generation/slots-of.ts',
    line: `import { x } from '#server/env.ts';`,
    others: ['server/env.ts'],
  },
  ...(['billing', 'providers', 'storage'] as const).map(
    (domain): Plant => ({
      rule: 'money-upstream-files-stand-alone',
      file: `server/${domain}/work.ts`,
      line: `import type { x } from '#server/generation/submit-task.ts';`,
      fine: `import { x } from './queries.ts';\nimport type { Kind } from '#server/generation/status.ts';`,
      others: [
        'server/generation/submit-task.ts',
        'server/generation/status.ts',
        `server/${domain}/queries.ts`,
      ],
    }),
  ),
  {
    rule: 'money-upstream-files-stand-alone',
    file: 'server/billing/charge.ts',
    line: `import { x } from '#server/providers/registry.ts';`,
    others: ['server/providers/registry.ts'],
  },
  {
    rule: 'generation-arrows',
    file: 'server/generation/submit-task.ts',
    line: `import { x } from '#server/auth/queries.ts';`,
    fine: ['billing', 'composition', 'operations', 'providers', 'storage']
      .map((domain) => `import '#server/${domain}/work.ts';`)
      .join('\n'),
    others: [
      'server/auth/queries.ts',
      'server/billing/work.ts',
      'server/composition/work.ts',
      'server/operations/work.ts',
      'server/providers/work.ts',
      'server/storage/work.ts',
    ],
  },
  {
    rule: 'operations-stands-alone',
    file: 'server/operations/read-system.ts',
    line: `import { x } from '#server/storage/media-tools.ts';`,
    fine: `import { x } from '#server/generation/status.ts';`,
    others: ['server/storage/media-tools.ts', 'server/generation/status.ts'],
  },
  {
    rule: 'composition-uses-storage-only',
    file: 'server/composition/compose-film.ts',
    line: `import type { Kind } from '#server/generation/status.ts';`,
    fine: `import { x } from './plan-film.ts';\nimport { y } from '#server/storage/media-tools.ts';`,
    others: [
      'server/generation/status.ts',
      'server/composition/plan-film.ts',
      'server/storage/media-tools.ts',
    ],
  },
  {
    rule: 'composition-for-generation-only',
    file: 'server/maintenance/compose.ts',
    line: `import { x } from '#server/composition/compose-film.ts';`,
    fine: `import type { x } from '#server/composition/compose-film.ts';`,
    others: ['server/composition/compose-film.ts'],
  },
  ...(['auth', 'orders', 'invites'] as const).map(
    (domain): Plant => ({
      rule: 'accounts-use-billing-only',
      file: `server/${domain}/work.ts`,
      line: `import { x } from '#server/generation/queries.ts';`,
      fine: `import { x } from '#server/billing/ledger.ts';`,
      others: ['server/generation/queries.ts', 'server/billing/ledger.ts'],
    }),
  ),
  {
    rule: 'notifications-use-providers-only',
    file: 'server/notifications/tell-owner.ts',
    line: `import { x } from '#server/generation/read-tasks.ts';`,
    fine: `import { x } from '#server/providers/standard-webhooks.ts';`,
    others: ['server/generation/read-tasks.ts', 'server/providers/standard-webhooks.ts'],
  },
  {
    rule: 'library-arrows',
    file: 'server/library/zip-outputs.ts',
    line: `import { x } from '#server/billing/ledger.ts';`,
    fine: ['generation/read-tasks', 'storage/sniff', 'composition/zip-files']
      .map((file) => `import '#server/${file}.ts';`)
      .join('\n'),
    others: [
      'server/billing/ledger.ts',
      'server/generation/read-tasks.ts',
      'server/storage/sniff.ts',
      'server/composition/zip-files.ts',
    ],
  },
  {
    rule: 'retention-arrows',
    file: 'server/retention/close-account.ts',
    line: `import { x } from '#server/invites/queries.ts';`,
    fine: ['auth', 'billing', 'generation', 'orders', 'storage']
      .map((domain) => `import '#server/${domain}/work.ts';`)
      .join('\n'),
    others: [
      'server/invites/queries.ts',
      ...['auth', 'billing', 'generation', 'orders', 'storage'].map((domain) => `server/${domain}/work.ts`),
    ],
  },
  {
    rule: 'overview-counts-only',
    file: 'server/overview/read-overview.ts',
    line: `import { x } from '#server/generation/queries.ts';`,
    fine: `import { x } from '#server/billing/audit-watch.ts';\nimport type { y } from '#server/generation/executor.ts';`,
    others: [
      'server/generation/queries.ts',
      'server/billing/audit-watch.ts',
      'server/generation/executor.ts',
    ],
  },
  {
    rule: 'maintenance-is-on-top',
    file: 'server/generation/executor.ts',
    line: `import type { x } from '#server/maintenance/due-watcher.ts';`,
    others: ['server/maintenance/due-watcher.ts'],
  },
  {
    rule: 'no-circular',
    file: 'server/lib/one.ts',
    line: `import { x } from './two.ts';`,
    fine: `import type { x } from './two.ts';`,
    others: { 'server/lib/two.ts': `import { y } from './one.ts';\nexport const x = y;` },
  },
  { rule: 'not-to-unresolvable', file: 'server/lib/one.ts', line: `import { x } from './gone.ts';` },
];

const trees: string[] = [];
afterAll(() => {
  for (const tree of trees) rmSync(tree, { recursive: true, force: true });
});

/** The rules that a small checkout with these files breaks, as `rule: from`. */
async function violationsOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  const tree = mkdtempSync(path.join(os.tmpdir(), 'sidelane-rule-'));
  trees.push(tree);
  for (const name of ['package.json', 'tsconfig.json', 'node_modules']) {
    symlinkSync(path.join(ROOT, name), path.join(tree, name));
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(tree, name)), { recursive: true });
    writeFileSync(path.join(tree, name), `${text}\n`);
  }
  const folders = [...new Set(Object.keys(files).map((name) => name.split('/')[0] ?? ''))];
  const { enhancedResolveOptions, tsConfig, ...options } = config.options as ICruiseOptions & {
    enhancedResolveOptions: object;
    tsConfig: object;
  };
  const { output } = await cruise(
    folders,
    {
      ...options,
      baseDir: tree,
      validate: true,
      ruleSet: { forbidden: config.forbidden, options: { enhancedResolveOptions, tsConfig } },
    } as ICruiseOptions,
    enhancedResolveOptions,
  );
  return (output as ICruiseResult).summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`);
}

function filesOf({ others = [], file }: Plant, line: string): Record<string, string> {
  const names = Object.entries(others).map(([key, value]) =>
    key.endsWith('.ts') ? [key, value] : [value, 'export const x = 0;'],
  );
  return { ...Object.fromEntries(names), [file]: `${line}\nexport const y = 0;` };
}

describe('the dependency rule', () => {
  it.each(PLANTS)('$rule refuses $line in $file', async (plant) => {
    expect(await violationsOf(filesOf(plant, plant.line))).toContain(`${plant.rule}: ${plant.file}`);
  });

  it.each(PLANTS.filter((plant) => plant.fine))('$rule allows what is right in $file', async (plant) => {
    expect(await violationsOf(filesOf(plant, plant.fine ?? ''))).toEqual([]);
  });

  it('lets tests look anywhere', async () => {
    const text = `import { x } from '#daemon/sleep.ts';\nimport { sql } from 'drizzle-orm';\nimport fc from 'fast-check';`;
    const others = { 'daemon/sleep.ts': 'export const x = 0;' };
    expect(await violationsOf({ ...others, 'server/billing/ledger.db.test.ts': text })).toEqual([]);
    expect(await violationsOf({ ...others, 'server/billing/testing/books.ts': text })).toEqual([]);
  });

  it('has a planted violation for every rule, and a comment that says what to do', () => {
    const planted = new Set(PLANTS.map(({ rule }) => rule));
    expect(config.forbidden.map(({ name }) => name).filter((name) => !planted.has(name))).toEqual([]);
    for (const { name, comment } of config.forbidden) expect(comment.length, name).toBeGreaterThan(40);
  });
});
