import { type DbHandle, openDb } from '#server/db/client.ts';
import { knownMigrations, pendingMigrations } from '#server/db/migrate.ts';
import type { Config, Deps } from '#server/deps.ts';
import { describeEnv, type Env } from '#server/env.ts';
import { createExecutor, type Executor } from '#server/generation/executor.ts';
import { systemClock } from '#server/lib/clock.ts';
import { createDueSignal } from '#server/lib/due-signal.ts';
import { newId } from '#server/lib/ids.ts';
import { createLogger } from '#server/lib/logger.ts';
import { createDueWatcher, type DueWatcher } from '#server/maintenance/due-watcher.ts';
import { OLDEST_PROTOCOL_VERSION, PROTOCOL_VERSION } from '#server/maintenance/schemas.ts';
import { createDeliverySender, type DeliverySender } from '#server/notifications/delivery-sender.ts';
import { createOperations } from '#server/operations/live-operations.ts';
import { SYSTEM_WARNINGS, type SystemWarning } from '#server/operations/schemas.ts';
import type { PaymentProvider } from '#server/orders/payment/payment-provider.ts';
import { createSandboxPayments } from '#server/orders/payment/sandbox.ts';
import { createStripePayments } from '#server/orders/payment/stripe.ts';
import { createKeyRing } from '#server/providers/channels/secrets.ts';
import { createProviderRuntime } from '#server/providers/registry.ts';
import { type AssetStoreOptions, createAssetStore } from '#server/storage/create-asset-store.ts';
import { makePreview } from '#server/storage/make-preview.ts';
import { configureMediaTools, mediaTools } from '#server/storage/media-tools.ts';
import { storeOutput } from '#server/storage/store-output.ts';

export type Container = {
  deps: Deps;
  /** The pool's driver, for health checks. */
  sql: DbHandle['sql'];
  executor: Executor;
  dueWatcher: DueWatcher;
  deliveries: DeliverySender;
  /** Closes connections; the executor must be drained before. */
  close(): Promise<void>;
};

/** Builds everything of one web process. Connects to nothing yet, except that the due-watcher begins to listen. */
export function createContainer(env: Env): Container {
  const logger = createLogger(env.LOG_LEVEL);
  const pool = openDb({
    url: env.DATABASE_URL,
    max: env.DATABASE_POOL_SIZE,
    pooled: env.DATABASE_POOLED,
    applicationName: 'sidelane-web',
  });
  const renewal = openDb({
    url: env.DATABASE_URL,
    max: 1,
    pooled: env.DATABASE_POOLED,
    applicationName: 'sidelane-renewal',
  });
  configureMediaTools({ ffmpegPath: env.FFMPEG_PATH, ffprobePath: env.FFPROBE_PATH });
  const storage = createAssetStore(storageOptions(env));
  const providers = createProviderRuntime({
    storage,
    logger,
    guard: { allowHosts: env.OUTBOUND_ALLOW_HOSTS },
    eventHosts: env.WEBHOOK_ALLOW_HOSTS,
    maxKeptBytes: env.MAX_OUTPUT_BYTES,
  });
  const config = configOf(env);
  const operations = createOperations({
    db: pool.db,
    logger,
    config,
    probe: {
      environment: describeEnv(),
      warnings: warningsOf(env),
      protocol: { current: PROTOCOL_VERSION, oldest: OLDEST_PROTOCOL_VERSION },
      storageDriver: env.STORAGE_DRIVER,
      knownMigrations: knownMigrations(),
      pendingMigrations: () => pendingMigrations(pool.sql),
      findTool: (name) => mediaTools().find(name),
    },
  });
  const deps: Deps = {
    db: pool.db,
    renewalDb: renewal.db,
    clock: systemClock,
    logger,
    random: Math.random,
    newId,
    providers,
    storage,
    storeOutput,
    makePreview,
    keyRing: createKeyRing(env.ENCRYPTION_KEY),
    due: createDueSignal(),
    payments: paymentsOf(env),
    config,
    operations,
  };
  const executor = createExecutor(deps);
  const deliveries = createDeliverySender(deps);
  const dueWatcher = createDueWatcher({ sql: pool.sql, pooled: env.DATABASE_POOLED, due: deps.due, logger });
  return {
    deps,
    sql: pool.sql,
    executor,
    dueWatcher,
    deliveries,
    async close() {
      await dueWatcher.close();
      await operations.close();
      await providers.close();
      await Promise.all([pool.close(), renewal.close()]);
    },
  };
}

