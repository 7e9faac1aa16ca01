import { z } from 'zod';

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

  /** Private hosts that the outbound guard lets through, `host:port`, comma-separated. Empty unless an upstream is one. */
  OUTBOUND_ALLOW_HOSTS: z
    .string()
    .default('')
    .transform((list) =>
      list
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean),
    ),

  LEASE_SECONDS: integer(2, 600, 30),
  DRAIN_SECONDS: integer(1, 3_600, 900),
  SLOTS_POLL: integer(1, 2_000, 256),
  SLOTS_CREATE: integer(1, 1_000, 64),
  SLOTS_TRANSFER: integer(1, 200, 8),
  USER_IN_FLIGHT: integer(1, 10_000, 20),
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
  if (env.STORAGE_DRIVER === 's3' && !env.STORAGE_S3_BUCKET) problems.push('STORAGE_S3_BUCKET is not set');
  if (problems.length > 0) throw new EnvError(problems);
  return env;
}
