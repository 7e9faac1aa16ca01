import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { DbHandle } from '#server/db/client.ts';
import type { Config, Deps } from '#server/deps.ts';
import type { Executor } from '#server/generation/executor.ts';
import { systemClock } from '#server/lib/clock.ts';
import { createDueSignal } from '#server/lib/due-signal.ts';
import { newId } from '#server/lib/ids.ts';
import type { Logger } from '#server/lib/logger.ts';
import type { DueWatcher } from '#server/maintenance/due-watcher.ts';
import { createServiceTokens } from '#server/maintenance/service-token.ts';
import { testOperations } from '#server/operations/testing/test-operations.ts';
import { createKeyRing } from '#server/providers/channels/secrets.ts';
import { createProviderRuntime } from '#server/providers/registry.ts';
import { createAssetStore } from '#server/storage/create-asset-store.ts';
import { makePreview } from '#server/storage/make-preview.ts';
import { storeOutput } from '#server/storage/store-output.ts';
import { type AppOptions, createApp } from './app.ts';
import { createWebServer } from './listen.ts';
import { createRateLimits, LIMITS } from './rate-limits.ts';

/** A web process' HTTP side on a free port of 127.0.0.1, for tests: real database, real storage, an idle executor. */
export type TestApp = {
  url: string;
  deps: Deps;
  /** Every log line, as one text: nothing secret may turn up in it. */
  log: string[];
  close(): Promise<void>;
};

export const SERVICE_TOKEN = 'test-service-token-0123456789abcdef';

type TestAppOptions = Partial<Pick<AppOptions, 'executor' | 'dueWatcher' | 'pages' | 'isDraining'>> & {
  config?: Partial<Config>;
  payments?: Deps['payments'];
  limits?: Partial<typeof LIMITS>;
  trustProxyHops?: number;
  serviceToken?: string;
};

export async function startTestApp(
  handle: Pick<DbHandle, 'db' | 'sql'>,
  options: TestAppOptions = {},
): Promise<TestApp> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'sidelane-http-'));
  const log: string[] = [];
  const logger = recordingLogger(log);
  const storage = createAssetStore({ driver: 'fs', dir });
  const providers = createProviderRuntime({ storage, logger });
  const config = { ...TEST_CONFIG, ...options.config };
  const deps: Deps = {
    db: handle.db,
    renewalDb: handle.db,
    clock: systemClock,
    logger,
    random: Math.random,
    newId,
    providers,
    storage,
    storeOutput,
    makePreview,
    keyRing: createKeyRing('0f'.repeat(32)),
    due: createDueSignal(),
    payments: options.payments,
    config,
    operations: testOperations({ db: handle.db, logger, config }),
  };
  const limits = createRateLimits(deps, { ...LIMITS, ...options.limits });
  const server = createWebServer({ host: '127.0.0.1', port: 0 });
  const app = createApp({
    deps,
    sql: handle.sql,
    executor: options.executor ?? idleExecutor(),
    dueWatcher: options.dueWatcher ?? silentDueWatcher(),
    serviceTokens: createServiceTokens(options.serviceToken ?? SERVICE_TOKEN, undefined),
    limits,
    pages: options.pages,
    trustProxyHops: options.trustProxyHops ?? 0,
    isDraining: options.isDraining ?? (() => false),
  });
  const port = await server.listen(app);
  return {
    url: `http://127.0.0.1:${port}`,
    deps,
    log,
    async close() {
      await server.close();
      limits.close();
      await providers.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

const TEST_CONFIG: Config = {
  leaseSeconds: 30,
  drainSeconds: 5,
  slots: { poll: 8, create: 8, transfer: 2, compose: 1 },
  userInFlight: 20,
  composites: {
    agentsPerUser: 3,
    dramasPerUser: 2,
    childrenAtOnce: { image: 4, video: 3, audio: 4, text: 1 },
  },
  pollFirstMs: 100,
  pollCapMs: 1_000,
  retryBaseMs: 100,
  retryCapMs: 1_000,
  uncertainMs: 86_400_000,
  lateWatchMs: 86_400_000,
  giveUpMs: 86_400_000,
  refundTries: 10,
  maxOutputBytes: 10_000_000,
  maxUploadBytes: 1_000_000,
  signUpCredits: 100,
  signUpOpen: true,
  publicOrigin: undefined,
  secureCookies: false,
  orderExpiryMs: 1_800_000,
  invites: { inviterCredits: 50, inviteeCredits: 30, coolingOffMs: 14 * 86_400_000, monthlyCap: 20 },
  retention: { eventDays: 365, requestKeyDays: 30, workerDays: 30, uploadHours: 24 },
};

function idleExecutor(): Executor {
  const nothing = { claimed: 0, advanced: 0, succeeded: 0, failed: 0, cancelled: 0, uncertain: 0, lost: 0 };
  return {
    id: newId(),
    run: async () => ({ ...nothing, inFlight: 0, nextDueAt: null, backlog: 0 }),
    kick: () => {},
    pushUser: () => {},
    stats: () => ({ inFlight: { poll: 3, create: 2, transfer: 1, compose: 0 }, draining: false }),
    drain: async () => {},
  };
}

function silentDueWatcher(): DueWatcher {
  return { sequence: () => 0, wait: async () => 'timeout', close: async () => {} };
}

function recordingLogger(lines: string[]): Logger {
  const write = (level: string) => (fields: object, message: string) => {
    lines.push(JSON.stringify({ level, message, ...fields }));
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => recordingLogger(lines),
  };
}
