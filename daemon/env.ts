import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { MAX_KNOCK_LIMIT, MAX_LONG_POLL_MS, MIN_TOKEN_CHARACTERS } from './protocol.ts';

/** The daemon's configuration. This file is the only reader of `process.env` below `daemon/`. */

/** sysexits.h EX_CONFIG: a restart can't help, see RestartPreventExitStatus in the unit. */
export const EXIT_BAD_CONFIGURATION = 78;

export type DaemonEnv = {
  /** Scheme, host and port of the web process. */
  origin: string;
  token: string;
  workerId: string;
  generationLanes: number;
  heartbeatMs: number;
  knockLimit: number;
  longPollMs: number;
  generation: LaneSleeps;
  refunds: LaneSleeps;
  orders: LaneSleeps;
  invites: LaneSleeps;
  webhooks: LaneSleeps;
  retention: LaneSleeps;
  backoffBaseMs: number;
  backoffCapMs: number;
  /** How long a knock at work is given after the stop signal. */
  stopGraceMs: number;
  systemd: { notifySocket: string | undefined; watchdogMs: number | undefined };
};
type LaneSleeps = { busyMs: number; idleMs: number };

/** A configuration that can't work, in one line that names the fix and never holds the token. */
export class ConfigurationError extends Error {}

const integer = (low: number, high: number, preset: number) =>
  z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(low, `must be at least ${low}`)
    .max(high, `must be at most ${high}`)
    .default(preset);

const schema = z.object({
  SIDELANE_ORIGIN: z
    .string('is not set (the address of the web process, such as http://127.0.0.1:3000)')
    .transform((text, ctx) => {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      const isOrigin =
        url &&
        /^https?:$/.test(url.protocol) &&
        url.pathname === '/' &&
        !url.search &&
        !url.hash &&
        !url.username;
      if (isOrigin) return url.origin;
      ctx.addIssue({ code: 'custom', message: 'must be an http(s) origin such as http://127.0.0.1:3000' });
      return z.NEVER;
    }),
  WORKER_ID: z
    .string()
    .regex(/^[\w.:-]{1,100}$/, 'must have 1 to 100 letters, digits, dots, colons, dashes or underscores')
    .optional(),
  GENERATION_LANES: integer(1, 8, 2),
  HEARTBEAT_SECONDS: integer(1, 30, 15),
  KNOCK_LIMIT: integer(1, MAX_KNOCK_LIMIT, 100),
  LONG_POLL_MS: integer(0, MAX_LONG_POLL_MS, MAX_LONG_POLL_MS),
  GENERATION_BUSY_MS: integer(0, 60_000, 250),
  GENERATION_IDLE_MS: integer(250, 60_000, 2_000),
  REFUND_BUSY_MS: integer(0, 60_000, 1_000),
  REFUND_IDLE_MS: integer(250, 600_000, 10_000),
  ORDER_BUSY_MS: integer(0, 60_000, 1_000),
  ORDER_IDLE_MS: integer(250, 600_000, 10_000),
  INVITE_BUSY_MS: integer(0, 60_000, 1_000),
  INVITE_IDLE_MS: integer(250, 600_000, 10_000),
  WEBHOOK_BUSY_MS: integer(0, 60_000, 1_000),
  WEBHOOK_IDLE_MS: integer(250, 600_000, 10_000),
  RETENTION_BUSY_MS: integer(0, 60_000, 1_000),
  RETENTION_IDLE_MS: integer(250, 3_600_000, 60_000),
  BACKOFF_BASE_MS: integer(250, 60_000, 1_000),
  BACKOFF_CAP_MS: integer(250, 600_000, 60_000),
  STOP_GRACE_MS: integer(0, 60_000, 5_000),
});

/**
 * Reads and checks the environment; an empty string counts as not set.
 *
 * @throws ConfigurationError with one line that names every variable that is wrong
 */
