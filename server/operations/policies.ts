import type { Config } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import {
  POLICY_KEYS,
  type PolicyGroup,
  type PolicyKey,
  type PolicyUnit,
  type PolicyValue,
} from './schemas.ts';

type Policy = {
  group: PolicyGroup;
  type: 'switch' | 'whole' | 'number';
  unit: PolicyUnit | null;
  /** The same as in env.ts; a test compares them. Null for a switch. */
  bounds: { min: number; max: number } | null;
  read(config: Config): PolicyValue;
  write(config: Config, value: never): Config;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

type Part = { read(config: Config): number; write(config: Config, value: number): Config };
type Figure = {
  group: PolicyGroup;
  unit: PolicyUnit;
  min: number;
  max: number;
  /** Milliseconds of one unit, for policies that the code counts in milliseconds. */
  unitMs?: number;
};

function figure(type: 'whole' | 'number', { group, unit, min, max, unitMs = 1 }: Figure, part: Part): Policy {
  return {
    group,
    type,
    unit,
    bounds: { min, max },
    read: (config) => part.read(config) / unitMs,
    write: (config, value) => part.write(config, value * unitMs),
  };
}

const whole = (limits: Figure, part: Part) => figure('whole', limits, part);
const number = (limits: Figure, part: Part) => figure('number', limits, part);

/** A number at the top of the configuration. */
const top = (
  name: keyof { [Key in keyof Config as Config[Key] extends number ? Key : never]: true },
): Part => ({
  read: (config) => config[name],
  write: (config, value) => ({ ...config, [name]: value }),
});
const retention = (name: keyof Config['retention']): Part => ({
  read: (config) => config.retention[name],
  write: (config, value) => ({ ...config, retention: { ...config.retention, [name]: value } }),
});
const invites = (name: keyof Config['invites']): Part => ({
  read: (config) => config.invites[name],
  write: (config, value) => ({ ...config, invites: { ...config.invites, [name]: value } }),
});
const perUser = (name: 'agentsPerUser' | 'dramasPerUser'): Part => ({
  read: (config) => config.composites[name],
  write: (config, value) => ({ ...config, composites: { ...config.composites, [name]: value } }),
});
const atOnce = (kind: 'image' | 'video' | 'audio'): Part => ({
  read: (config) => config.composites.childrenAtOnce[kind],
  write: (config, value) => ({
    ...config,
    composites: {
      ...config.composites,
      childrenAtOnce: { ...config.composites.childrenAtOnce, [kind]: value },
    },
  }),
});

/** What administrators may set while the product runs, and where use cases read it. */
export const POLICIES: Readonly<Record<PolicyKey, Policy>> = {
  USER_IN_FLIGHT: whole({ group: 'work', unit: 'tasks', min: 1, max: 10_000 }, top('userInFlight')),
  AGENTS_PER_USER: whole({ group: 'work', unit: 'tasks', min: 1, max: 100 }, perUser('agentsPerUser')),
  DRAMAS_PER_USER: whole({ group: 'work', unit: 'tasks', min: 1, max: 100 }, perUser('dramasPerUser')),
  COMPOSITE_IMAGES: whole({ group: 'work', unit: 'tasks', min: 1, max: 100 }, atOnce('image')),
  COMPOSITE_VIDEOS: whole({ group: 'work', unit: 'tasks', min: 1, max: 100 }, atOnce('video')),
  COMPOSITE_AUDIOS: whole({ group: 'work', unit: 'tasks', min: 1, max: 100 }, atOnce('audio')),

  UNCERTAIN_HOURS: number(
    { group: 'outcomes', unit: 'hours', min: 0.0001, max: 720, unitMs: HOUR_MS },
    top('uncertainMs'),
  ),
  LATE_WATCH_HOURS: number(
    { group: 'outcomes', unit: 'hours', min: 0, max: 168, unitMs: HOUR_MS },
    top('lateWatchMs'),
  ),
  GIVE_UP_HOURS: number(
    { group: 'outcomes', unit: 'hours', min: 0.001, max: 168, unitMs: HOUR_MS },
    top('giveUpMs'),
  ),

  REFUND_TRIES: whole({ group: 'money', unit: 'tries', min: 1, max: 100 }, top('refundTries')),
  ORDER_EXPIRY_MINUTES: whole(
    { group: 'money', unit: 'minutes', min: 1, max: 1_440, unitMs: MINUTE_MS },
    top('orderExpiryMs'),
  ),

  SIGN_UP_OPEN: {
    group: 'accounts',
    type: 'switch',
    unit: null,
    bounds: null,
    read: (config) => config.signUpOpen,
    write: (config, value: boolean) => ({ ...config, signUpOpen: value }),
  },
  SIGN_UP_CREDITS: whole(
    { group: 'accounts', unit: 'credits', min: 0, max: 1_000_000 },
    top('signUpCredits'),
  ),

  INVITE_INVITER_CREDITS: whole(
    { group: 'invites', unit: 'credits', min: 0, max: 1_000_000 },
    invites('inviterCredits'),
  ),
  INVITE_INVITEE_CREDITS: whole(
    { group: 'invites', unit: 'credits', min: 0, max: 1_000_000 },
    invites('inviteeCredits'),
  ),
  INVITE_COOLING_OFF_DAYS: number(
    { group: 'invites', unit: 'days', min: 0, max: 365, unitMs: DAY_MS },
    invites('coolingOffMs'),
  ),
  INVITE_MONTHLY_CAP: whole(
    { group: 'invites', unit: 'rewards', min: 0, max: 10_000 },
    invites('monthlyCap'),
  ),

  RETENTION_EVENT_DAYS: whole(
    { group: 'retention', unit: 'days', min: 1, max: 3_650 },
    retention('eventDays'),
  ),
  RETENTION_REQUEST_KEY_DAYS: whole(
    { group: 'retention', unit: 'days', min: 1, max: 3_650 },
    retention('requestKeyDays'),
  ),
  RETENTION_WORKER_DAYS: whole(
    { group: 'retention', unit: 'days', min: 1, max: 3_650 },
    retention('workerDays'),
  ),
  RETENTION_UPLOAD_HOURS: whole(
    { group: 'retention', unit: 'hours', min: 1, max: 8_760 },
    retention('uploadHours'),
  ),
};

/** Pages of Stripe live 24 hours at most, and outlive their order by half an hour. */
const MOST_STRIPE_MINUTES = 1_400;

/** The bounds of a policy here: some are narrower with what is set up. */
export function boundsOf(key: PolicyKey, payments: { name: string } | undefined): Policy['bounds'] {
  const { bounds } = POLICIES[key];
  if (!bounds || key !== 'ORDER_EXPIRY_MINUTES' || payments?.name !== 'stripe') return bounds;
  return { ...bounds, max: MOST_STRIPE_MINUTES };
}

/** Reads what an administrator typed. @throws AppError `bad_request` that names the bounds */
export function parsePolicyValue(key: PolicyKey, text: string, bounds: Policy['bounds']): PolicyValue {
  if (!bounds) {
    if (text === 'on' || text === 'off') return text === 'on';
    throw new AppError('bad_request', 'Choose on or off.', { field: 'value' });
  }
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || !fits(key, value, bounds)) {
    const what = POLICIES[key].type === 'whole' ? 'a whole number' : 'a number';
    throw new AppError('bad_request', `Enter ${what} from ${bounds.min} to ${bounds.max}.`, {
      field: 'value',
    });
  }
  return value;
}

function fits(key: PolicyKey, value: unknown, bounds = POLICIES[key].bounds): value is PolicyValue {
  if (!bounds) return typeof value === 'boolean';
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  if (POLICIES[key].type === 'whole' && !Number.isInteger(value)) return false;
  return value >= bounds.min && value <= bounds.max;
}

/** The environment's configuration with what administrators have set; a stored value that does not fit counts as not set. */
export function applyPolicies(environment: Config, stored: ReadonlyMap<string, unknown>): Config {
  return POLICY_KEYS.reduce((config, key) => {
    const value = stored.get(key);
    return fits(key, value) ? POLICIES[key].write(config, value as never) : config;
  }, environment);
}
