import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const SOURCES = [
  'app',
  'server',
  'daemon',
  'package-lock.json',
  'vite.config.ts',
  'remix.config.js',
  'scripts/build-server.ts',
];
const RESULTS = ['build/client', 'build/server', 'dist/web.js', 'dist/daemon.js'];

/** Builds pages and processes when a result is missing or older than a source. @throws Error when the build fails */
export function ensureBuilt(root: string, say: (line: string) => void): void {
  const oldest = Math.min(...RESULTS.map((file) => newestTime(path.join(root, file)) ?? 0));
  const newest = Math.max(...SOURCES.map((file) => newestTime(path.join(root, file)) ?? 0));
  if (oldest > newest) return;
  say('Building (once after a change) …');
  // As from a shell: a test runner's own variables would make it build for tests.
  const { VITEST, ...rest } = process.env;
  const env = { ...rest, NODE_ENV: 'production' as const };
  const result = spawnSync('npm', ['run', 'build'], { cwd: root, encoding: 'utf8', env });
  if (result.status !== 0) throw new Error(`npm run build failed:\n${result.stdout}\n${result.stderr}`);
}

function newestTime(file: string): number | undefined {
  if (!existsSync(file)) return undefined;
  const stat = statSync(file);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(file).map((name) => newestTime(path.join(file, name)) ?? 0));
}