/** What works, but hardly as it was meant. */
function warningsOf(env: Env): SystemWarning[] {
  const production = env.NODE_ENV === 'production';
  const checks: Record<Exclude<SystemWarning, 'no_media_tools' | 'pending_migrations'>, boolean> = {
    plain_http: production && (env.PUBLIC_ORIGIN?.startsWith('http:') ?? false),
    no_origin: !env.PUBLIC_ORIGIN,
    no_maintenance_token: !env.MAINTENANCE_TOKEN,
    same_host_files: production && env.STORAGE_DRIVER === 'fs',
    proxy_not_trusted: production && env.TRUST_PROXY_HOPS === 0,
    private_hosts: production && env.OUTBOUND_ALLOW_HOSTS.length + env.WEBHOOK_ALLOW_HOSTS.length > 0,
    sandbox_payments: production && env.PAYMENT_PROVIDER === 'sandbox',
  };
  return SYSTEM_WARNINGS.filter((warning) => warning in checks && checks[warning as keyof typeof checks]);
}

const HOUR_MS = 3_600_000;

/** The numbers and policies that use cases read. */
function configOf(env: Env): Config {
  return {
    leaseSeconds: env.LEASE_SECONDS,
    drainSeconds: env.DRAIN_SECONDS,
    // Composition is ffmpeg on all cores: one at a time.
    slots: { poll: env.SLOTS_POLL, create: env.SLOTS_CREATE, transfer: env.SLOTS_TRANSFER, compose: 1 },
    userInFlight: env.USER_IN_FLIGHT,
    pollFirstMs: env.POLL_FIRST_MS,
    pollCapMs: env.POLL_CAP_MS,
    retryBaseMs: env.RETRY_BASE_MS,
    retryCapMs: env.RETRY_CAP_MS,
    uncertainMs: env.UNCERTAIN_HOURS * HOUR_MS,
    lateWatchMs: env.LATE_WATCH_HOURS * HOUR_MS,
    giveUpMs: env.GIVE_UP_HOURS * HOUR_MS,
    refundTries: env.REFUND_TRIES,
    maxOutputBytes: env.MAX_OUTPUT_BYTES,
    maxUploadBytes: env.MAX_UPLOAD_BYTES,
    signUpCredits: env.SIGN_UP_CREDITS,
    signUpOpen: env.SIGN_UP_OPEN,
    publicOrigin: env.PUBLIC_ORIGIN,
    secureCookies: env.PUBLIC_ORIGIN?.startsWith('https:') ?? false,
    orderExpiryMs: env.ORDER_EXPIRY_MINUTES * 60_000,
    invites: {
      inviterCredits: env.INVITE_INVITER_CREDITS,
      inviteeCredits: env.INVITE_INVITEE_CREDITS,
      coolingOffMs: env.INVITE_COOLING_OFF_DAYS * 24 * HOUR_MS,
      monthlyCap: env.INVITE_MONTHLY_CAP,
    },
    composites: {
      agentsPerUser: env.AGENTS_PER_USER,
      dramasPerUser: env.DRAMAS_PER_USER,
      childrenAtOnce: {
        image: env.COMPOSITE_IMAGES,
        video: env.COMPOSITE_VIDEOS,
        audio: env.COMPOSITE_AUDIOS,
        text: 1,
      },
    },
    retention: {
      eventDays: env.RETENTION_EVENT_DAYS,
      requestKeyDays: env.RETENTION_REQUEST_KEY_DAYS,
      workerDays: env.RETENTION_WORKER_DAYS,
      uploadHours: env.RETENTION_UPLOAD_HOURS,
    },
  };
}

/** `readEnv` refuses a vendor without its keys. */
function paymentsOf(env: Env): PaymentProvider | undefined {
  switch (env.PAYMENT_PROVIDER) {
    case 'none':
      return undefined;
    case 'stripe':
      return createStripePayments({
        secretKey: env.STRIPE_SECRET_KEY ?? '',
        webhookSecret: env.STRIPE_WEBHOOK_SECRET ?? '',
      });
    case 'sandbox':
      return createSandboxPayments({
        url: env.SANDBOX_PAYMENT_URL ?? '',
        secret: env.SANDBOX_PAYMENT_SECRET ?? '',
      });
  }
}

function storageOptions(env: Env): AssetStoreOptions {
  if (env.STORAGE_DRIVER === 'fs') return { driver: 'fs', dir: env.STORAGE_DIR };
  return {
    driver: 's3',
    // `readEnv` refuses s3 without a bucket.
    bucket: env.STORAGE_S3_BUCKET ?? '',
    region: env.STORAGE_S3_REGION,
    endpoint: env.STORAGE_S3_ENDPOINT,
    accessKeyId: env.STORAGE_S3_ACCESS_KEY_ID,
    secretAccessKey: env.STORAGE_S3_SECRET_ACCESS_KEY,
    forcePathStyle: env.STORAGE_S3_FORCE_PATH_STYLE,
  };
}
