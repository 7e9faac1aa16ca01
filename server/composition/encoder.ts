import { randomUUID } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { env as ourEnvironment } from 'node:process';
import { redactText } from '#server/lib/redact.ts';
import type { MediaTools } from '#server/storage/media-tools.ts';
import { type CommandResult, runCommand } from '#server/storage/run-command.ts';
import type { FilmLimits } from './film.ts';
import { FilmFault } from './film-fault.ts';
import { FONT_CONFIG_FILE } from './fonts.ts';
import { createProgressReader, type EncoderProgress } from './read-progress.ts';

type EncoderJob = {
  /** Arguments between ours: inputs, filters and codecs. Names without a folder are those of `workDir`. */
  args: readonly string[];
  /** Name in `workDir`. It appears when it is complete and not before. */
  output: string;
  /** ffmpeg's name of the output's format. */
  format: string;
  maxBytes: number;
  /** What is being made, for messages: "Shot 3". */
  subject: string;
  onProgress?(progress: EncoderProgress): void;
};

/** Runs ffmpeg under limits. Rejects with FilmFault, or with the reason of an aborted signal. */
export type Encoder = { run(job: EncoderJob): Promise<EncoderProgress> };

type EncoderOptions = { workDir: string; signal: AbortSignal; limits: FilmLimits };

/** The web process, the database and the other steps come first. */
const NICENESS = 10;
const THREADS = String(Math.min(4, availableParallelism()));

/** A film is a little larger than what `-fs` counts: its index comes on top. */
const INDEX_BYTES = 64_000_000;

/** One allocation; a hostile file may ask for more. */
const MAX_ALLOCATION_BYTES = 1_000_000_000;

const ENCODERS = ['libx264', 'aac', 'mov_text', 'png'];
const FILTERS = ['ass', 'tpad', 'zoompan', 'sidechaincompress', 'alimiter'];

const HOW_TO_GET_IT =
  'Install ffmpeg 5 or newer so that it is on PATH, or set FFMPEG_PATH and FFPROBE_PATH to working programs, or install the npm packages @ffmpeg-installer/ffmpeg and @ffprobe-installer/ffprobe again; then restart the web process and try again.';

/** @throws FilmFault `unavailable` without an ffmpeg and ffprobe that can make a film */
export async function openEncoder(tools: MediaTools, options: EncoderOptions): Promise<Encoder> {
  const [command, probe] = await Promise.all([tools.find('ffmpeg'), tools.find('ffprobe')]);
  if (!command || !probe) {
    const missing = command ? 'ffprobe' : 'ffmpeg';
    throw new FilmFault(
      'unavailable',
      `The film cannot be put together: no working ${missing} was found. The shots are kept. ${HOW_TO_GET_IT}`,
    );
  }
  await checkAbilities(command, options.signal);
  const until = performance.now() + options.limits.wallClockMs;
  const canLimit = await limitsWork(command, options);
  return {
    async run(job) {
      // Its own name: where nothing ends the child of a killed process, that one still writes into the same directory.
      const unfinished = `${job.output}.${randomUUID()}.part`;
      const reader = createProgressReader(job.onProgress);
      const limited = canLimit ? limitProcess(options.limits, job.maxBytes + INDEX_BYTES) : [];
      const ours = ['-hide_banner', '-nostdin', '-y', '-loglevel', 'error', '-nostats'];
      const bounds = ['-max_alloc', String(MAX_ALLOCATION_BYTES), '-progress', 'pipe:1'];
      const out = ['-threads', THREADS, '-map_metadata', '-1', '-map_chapters', '-1'];
      const file = ['-fs', String(job.maxBytes), '-f', job.format, unfinished];
      try {
        const result = await runCommand(
          [...limited, ...command, ...ours, ...bounds, ...job.args, ...out, ...file],
          {
            cwd: options.workDir,
            env: childEnvironment(options.workDir),
            niceness: NICENESS,
            timeoutMs: Math.max(1, until - performance.now()),
            maxOutputBytes: 0,
            signal: options.signal,
            onStdout: reader.push,
          },
        );
        await checkResult(result, { job, limits: options.limits, path: join(options.workDir, unfinished) });
        await rename(join(options.workDir, unfinished), join(options.workDir, job.output));
        return reader.last();
      } finally {
        await rm(join(options.workDir, unfinished), { force: true });
      }
    },
  };
}

/**
 * Arguments that open a file as the type it was stored as and never as another: a playlist that calls itself a film is
 * not followed, and no protocol but plain files is known.
 */
export function forcedInput(demuxer: string, path: string, extra: readonly string[] = []): string[] {
  return ['-protocol_whitelist', 'file,pipe', '-threads', '1', ...extra, '-f', demuxer, '-i', path];
}

/** Only what finding and starting a program needs: the rest of ours holds keys that a subverted decoder could read. */
function childEnvironment(workDir: string): Record<string, string | undefined> {
  const { PATH, SystemRoot, TMPDIR } = ourEnvironment;
  return {
    PATH,
    ...(SystemRoot && { SystemRoot }),
    ...(TMPDIR && { TMPDIR }),
    HOME: workDir,
    XDG_CACHE_HOME: workDir,
    FONTCONFIG_FILE: join(workDir, FONT_CONFIG_FILE),
    LC_ALL: 'C',
  };
}

