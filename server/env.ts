import { z } from 'zod';
import type { EnvironmentFact } from '#server/operations/schemas.ts';

/** The web process' configuration. This file is the only reader of `process.env` below `server/`. */

const integer = (low: number, high: number, preset: number) =>
  z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(low, `must be at least ${low}`)
    .max(high, `must be at most ${high}`)
    .default(preset);

const flag = z
  .enum(['0', '1', 'true', 'false'], 'must be 0 or 1')
  .default('0')
  .transform((v) => v === '1' || v === 'true');

const hostList = z
  .string()
  .default('')
  .transform((list) =>
    list
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  );

const serviceToken = z.string().min(32, 'must have at least 32 characters (make one: openssl rand -hex 32)');

const encryptionKey = z
  .string()
  .regex(
    /^(\d+:)?[0-9a-f]{64}(,\d+:[0-9a-f]{64})*$/i,
    'must be 64 hexadecimal digits, or versions as 2:<hex>,1:<hex>',
  );

const schema = z.object({
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  HOST: z.string().default('127.0.0.1'),
  PORT: integer(0, 65_535, 3000),
  PUBLIC_ORIGIN: z
    .url({ protocol: /^https?$/, error: 'must be an http(s) origin such as https://lane.example' })
    .optional(),
  /** Proxies in front of the web process, for the client address. */
  TRUST_PROXY_HOPS: integer(0, 10, 0),
  LOG_LEVEL: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info'),

  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, 'must start with postgres:// or postgresql://'),
  DATABASE_POOLED: flag,
  DATABASE_POOL_SIZE: integer(2, 200, 10),

  /** Without it the maintenance router stays closed. */
  MAINTENANCE_TOKEN: serviceToken.optional(),
  MAINTENANCE_TOKEN_PREVIOUS: serviceToken.optional(),
  ENCRYPTION_KEY: encryptionKey,

  STORAGE_DRIVER: z.enum(['fs', 's3']).default('fs'),
  STORAGE_DIR: z.string().default('.data/files'),
  STORAGE_S3_BUCKET: z.string().optional(),
  STORAGE_S3_REGION: z.string().default('us-east-1'),
  STORAGE_S3_ENDPOINT: z.url().optional(),
  STORAGE_S3_ACCESS_KEY_ID: z.string().optional(),
  STORAGE_S3_SECRET_ACCESS_KEY: z.string().optional(),
  STORAGE_S3_FORCE_PATH_STYLE: flag,
  FFMPEG_PATH: z.string().optional(),
  FFPROBE_PATH: z.string().optional(),

  /** Private hosts that channels and downloads may reach, `host:port`, comma-separated. Empty unless an upstream is one. */
  OUTBOUND_ALLOW_HOSTS: hostList,
  /** Private hosts that people may have their events sent to. Whoever has an account may: empty unless all may reach them. */
  WEBHOOK_ALLOW_HOSTS: hostList,

  LEASE_SECONDS: integer(2, 600, 30),
  DRAIN_SECONDS: integer(1, 3_600, 900),
  SLOTS_POLL: integer(1, 2_000, 256),
  SLOTS_CREATE: integer(1, 1_000, 64),
  SLOTS_TRANSFER: integer(1, 200, 8),
  USER_IN_FLIGHT: integer(1, 10_000, 20),
  /** Agents and dramas of one user at work at once, and children of each by kind. */
  AGENTS_PER_USER: integer(1, 100, 3),
  DRAMAS_PER_USER: integer(1, 100, 2),
  COMPOSITE_IMAGES: integer(1, 100, 4),
  COMPOSITE_VIDEOS: integer(1, 100, 3),
  COMPOSITE_AUDIOS: integer(1, 100, 4),
  POLL_FIRST_MS: integer(50, 600_000, 2_000),
  POLL_CAP_MS: integer(100, 3_600_000, 30_000),
  RETRY_BASE_MS: integer(10, 600_000, 2_000),
  RETRY_CAP_MS: integer(100, 3_600_000, 120_000),
  UNCERTAIN_HOURS: z.coerce.number().min(0.0001).max(720).default(24),
  LATE_WATCH_HOURS: z.coerce.number().min(0).max(168).default(168),
  GIVE_UP_HOURS: z.coerce.number().min(0.001).max(168).default(168),
  REFUND_TRIES: integer(1, 100, 10),
  MAX_OUTPUT_BYTES: integer(1_024, 50_000_000_000, 4_000_000_000),
  MAX_UPLOAD_BYTES: integer(1_024, 1_000_000_000, 25_000_000),
  /** Credits that a new account starts with. */
  SIGN_UP_CREDITS: integer(0, 1_000_000, 0),
  SIGN_UP_OPEN: z
    .enum(['0', '1', 'true', 'false'])
    .default('1')
    .transform((v) => v === '1' || v === 'true'),

  /** Who takes payments; `none`: nothing can be bought. */
  PAYMENT_PROVIDER: z.enum(['none', 'stripe', 'sandbox'], 'must be none, stripe or sandbox').default('none'),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_(test|live)_\w+$/, 'must be a secret key of Stripe (sk_… or rk_…)')
    .optional(),
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_\S+$/, 'must be a signing secret of Stripe (whsec_…)')
    .optional(),
  SANDBOX_PAYMENT_URL: z
    .url({
      protocol: /^http$/,
      hostname: /^(127\.0\.0\.1|localhost)$/,
      error: 'must be an address on this machine',
    })
    .optional(),
  SANDBOX_PAYMENT_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  ORDER_EXPIRY_MINUTES: integer(1, 1_440, 30),
  INVITE_INVITER_CREDITS: integer(0, 1_000_000, 0),
  INVITE_INVITEE_CREDITS: integer(0, 1_000_000, 0),
  INVITE_COOLING_OFF_DAYS: z.coerce.number().min(0).max(365).default(14),
  INVITE_MONTHLY_CAP: integer(0, 10_000, 20),

  RETENTION_EVENT_DAYS: integer(1, 3_650, 365),
  RETENTION_REQUEST_KEY_DAYS: integer(1, 3_650, 30),
  RETENTION_WORKER_DAYS: integer(1, 3_650, 30),
  RETENTION_UPLOAD_HOURS: integer(1, 8_760, 24),
});

