import type { Config, Deps } from '#server/deps.ts';
import { describeError } from '#server/lib/describe-error.ts';
import { applyPolicies } from './policies.ts';
import { listPauses, listSettings, listShownAnnouncements } from './queries.ts';
import type { Banner, EnvironmentFact, SystemWarning } from './schemas.ts';

/** So long after a change in another process this one goes by it, at most. */
const REFRESH_MS = 5_000;

/** What only the composition root knows about this process. */
type SystemProbe = {
  environment: EnvironmentFact[];
  warnings: SystemWarning[];
  protocol: { current: number; oldest: number };
  storageDriver: 'fs' | 's3';
  knownMigrations: number;
  pendingMigrations(): Promise<string[]>;
  /** The command line of a program, as it would be called. */
  findTool(name: 'ffmpeg' | 'ffprobe'): Promise<readonly string[] | undefined>;
};

/** Policies, pauses and announcements as this process last read them. */
export type Operations = {
  /** The configuration as the environment has it. */
  readonly environment: Config;
  readonly probe: SystemProbe;
  /** Reads everything anew; `config` has changed in place when it resolves. Never rejects: a failure is logged and tried again. */
  refresh(): Promise<void>;
  /** What pages show; read anew when it is older than the refresh. */
  banner(): Promise<Banner>;
  /** Refreshes from now on. */
  start(): void;
  close(): Promise<void>;
};

/**
 * Keeps `config` up to date with the table `settings`, in place, and the banner with pauses and announcements. Tasks
 * keep what was decided for them: deadlines are written into their rows.
 */
export function createOperations({
  db,
  logger,
  config,
  probe,
}: Pick<Deps, 'db' | 'logger' | 'config'> & { probe: SystemProbe }): Operations {
  const environment = structuredClone(config);
  let banner: Banner = { announcements: [], pauses: [] };
  let readAt = Number.NEGATIVE_INFINITY;
  let last: Promise<void> = Promise.resolve();
  let timer: ReturnType<typeof setInterval> | undefined;

  async function read(): Promise<void> {
    try {
      const stored = await listSettings(db);
      Object.assign(
        config,
        applyPolicies(environment, new Map(stored.map(({ key, value }) => [key, value]))),
      );
      const pauses = await listPauses(db);
      banner = {
        announcements: await listShownAnnouncements(db),
        pauses: pauses.map(({ scope, reason, pausedAt }) => ({ scope, reason, pausedAt })),
      };
    } catch (error) {
      logger.warn({ error: describeError(error) }, 'Policies and announcements could not be read');
    }
    readAt = performance.now();
  }

  /** One after the other: what was committed before the call is seen by it. */
  function refresh(): Promise<void> {
    last = last.then(read);
    return last;
  }

  return {
    environment,
    probe,
    refresh,
    async banner() {
      // Read while others wait for it, too.
      if (performance.now() - readAt > REFRESH_MS) {
        readAt = performance.now();
        void refresh();
      }
      await last;
      return banner;
    },
    start() {
      timer ??= setInterval(() => void refresh(), REFRESH_MS).unref();
    },
    async close() {
      clearInterval(timer);
      await last;
    },
  };
}
