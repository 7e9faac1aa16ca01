import { defineConfig } from 'vitest/config';

/**
 * Three projects. `unit`: pure code and HTTP against msw. `db`: `*.db.test.ts` and `*.e2e.test.ts`, on a real
 * PostgreSQL (a clone of the migrated template per file). `dom`: React components in jsdom.
 */
export default defineConfig({
  esbuild: { jsx: 'automatic' },
  test: {
    // Far above what a slow machine needs: tests wait for conditions, never for a time.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          environment: 'node',
          include: ['{server,daemon,scripts,app}/**/*.test.ts'],
          exclude: ['**/*.db.test.ts', '**/*.browser.test.ts'],
          setupFiles: ['./server/testing/setup-unit.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'db',
          environment: 'node',
          include: ['{server,daemon,scripts}/**/*.db.test.ts'],
          globalSetup: ['./server/testing/global-database.ts'],
          setupFiles: ['./server/testing/setup-db.ts'],
          // A server that is not ours may allow only a hundred connections.
          maxWorkers: process.env.TEST_DATABASE_URL ? 2 : 3,
          // Projects with different worker counts run one after the other.
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'dom',
          environment: 'jsdom',
          include: ['app/**/*.test.tsx'],
          setupFiles: ['./app/testing/setup-dom.ts'],
        },
      },
    ],
  },
});
