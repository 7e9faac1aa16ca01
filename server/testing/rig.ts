import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type RunningSandbox, type SandboxOptions, startSandbox } from '#scripts/sandbox/server.ts';
import { auditLedger } from '#server/billing/audit.ts';
import { readCredits } from '#server/billing/read-credits.ts';
import type { Db } from '#server/db/client.ts';
import type { Config, Deps } from '#server/deps.ts';
import { createExecutor, type Executor } from '#server/generation/executor.ts';
import { readTask } from '#server/generation/read-tasks.ts';
import type { RecoveryBatchResult } from '#server/generation/recovery-batch.ts';
import type { SubmitInput, TaskDetailView } from '#server/generation/schemas.ts';
import { isTerminal, type Kind } from '#server/generation/status.ts';
import { submitTask } from '#server/generation/submit-task.ts';
import { systemClock } from '#server/lib/clock.ts';
import { createDueSignal } from '#server/lib/due-signal.ts';
import { newId } from '#server/lib/ids.ts';
import type { Logger } from '#server/lib/logger.ts';
import { testOperations } from '#server/operations/testing/test-operations.ts';
import { createChannel } from '#server/providers/channels/manage-channels.ts';
import { createKeyRing } from '#server/providers/channels/secrets.ts';
import type { ProviderAdapter } from '#server/providers/provider.ts';
import { createProviderRuntime } from '#server/providers/registry.ts';
import { createAssetStore } from '#server/storage/create-asset-store.ts';
import { makePreview } from '#server/storage/make-preview.ts';
import { storeOutput } from '#server/storage/store-output.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { createModel, createUser } from './factories.ts';

const ENCRYPTION_KEY = '0f'.repeat(32);
/** Media are made once and shared by all test files. */
const MEDIA_DIR = path.resolve('.data/sandbox-media');

export const TEST_CONFIG: Config = {
  leaseSeconds: 20,
  drainSeconds: 20,
  slots: { poll: 64, create: 32, transfer: 8, compose: 1 },
  userInFlight: 50,
  pollFirstMs: 20,
  pollCapMs: 100,
  retryBaseMs: 10,
  retryCapMs: 50,
  uncertainMs: 24 * 3_600_000,
  lateWatchMs: 24 * 3_600_000,
  giveUpMs: 24 * 3_600_000,
  refundTries: 4,
  maxOutputBytes: 50_000_000,
  maxUploadBytes: 5_000_000,
  signUpCredits: 100,
  signUpOpen: true,
  publicOrigin: undefined,
  secureCookies: false,
  orderExpiryMs: 30 * 60_000,
  invites: { inviterCredits: 50, inviteeCredits: 30, coolingOffMs: 14 * 24 * 3_600_000, monthlyCap: 20 },
  composites: {
    agentsPerUser: 10,
    dramasPerUser: 10,
    childrenAtOnce: { image: 4, video: 3, audio: 4, text: 1 },
  },
  retention: { eventDays: 365, requestKeyDays: 30, workerDays: 30, uploadHours: 24 },
};

/** Short, so that a test sees the states between knocks; started steps go on after it. */
const KNOCK_MS = 50;

type LogLine = { level: string; message: string; fields: Record<string, unknown> };

export type Rig = Awaited<ReturnType<typeof createRig>>;

export type RigOptions = {
  config?: Partial<Config>;
  sandbox?: SandboxOptions;
  adapters?: readonly ProviderAdapter[];
  /** Further private hosts that the outbound guard lets through. */
  allowHosts?: readonly string[];
  /** Private hosts that events may be sent to. */
  eventHosts?: readonly string[];
};

/**
 * One web process without HTTP: real database, real storage, the sandbox upstream over real HTTP, one user with 1,000
 * credits and one model per kind. Pauses are short so that nothing has to be waited for.
 */
