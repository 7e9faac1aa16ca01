import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const SHARED = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  logLevel: 'warning',
  minifySyntax: true,
  treeShaking: true,
} satisfies BuildOptions;

const WEB = { entryPoints: ['server/main.ts'], packages: 'external' } satisfies BuildOptions;
const DAEMON = {
  entryPoints: ['daemon/main.ts'],
  // Packages written for CommonJS call `require` for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
} satisfies BuildOptions;

/** Crash points are for tests: with the flag false their body goes, `withoutCrashPoints` takes the calls. */
const RELEASED = { define: { 'globalThis.__SIDELANE_CRASH_POINTS__': 'false' } } satisfies BuildOptions;

/** Crash points by name, read from the source of truth. */
export function crashPointNames(): string[] {
  const source = readFileSync(path.join(ROOT, 'server/testing/crash-points.ts'), 'utf8');
  const union = /export type CrashPointName =([^;]*);/.exec(source)?.[1] ?? '';
  return [...union.matchAll(/'([^']+)'/g)].map((match) => match[1] ?? '');
}

/** @throws Error when a bundle still holds a crash point, or what would trigger one */
export function assertNoCrashPoints(code: string): void {
  const names = crashPointNames();
  if (names.length === 0) throw new Error('No crash point names were found in crash-points.ts');
  const machinery = ['__SIDELANE_CRASH_POINTS__', 'setCrashHandler', 'crashPoint('];
  const left = [...machinery, ...names.flatMap((name) => [`"${name}"`, `'${name}'`])].filter((text) =>
    code.includes(text),
  );
  if (left.length > 0) throw new Error(`The bundle still holds crash points: ${left.join(', ')}`);
}

/** @throws Error when the daemon's bundle holds anything of the server, or of the pages */
export function assertDaemonAlone(metafile: Metafile): void {
  const strangers = Object.keys(metafile.inputs).filter((input) =>
    /^(server|app|scripts|drizzle)\//.test(input),
  );
  if (strangers.length > 0) throw new Error(`The daemon's bundle holds ${strangers.join(', ')}`);
}

/**
 * Builds `dist/web.js` (packages stay outside) and `dist/daemon.js` (one file that needs only Node).
 *
 * @returns the files written
 */
export async function buildServer(outdir = path.join(ROOT, 'dist')): Promise<string[]> {
  rmSync(outdir, { recursive: true, force: true });
  await build({
    ...SHARED,
    ...RELEASED,
    ...WEB,
    outfile: path.join(outdir, 'web-main.js'),
    plugins: [ownImports, withoutCrashPoints],
  });
  assertNoCrashPoints(readFileSync(path.join(outdir, 'web-main.js'), 'utf8'));
  // React and Express choose their production code when they are first imported: the mode has to be set before.
  writeFileSync(
    path.join(outdir, 'web.js'),
    "process.env.NODE_ENV ??= 'production';\nawait import('./web-main.js');\n",
  );

  const daemon = await build({
    ...SHARED,
    ...RELEASED,
    ...DAEMON,
    outfile: path.join(outdir, 'daemon.js'),
    plugins: [ownImports],
  });
  assertDaemonAlone(daemon.metafile);
  assertNoCrashPoints(readFileSync(path.join(outdir, 'daemon.js'), 'utf8'));
  return ['web.js', 'web-main.js', 'daemon.js'].map((name) => path.join(outdir, name));
}

/**
 * Builds `web.js` and `daemon.js` with their crash points, for tests that kill processes: one that is built starts in a
 * third of the time of its sources. `outdir` has to be inside the project, where its packages are found.
 */
export async function buildWithCrashPoints(outdir: string): Promise<void> {
  const shared = { ...SHARED, plugins: [ownImports] };
  await build({ ...shared, ...WEB, outfile: path.join(outdir, 'web.js') });
  await build({ ...shared, ...DAEMON, outfile: path.join(outdir, 'daemon.js') });
}

/** `#server/…` and its like are files of ours, also where packages are external. */
const ownImports: NonNullable<BuildOptions['plugins']>[number] = {
  name: 'own-imports',
  setup({ onResolve }) {
    onResolve({ filter: /^#(app|server|daemon|scripts)\// }, ({ path: name }) => ({
      path: path.join(ROOT, name.slice(1)),
    }));
  },
};

/**
 * A bundler keeps calls of an empty async function, because they yield once. Here they go from the sources, in the one
 * form that they may have; any other form fails the build.
 */
const withoutCrashPoints: NonNullable<BuildOptions['plugins']>[number] = {
  name: 'without-crash-points',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]server[\\/].*\.ts$/ }, async ({ path: file }) => {
      const source = await readFile(file, 'utf8');
      if (!source.includes('await crashPoint(')) return undefined;
      return { contents: source.replace(/\bawait crashPoint\('[a-z.-]+'\);/g, ';'), loader: 'ts' };
    });
  },
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const files = await buildServer();
    console.log(files.map((file) => `built ${path.relative(ROOT, file)}`).join('\n'));
  } catch (error) {
    console.error(`The server was not built: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  }
}