export function readDaemonEnv(source: Record<string, string | undefined> = process.env): DaemonEnv {
  const filled = Object.fromEntries(Object.entries(source).filter(([, value]) => value?.trim()));
  const problems: string[] = [];
  const parsed = schema.safeParse(filled);
  if (!parsed.success)
    problems.push(...parsed.error.issues.map((issue) => `${String(issue.path[0])} ${issue.message}`));
  const token = readToken(filled, problems);
  if (!parsed.success || problems.length > 0)
    throw new ConfigurationError(`The daemon cannot start: ${problems.join('; ')}.`);

  const env = parsed.data;
  return {
    origin: env.SIDELANE_ORIGIN,
    token,
    workerId: env.WORKER_ID ?? makeWorkerId(),
    generationLanes: env.GENERATION_LANES,
    heartbeatMs: env.HEARTBEAT_SECONDS * 1_000,
    knockLimit: env.KNOCK_LIMIT,
    longPollMs: env.LONG_POLL_MS,
    generation: { busyMs: env.GENERATION_BUSY_MS, idleMs: env.GENERATION_IDLE_MS },
    refunds: { busyMs: env.REFUND_BUSY_MS, idleMs: env.REFUND_IDLE_MS },
    orders: { busyMs: env.ORDER_BUSY_MS, idleMs: env.ORDER_IDLE_MS },
    invites: { busyMs: env.INVITE_BUSY_MS, idleMs: env.INVITE_IDLE_MS },
    webhooks: { busyMs: env.WEBHOOK_BUSY_MS, idleMs: env.WEBHOOK_IDLE_MS },
    retention: { busyMs: env.RETENTION_BUSY_MS, idleMs: env.RETENTION_IDLE_MS },
    backoffBaseMs: env.BACKOFF_BASE_MS,
    backoffCapMs: env.BACKOFF_CAP_MS,
    stopGraceMs: env.STOP_GRACE_MS,
    systemd: { notifySocket: filled.NOTIFY_SOCKET, watchdogMs: watchdogMs(filled.WATCHDOG_USEC) },
  };
}

/** From the variable, else from the named file, else from the systemd credential `maintenance-token`. */
function readToken(source: Record<string, string | undefined>, problems: string[]): string {
  let name = 'MAINTENANCE_TOKEN';
  let token = source.MAINTENANCE_TOKEN;
  const credential = source.CREDENTIALS_DIRECTORY && join(source.CREDENTIALS_DIRECTORY, 'maintenance-token');
  const file = source.MAINTENANCE_TOKEN_FILE ?? credential;
  if (token === undefined && file !== undefined) {
    name = source.MAINTENANCE_TOKEN_FILE ? 'MAINTENANCE_TOKEN_FILE' : 'The credential maintenance-token';
    try {
      token = readFileSync(file, 'utf8');
    } catch (error) {
      problems.push(`${name} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
      return '';
    }
  }
  token = token?.trim();
  if (token === undefined) {
    problems.push(
      'MAINTENANCE_TOKEN is not set (the service token of the web process, or MAINTENANCE_TOKEN_FILE)',
    );
  } else if (token.length < MIN_TOKEN_CHARACTERS) {
    const fix = 'make one for daemon and web process: openssl rand -hex 32';
    problems.push(`${name} must have at least ${MIN_TOKEN_CHARACTERS} characters (${fix})`);
  } else if (!/^[\x21-\x7e]+$/.test(token)) {
    problems.push(`${name} must have visible ASCII characters only`);
  }
  return token ?? '';
}

/** One id per process: after a restart it is another daemon to the web process. */
function makeWorkerId(): string {
  const host = hostname()
    .replace(/[^\w.-]/g, '-')
    .slice(0, 60);
  return `${host}-${process.pid}-${crypto.randomUUID().slice(0, 8)}`;
}

function watchdogMs(usec: string | undefined): number | undefined {
  const value = Number(usec);
  return Number.isInteger(value) && value > 0 ? value / 1_000 : undefined;
}