export async function createRig(options: RigOptions = {}) {
  const t = await createTestDatabase();
  const dir = await mkdtemp(path.join(tmpdir(), 'sidelane-rig-'));
  const sandbox = await startSandbox({
    mediaDir: MEDIA_DIR,
    delays: { image: 5, video: 150, audio: 5, text: 60 },
    ...options.sandbox,
  });
  const logs: LogLine[] = [];
  const base = createDeps({ t, dir, sandbox, logs, options });
  const executors: Executor[] = [];
  const closers: (() => Promise<void>)[] = [];

  const user = await createUser(t.db, { balanceCredits: 1_000 });
  const { channelId } = await createChannel(base.deps, {
    name: 'Sandbox',
    protocol: 'openai',
    baseUrl: `${sandbox.url}/v1`,
    apiKey: sandbox.apiKey,
    maxInFlight: 100,
    templates: [],
  });
  const models = await createModels(t.db, channelId);

  /** Another web process on the same database. */
  function process_(config: Partial<Config> = {}): { deps: Deps; executor: Executor } {
    const { deps, close } = createDeps({
      t,
      dir,
      sandbox,
      logs,
      options: { ...options, config: { ...options.config, ...config } },
    });
    const executor = createExecutor(deps);
    executors.push(executor);
    closers.push(close);
    return { deps, executor };
  }
  const executor = createExecutor(base.deps);
  executors.push(executor);
  closers.push(base.close);

  return {
    t,
    db: t.db,
    deps: base.deps,
    executor,
    sandbox,
    user,
    models,
    channelId,
    logs,
    storageDir: dir,
    anotherProcess: process_,
    submit(kind: Kind, overrides: Partial<SubmitInput> & { userId?: string } = {}) {
      return submitTask(base.deps, {
        userId: user.id,
        kind,
        model: models[kind].slug,
        prompt: 'a quiet harbour',
        params: {},
        references: [],
        requestKey: newId(),
        ...overrides,
      }).then((submitted) => submitted.taskId);
    },
    view: (taskId: string): Promise<TaskDetailView> => readTask(base.deps, { userId: user.id, taskId }),
    /** What can be spent and what is held; which buckets it lies in is for the tests of buckets. */
    async balance(userId = user.id): Promise<{ balanceCredits: number; heldCredits: number }> {
      const { balanceCredits, heldCredits } = await readCredits(base.deps, userId);
      return { balanceCredits, heldCredits };
    },
    audit: () => auditLedger(t.db),
    /** One knock of a daemon. */
    knock: (by: Executor = executor): Promise<RecoveryBatchResult> =>
      by.run({ limit: 100, budgetMs: KNOCK_MS, workerId: 'test-worker' }),
    /** Knocks until a condition holds. @throws Error after `most` knocks, with the task's state */
    async runUntil(
      taskId: string,
      done: (view: TaskDetailView) => boolean,
      by: Executor = executor,
    ): Promise<TaskDetailView> {
      const end = Date.now() + 500_000;
      for (;;) {
        const view = await this.view(taskId);
        if (done(view)) return view;
        if (Date.now() > end) {
          throw new Error(
            `Task is still ${view.status} (${view.waiting}): ${JSON.stringify(view.events, null, 1)}`,
          );
        }
        await this.knock(by);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    async runToEnd(taskId: string, by: Executor = executor): Promise<TaskDetailView> {
      const ended = await this.runUntil(taskId, (view) => isTerminal(view.status), by);
      // Status and refund intent commit together; the refund itself follows at once, unless a test has broken it.
      for (
        let looks = 0;
        looks < 100 && (await this.view(taskId)).money.state === 'refund_pending';
        looks += 1
      ) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return { ...ended, ...(await this.view(taskId)) };
    },
    /** Creates that upstream received for all dispatches of a task, by dispatch. */
    async creates(taskId: string): Promise<{ dispatchId: string; received: number; recorded: number }[]> {
      const rows = await t.sql<
        { id: string }[]
      >`select id from dispatches where task_id = ${taskId} order by number`;
      return Promise.all(
        rows.map(async (row) => {
          const { received, recorded } = await sandbox.control.createsOf(row.id);
          return { dispatchId: row.id, received, recorded };
        }),
      );
    },
    async close() {
      await Promise.all(executors.map((one) => one.drain()));
      for (const close of closers) await close();
      await sandbox.close();
      await t.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function createDeps(input: {
  t: TestDatabase;
  dir: string;
  sandbox: RunningSandbox;
  logs: LogLine[];
  options: RigOptions;
}): { deps: Deps; close(): Promise<void> } {
  const { t, dir, sandbox, logs, options } = input;
  const storage = createAssetStore({ driver: 'fs', dir });
  const logger = collectLogs(logs);
  const providers = createProviderRuntime({
    storage,
    logger,
    // Port 1 refuses connections: an upstream that is down.
    guard: { allowHosts: [new URL(sandbox.url).host, '127.0.0.1:1', ...(options.allowHosts ?? [])] },
    eventHosts: options.eventHosts,
    adapters: options.adapters,
  });
  const { db } = t.open({ max: 10 });
  const config = { ...TEST_CONFIG, ...options.config };
  const deps: Deps = {
    db,
    renewalDb: t.open({ max: 1, applicationName: 'sidelane-renewal' }).db,
    clock: systemClock,
    logger,
    random: Math.random,
    newId,
    providers,
    storage,
    storeOutput,
    makePreview,
    keyRing: createKeyRing(ENCRYPTION_KEY),
    due: createDueSignal(),
    payments: undefined,
    config,
    operations: testOperations({ db, logger, config }),
  };
  return { deps, close: () => providers.close() };
}

function collectLogs(lines: LogLine[]): Logger {
  const log = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, message, fields: fields as Record<string, unknown> });
  const logger: Logger = {
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    child: () => logger,
  };
  return logger;
}

async function createModels(db: Db, channelId: string) {
  const common = { channelId, createTimeoutSeconds: 60 };
  return {
    image: await createModel(db, {
      ...common,
      kind: 'image',
      endpoint: 'images',
      upstreamModel: 'gpt-image-1',
      parameters: {
        n: { type: 'integer', label: 'Images', minimum: 1, maximum: 4, default: 1 },
        size: { type: 'choice', label: 'Size', options: ['256x256', '1024x1024'], default: '256x256' },
      },
      price: { unit: 'output', credits: 3 },
      maxReferences: 1,
    }),
    video: await createModel(db, {
      ...common,
      kind: 'video',
      endpoint: 'videos',
      upstreamModel: 'sora-2',
      parameters: {
        seconds: { type: 'integer', label: 'Seconds', minimum: 1, maximum: 12, default: 2 },
        size: { type: 'choice', label: 'Size', options: ['320x180', '1280x720'], default: '320x180' },
      },
      price: { unit: 'second', credits: 5 },
    }),
    audio: await createModel(db, {
      ...common,
      kind: 'audio',
      endpoint: 'speech',
      upstreamModel: 'tts-1',
      parameters: { voice: { type: 'choice', label: 'Voice', options: ['alloy', 'echo'], default: 'alloy' } },
      price: { unit: 'call', credits: 2 },
    }),
    text: await createModel(db, {
      ...common,
      kind: 'text',
      endpoint: 'responses',
      upstreamModel: 'gpt-5',
      parameters: {},
      price: { unit: 'call', credits: 1 },
    }),
  };
}
