import type { VitePluginConfig } from '@remix-run/dev';

export declare const ignoredRouteFiles: string[];
declare const config: VitePluginConfig;
export default config;
