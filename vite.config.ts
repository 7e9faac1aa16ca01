import { vitePlugin as remix } from '@remix-run/dev';
import { defineConfig } from 'vite';
import remixConfig from './remix.config.js';

/** Vitest reads `vitest.config.ts`; the guard is for tools that load this file inside a test run all the same. */
const underVitest = process.env.VITEST !== undefined;

export default defineConfig({
  plugins: [underVitest ? null : remix(remixConfig)],
  build: { target: 'es2022', sourcemap: false },
  server: { host: '127.0.0.1' },
});
