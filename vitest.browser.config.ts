import { defineConfig } from 'vitest/config';

/**
 * `npm run test:e2e`: a real browser against real processes. One stack and one Chromium serve all files, so these run
 * one after the other; each test has a user of its own.
 */
export default defineConfig({
  test: {
    name: 'browser',
    environment: 'node',
    include: ['scripts/e2e/**/*.browser.test.ts'],
    globalSetup: ['./scripts/e2e/global-setup.ts'],
    fileParallelism: false,
    maxWorkers: 1,
    // Far above what a slow machine needs: no test waits for a time, each for a condition.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
