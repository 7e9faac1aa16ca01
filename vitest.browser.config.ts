import { defineConfig } from 'vitest/config';

/**
 * `npm run test:e2e`: a real browser against real processes. Each worker has one stack and one Chromium for all its files,
 * which run one after the other; each test has a user of its own.
 */
export default defineConfig({
  test: {
    name: 'browser',
    environment: 'node',
    include: ['scripts/e2e/**/*.browser.test.ts'],
    globalSetup: ['./scripts/e2e/global-setup.ts'],
    maxWorkers: 2,
    // Far above what a slow machine needs: no test waits for a time, each for a condition.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
  },
});