function limitProcess({ cpuSeconds, memoryBytes }: FilmLimits, fileBytes: number): string[] {
  return [
    'prlimit',
    // At the first ffmpeg is told, a little later it is killed.
    `--cpu=${cpuSeconds}:${cpuSeconds + 5}`,
    `--as=${memoryBytes}`,
    `--fsize=${fileBytes}`,
    '--core=0',
    '--',
  ];
}

/** Tried, not only looked for: BusyBox has none, and a limit may be refused. */
async function limitsWork(command: readonly string[], { limits, signal }: EncoderOptions): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const result = await runCommand([...limitProcess(limits, INDEX_BYTES), ...command, '-version'], {
    ...LOOK_LIMITS,
    signal,
  });
  return result.type === 'exited' && result.code === 0;
}

const LOOK_LIMITS = { timeoutMs: 60_000, maxOutputBytes: 1_000_000 };

async function checkAbilities(command: readonly string[], signal: AbortSignal): Promise<void> {
  const lists = await Promise.all(
    ['-encoders', '-filters'].map((list) =>
      runCommand([...command, '-hide_banner', '-loglevel', 'error', list], { ...LOOK_LIMITS, signal }),
    ),
  );
  const words = lists.map(
    (list) => new Set(list.type === 'exited' ? list.stdout.toString().split(/\s+/) : []),
  );
  const missing = [ENCODERS, FILTERS].flatMap((names, index) =>
    names.filter((name) => !words[index]?.has(name)),
  );
  if (missing.length > 0) {
    throw new FilmFault(
      'unavailable',
      `The film cannot be put together: the ffmpeg of this server lacks ${missing.join(', ')}. The shots are kept. ${HOW_TO_GET_IT}`,
    );
  }
}

/** ffmpeg's exit code after a signal that asks it to stop, such as that of the CPU limit. */
const TOLD_TO_STOP = 255;

async function checkResult(
  result: CommandResult,
  { job, limits, path }: { job: EncoderJob; limits: FilmLimits; path: string },
): Promise<void> {
  const size = (await stat(path).catch(() => undefined))?.size ?? 0;
  const killedBy = result.type === 'unavailable' ? result.killedBy : undefined;
  if (size >= job.maxBytes || killedBy === 'SIGXFSZ') {
    throw new FilmFault(
      'failed',
      `${job.subject} would be larger than ${describeBytes(job.maxBytes)}, which is the limit. Use fewer or shorter shots, or a smaller size.`,
    );
  }
  if (result.type === 'unavailable') {
    if (result.reason === 'it took too long') {
      throw new FilmFault(
        'failed',
        `Putting the film together took longer than ${Math.round(limits.wallClockMs / 60_000)} minutes and was stopped. Try again; what is finished is kept.`,
      );
    }
    if (killedBy === 'SIGXCPU' || killedBy === 'SIGKILL') throw tooMuchTime(job, limits);
    throw new FilmFault('failed', `${job.subject} could not be made: ${result.reason}. Try again.`);
  }
  if (result.code === 0) return;
  if (result.code === TOLD_TO_STOP) throw tooMuchTime(job, limits);
  if (/cannot allocate memory|out of memory|malloc|error allocating/i.test(result.stderr)) {
    throw new FilmFault(
      'failed',
      `${job.subject} needs more than ${describeBytes(limits.memoryBytes)} of memory, which is the limit. Use a smaller size.`,
    );
  }
  const why = describeStderr(result.stderr);
  throw new FilmFault(
    'failed',
    `${job.subject} could not be made${why ? ` (${why})` : ''}. If this happens again, make that part anew.`,
  );
}

const tooMuchTime = (job: EncoderJob, limits: FilmLimits) =>
  new FilmFault(
    'failed',
    `${job.subject} was stopped after ${limits.cpuSeconds} seconds of computing, which is the limit. Use shorter shots or a smaller size.`,
  );

/** The first complaint of ffmpeg, without addresses and paths of this machine. */
function describeStderr(stderr: string): string {
  const line = stderr.split(/[\r\n]+/).find((candidate) => candidate.trim() !== '') ?? '';
  return redactText(
    line
      .replace(/\[[^\]]* @ 0x[0-9a-f]+\]\s*/gi, '')
      .replace(/(?:file:)?(?:[A-Za-z]:)?[/\\][^\s:'"]*/g, 'the file')
      .replace(/[\p{Cc}]+/gu, ' ')
      .trim()
      .slice(0, 200),
  );
}

function describeBytes(bytes: number): string {
  if (bytes >= 1_000_000_000) return `${Math.floor(bytes / 100_000_000) / 10} GB`;
  if (bytes >= 1_000_000) return `${Math.floor(bytes / 100_000) / 10} MB`;
  return `${Math.floor(bytes / 100) / 10} kB`;
}
