/**
 * Remix options: the only place where they are set. `vite.config.ts` hands them to the Remix plugin; `app/routes.ts`
 * reads {@link ignoredRouteFiles}, because with `v3_routeConfig` that option moved out of the plugin.
 */

/** Files below `app/routes` that are no routes. */
export const ignoredRouteFiles = ['**/.*', '**/*.test.{ts,tsx}', '**/*.module.css'];

/** @type {import('@remix-run/dev').VitePluginConfig} */
export default {
  appDirectory: 'app',
  buildDirectory: 'build',
  future: {
    v3_fetcherPersist: true,
    v3_lazyRouteDiscovery: true,
    v3_relativeSplatPath: true,
    v3_routeConfig: true,
    v3_singleFetch: true,
    v3_throwAbortReason: true,
  },
};
