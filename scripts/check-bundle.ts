import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

/**
 * `npm run check:bundle`, after a build: what a browser loads before a page works, gzipped, against the most that it may
 * be. Exits 1 when a page is over it. What a page loads later (dialogs, lists past the first screen) does not count.
 */

/** Most kilobytes (1,000 bytes) of JavaScript, by route. */
const BUDGETS_KB: Readonly<Record<string, number>> = {
  'routes/workbench._index': 250,
  'routes/library._index': 220,
  'routes/_auth.login': 200,
};

type Manifest = {
  entry: { module: string; imports: string[] };
  routes: Record<string, { parentId?: string; module: string; imports?: string[] }>;
};

const client = path.resolve(import.meta.dirname, '../build/client');

function readManifest(): Manifest {
  const name = readdirSync(path.join(client, 'assets')).find((each) => /^manifest-.*\.js$/.test(each));
  if (!name) throw new Error('There is no build: run npm run build first.');
  const text = readFileSync(path.join(client, 'assets', name), 'utf8');
  return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as Manifest;
}

/** The files of a route: the entry, the route and those around it, with all that they import at once. */
function filesOf({ entry, routes }: Manifest, routeId: string): Set<string> {
  const files = new Set([entry.module, ...entry.imports]);
  for (let id: string | undefined = routeId; id !== undefined; id = routes[id]?.parentId) {
    const route = routes[id];
    if (!route) throw new Error(`The build has no route ${id}.`);
    for (const file of [route.module, ...(route.imports ?? [])]) files.add(file);
  }
  return files;
}

const manifest = readManifest();
let isOver = false;
for (const [routeId, most] of Object.entries(BUDGETS_KB)) {
  const bytes = [...filesOf(manifest, routeId)]
    .map((file) => gzipSync(readFileSync(path.join(client, file))).length)
    .reduce((sum, each) => sum + each, 0);
  const kilobytes = Math.ceil(bytes / 1000);
  if (kilobytes > most) isOver = true;
  console.log(`${routeId}: ${kilobytes} kB of ${most} kB gzipped${kilobytes > most ? ': TOO MUCH' : ''}`);
}
if (isOver) process.exitCode = 1;
