import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

type ProjectTest = NonNullable<TestProjectInlineConfiguration['test']>;

const workers = Math.max(2, availableParallelism() - 1);

/** Pure code and HTTP against msw. */
const unit: ProjectTest = {
  environment: 'node',
  include: ['{server,daemon,scripts,app}/**/*.test.ts'],
  exclude: ['**/*.db.test.ts', '**/*.browser.test.ts'],
  setupFiles: ['./server/testing/setup-unit.ts'],
  maxWorkers: workers,
};

/** React components in jsdom. */
const dom: ProjectTest = {
  environment: 'jsdom',
  include: ['app/**/*.test.tsx'],
  setupFiles: ['./app/testing/setup-dom.ts'],
  maxWorkers: workers,
};

/** `*.db.test.ts` on a real PostgreSQL: a clone of the migrated template per file. */
const db: ProjectTest = {
  environment: 'node',
  include: ['{server,daemon,scripts}/**/*.db.test.ts'],
  globalSetup: ['./server/testing/global-database.ts'],
  setupFiles: ['./server/testing/setup-db.ts'],
  // A server that is not ours may allow only a hundred connections.
  maxWorkers: process.env.TEST_DATABASE_URL ? 2 : 3,
  // Projects with different worker counts run one after the other.
  sequence: { groupOrder: 1 },
};

const FOLDERS = ['app', 'server', 'daemon', 'scripts'];

/**
 * Test files that replace modules. What a module imported stays with it for as long as its process runs, so these get a
 * process each (`unit-mocked`, `db-mocked` …); all others share their worker's, where a module is loaded once.
 */
const mocking = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => /\.test\.tsx?$/.test(file))
    .filter((file) => /\bvi\.(?:mock|doMock)\(/.test(readFileSync(file, 'utf8'))),
);

/** The two projects of a kind of test. */
const shared = (name: string, test: ProjectTest) => ({
  extends: true as const,
  test: { ...test, name, isolate: false, exclude: [...(test.exclude ?? []), ...mocking] },
});
const apart = (name: string, test: ProjectTest, include: string[]) => ({
  extends: true as const,
  test: { ...test, name: `${name}-mocked`, include },
});
const isDatabase = (file: string) => file.endsWith('.db.test.ts');
const isPage = (file: string) => file.endsWith('.tsx');

export default defineConfig({
  esbuild: { jsx: 'automatic' },
  test: {
    // Far above what a slow machine needs: tests wait for conditions, never for a time.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    projects: [
      shared('unit', unit),
      apart(
        'unit',
        unit,
        mocking.filter((file) => !isDatabase(file) && !isPage(file)),
      ),
      shared('dom', dom),
      apart('dom', dom, mocking.filter(isPage)),
      shared('db', db),
      apart('db', db, mocking.filter(isDatabase)),
    ],
  },
});