export type Env = z.infer<typeof schema>;

/** A bad environment: one line per variable, each naming the fix, never the value. */
export class EnvError extends Error {
  constructor(lines: readonly string[]) {
    super(
      `The environment is not usable:\n${lines.map((line) => `  ${line}`).join('\n')}\nSee .env.example.`,
    );
    this.name = 'EnvError';
  }
}

/** Names that hold, or may hold, a credential. `DATABASE_URL` carries a password. */
const SECRET_NAME = /_KEY(_ID)?$|TOKEN|SECRET|PASSWORD|^DATABASE_URL$/;

/**
 * Every variable with where its value comes from, for the administrator's page. A secret is told as set or not, and a
 * user and password in an address are left out.
 */
export function describeEnv(source: Record<string, string | undefined> = process.env): EnvironmentFact[] {
  return Object.entries(schema.shape).map(([name, field]) => {
    const given = source[name]?.trim() ? source[name].trim() : undefined;
    const secret = SECRET_NAME.test(name);
    const preset = given === undefined ? field.safeParse(undefined) : undefined;
    const value = given ?? (preset?.success ? textOf(preset.data) : null);
    return {
      name,
      from: given === undefined ? 'default' : 'environment',
      value: secret || value === null ? null : withoutCredentials(value),
      secret,
    };
  });
}

function textOf(preset: unknown): string | null {
  if (preset === undefined || (Array.isArray(preset) && preset.length === 0)) return null;
  return String(preset);
}

const withoutCredentials = (value: string) => value.replace(/\/\/[^/@\s]*@/g, '//');

/**
 * Reads and checks the environment; an empty string counts as not set.
 *
 * @throws EnvError naming every variable that is wrong
 */
export function readEnv(source: Record<string, string | undefined> = process.env): Env {
  const filled = Object.fromEntries(
    Object.entries(source).filter(([, value]) => value !== undefined && value.trim() !== ''),
  );
  const result = schema.safeParse(filled);
  if (!result.success) {
    throw new EnvError(
      result.error.issues.map((issue) => {
        const name = String(issue.path[0]);
        return filled[name] === undefined ? `${name} is not set` : `${name} ${issue.message}`;
      }),
    );
  }
  const env = result.data;
  const problems: string[] = [];
  if (env.NODE_ENV === 'production' && !env.PUBLIC_ORIGIN) {
    problems.push('PUBLIC_ORIGIN is not set (the address that browsers use, such as https://lane.example)');
  }
  if (env.PAYMENT_PROVIDER === 'stripe') {
    if (!env.STRIPE_SECRET_KEY)
      problems.push('STRIPE_SECRET_KEY is not set (PAYMENT_PROVIDER=stripe needs it)');
    if (!env.STRIPE_WEBHOOK_SECRET)
      problems.push('STRIPE_WEBHOOK_SECRET is not set (PAYMENT_PROVIDER=stripe needs it)');
    // A page of Stripe lives 24 hours at most, and outlives its order by half an hour.
    if (env.ORDER_EXPIRY_MINUTES > 1_400)
      problems.push('ORDER_EXPIRY_MINUTES must be at most 1400 with PAYMENT_PROVIDER=stripe');
  }
  if (env.PAYMENT_PROVIDER === 'sandbox' && !(env.SANDBOX_PAYMENT_URL && env.SANDBOX_PAYMENT_SECRET)) {
    problems.push(
      'SANDBOX_PAYMENT_URL and SANDBOX_PAYMENT_SECRET are not set (PAYMENT_PROVIDER=sandbox needs both)',
    );
  }
  if (env.PAYMENT_PROVIDER !== 'none' && !env.PUBLIC_ORIGIN) {
    problems.push('PUBLIC_ORIGIN is not set (payers are sent back to it)');
  }
  if (env.STORAGE_DRIVER === 's3' && !env.STORAGE_S3_BUCKET) problems.push('STORAGE_S3_BUCKET is not set');
  if (problems.length > 0) throw new EnvError(problems);
  return env;
}
