import type { Deps } from '#server/deps.ts';
import { readServerVersion } from './queries.ts';
import { APP_VERSION, type SystemView, type SystemWarning } from './schemas.ts';

/** Versions, migrations and configuration of this web process. Secrets are told as set or missing, never by value. */
export async function readSystem(
  deps: Pick<Deps, 'db' | 'operations' | 'payments' | 'storage'>,
): Promise<SystemView> {
  const { probe } = deps.operations;
  const [postgresVersion, pending, ffmpeg, ffprobe, answers] = await Promise.all([
    readServerVersion(deps.db),
    probe.pendingMigrations(),
    probe.findTool('ffmpeg'),
    probe.findTool('ffprobe'),
    deps.storage.check().then(
      () => true,
      () => false,
    ),
  ]);
  const found: SystemWarning[] = [
    ...(ffmpeg && ffprobe ? [] : (['no_media_tools'] as const)),
    ...(pending.length > 0 ? (['pending_migrations'] as const) : []),
  ];
  return {
    appVersion: APP_VERSION,
    nodeVersion: process.version,
    postgresVersion,
    protocol: probe.protocol,
    migrations: { known: probe.knownMigrations, pending },
    storage: { driver: probe.storageDriver, answers },
    mediaTools: { ffmpeg: ffmpeg?.at(-1) ?? null, ffprobe: ffprobe?.at(-1) ?? null },
    payments: deps.payments ? { name: deps.payments.name, test: deps.payments.test } : null,
    environment: probe.environment,
    warnings: [...probe.warnings, ...found],
  };
}
