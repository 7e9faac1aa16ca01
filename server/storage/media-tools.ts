import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, chmod, copyFile, lstat, mkdir, rename, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createLimiter } from './limiter.ts';
import { type CommandLimits, type CommandResult, runCommand } from './run-command.ts';

type MediaToolName = 'ffmpeg' | 'ffprobe';

type MediaToolOptions = { ffmpegPath?: string; ffprobePath?: string };

/** Runs ffmpeg and ffprobe under limits. Rejects only with the reason of an aborted signal. */
export type MediaTools = {
  /** The command line of the program, or undefined when there is none that works. Once found, it is remembered. */
  find(name: MediaToolName): Promise<readonly string[] | undefined>;
  run(name: MediaToolName, args: readonly string[], options: CommandLimits): Promise<CommandResult>;
};

/** libavutil 57 came with ffmpeg 5; builds from git carry no version number, but always this one. */
const OLDEST_LIBAVUTIL = 57;

/** Children at once: each has one thread, and the machine has other work. */
const CONCURRENT_RUNS = 2;

/** Guards against a hostile file that asks for one huge allocation. */
const MAX_ALLOCATION_BYTES = 1_000_000_000;

/**
 * Finds each program in this order: the configured path, one on PATH (ffmpeg 5 or newer), the one that comes with the
 * npm package. `FFMPEG_PATH` and `FFPROBE_PATH` give the configured paths.
 */
export function createMediaTools(options: MediaToolOptions = {}): MediaTools {
  const found = new Map<MediaToolName, Promise<readonly string[] | undefined>>();
  const limited = createLimiter(CONCURRENT_RUNS);

  const tools: MediaTools = {
    find(name) {
      let search = found.get(name);
      if (!search) {
        search = findTool(name, name === 'ffmpeg' ? options.ffmpegPath : options.ffprobePath);
        found.set(name, search);
        // A machine that was too busy to start it may not be so next time.
        void search.then((command) => command ?? found.delete(name));
      }
      return search;
    },
    async run(name, args, runOptions) {
      const command = await tools.find(name);
      if (!command) return { type: 'unavailable', reason: `${name} was not found` };
      const limits = ['-hide_banner', '-loglevel', 'error', '-max_alloc', String(MAX_ALLOCATION_BYTES)];
      const input = ['-protocol_whitelist', 'file,pipe', '-threads', '1'];
      const guarded = name === 'ffmpeg' ? ['-nostdin', ...limits, ...input] : [...limits, ...input];
      return limited(() => runCommand([...command, ...guarded, ...args], runOptions));
    },
  };
  return tools;
}

let shared: MediaTools | undefined;

/** Sets the paths that {@link mediaTools} uses. Called once, by the composition root. */
export function configureMediaTools(options: MediaToolOptions): void {
  shared = createMediaTools(options);
}

/** The tools of this process. */
export function mediaTools(): MediaTools {
  shared ??= createMediaTools();
  return shared;
}

async function findTool(
  name: MediaToolName,
  configured: string | undefined,
): Promise<readonly string[] | undefined> {
  if (configured) return commandThatRuns(configured);
  const version = await runCommand([name, '-version'], LOOK_LIMITS);
  if (version.type === 'exited' && version.code === 0 && isNewEnough(version.stdout.toString())) {
    return commandThatRuns(name);
  }
  const packaged = await packagedPath(name);
  const path = packaged && (await makeExecutable(packaged));
  return path ? commandThatRuns(path) : undefined;
}

const LOOK_LIMITS: CommandLimits = { timeoutMs: 60_000, maxOutputBytes: 100_000 };

/** True when the `-version` text names the libraries of ffmpeg 5 or newer. */
export function isNewEnough(versionText: string): boolean {
  const major = /libavutil\s+(\d+)\./.exec(versionText)?.[1];
  return major !== undefined && Number(major) >= OLDEST_LIBAVUTIL;
}

/**
 * Where the system has it, `setpriv` asks the kernel to kill the child together with this process: a `kill -9` leaves
 * no ffmpeg behind. (BusyBox has a setpriv without that option, so it is tried, not only looked for.)
 */
async function commandThatRuns(path: string): Promise<readonly string[] | undefined> {
  const bound = ['setpriv', '--pdeathsig', 'KILL', '--', path];
  for (const command of process.platform === 'linux' ? [bound, [path]] : [[path]]) {
    const result = await runCommand([...command, '-version'], LOOK_LIMITS);
    if (result.type === 'exited' && result.code === 0) return command;
  }
  return undefined;
}

/** The installers throw (strings, too) when the platform has no binary. */
async function packagedPath(name: MediaToolName): Promise<string | undefined> {
  try {
    const module =
      name === 'ffmpeg'
        ? await import('@ffmpeg-installer/ffmpeg')
        : await import('@ffprobe-installer/ffprobe');
    return module.default.path;
  } catch {
    return undefined;
  }
}

/**
 * The execute bit of a packaged binary is set by an install script, which npm may have skipped, or for the owner only.
 * Where the mode cannot be changed (files of another account, read-only disk) a copy of our own is used.
 */
export async function makeExecutable(path: string): Promise<string | undefined> {
  if (await isExecutable(path)) return path;
  await chmod(path, 0o755).catch(() => {});
  if (await isExecutable(path)) return path;
  return ownCopy(path).catch(() => undefined);
}

const isExecutable = (file: string) =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

/** One copy per account and size, kept for the next process. @throws when the place is not ours alone */
async function ownCopy(path: string): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  const directory = join(tmpdir(), `sidelane-tools-${uid}`);
  await mkdir(directory, { mode: 0o700 }).catch(() => {});
  const place = await lstat(directory);
  // Anybody may write into the temporary directory, and what lies here is going to be executed.
  if (!place.isDirectory() || place.uid !== uid || (place.mode & 0o077) !== 0)
    throw new Error('Not our own directory');
  const { size } = await stat(path);
  const copy = join(directory, `${size}-${basename(path)}`);
  if (await isExecutable(copy)) return copy;
  const unfinished = join(directory, randomUUID());
  await copyFile(path, unfinished);
  await chmod(unfinished, 0o700);
  await rename(unfinished, copy);
  return copy;
}
