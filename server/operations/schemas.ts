import { z } from 'zod';
import { calendarDay } from '#server/lib/schemas.ts';

/** Compared with package.json by a test. */
export const APP_VERSION = '0.1.0';

/** What can be closed to new tasks: everything, or one kind. */
export const PAUSE_SCOPES = ['all', 'image', 'video', 'audio', 'text', 'agent', 'drama'] as const;
export type PauseScope = (typeof PAUSE_SCOPES)[number];

export const ANNOUNCEMENT_LEVELS = ['info', 'warning'] as const;
type AnnouncementLevel = (typeof ANNOUNCEMENT_LEVELS)[number];
/** By language tag; English is always there. */
type AnnouncementText = { en: string; 'zh-CN'?: string };

/** What every page shows at its top. */
export type Banner = {
  announcements: { id: string; level: AnnouncementLevel; text: AnnouncementText }[];
  pauses: { scope: PauseScope; reason: string; pausedAt: Date }[];
};

const reason = z
  .string('Say why; users read it.')
  .trim()
  .min(3, 'Say why in a few words; users read it.')
  .max(300, 'At most 300 characters.');

const scope = z.enum(PAUSE_SCOPES, 'Choose what to pause.');

export const pauseInput = z.object({ scope, reason });
export const resumeInput = z.object({ scope });

export type PauseView = {
  scope: PauseScope;
  reason: string;
  pausedAt: Date;
  /** Null: the command line. */
  pausedByEmail: string | null;
};

const announcementText = z.string().trim().max(500, 'At most 500 characters.');

export const announceInput = z
  .object({
    /** Sent twice, it is one announcement. */
    key: z.uuid().optional(),
    level: z.enum(ANNOUNCEMENT_LEVELS).default('info'),
    en: announcementText.min(3, 'Write at least a few words.'),
    zhCn: announcementText.optional(),
    /** Not given: at once. */
    startsAt: z.date('Enter a date and a time.').optional(),
    /** Not given: until it is withdrawn. */
    endsAt: z.date('Enter a date and a time.').optional(),
  })
  .refine(({ startsAt, endsAt }) => !startsAt || !endsAt || endsAt > startsAt, {
    path: ['endsAt'],
    message: 'It must end after it starts.',
  });

export const announcementIdInput = z.object({ announcementId: z.uuid() });

const page = {
  cursor: z.uuid().optional(),
  limit: z.number().int().min(1).max(100).default(30),
};

export const announcementsInput = z.object(page);

export type AnnouncementView = {
  id: string;
  level: AnnouncementLevel;
  text: AnnouncementText;
  startsAt: Date;
  endsAt: Date | null;
  withdrawnAt: Date | null;
  createdByEmail: string | null;
  state: 'planned' | 'shown' | 'over' | 'withdrawn';
};

export const POLICY_GROUPS = ['work', 'outcomes', 'money', 'accounts', 'invites', 'retention'] as const;
export type PolicyGroup = (typeof POLICY_GROUPS)[number];

/** Named after the environment's variables, whose place they take. */
export const POLICY_KEYS = [
  'USER_IN_FLIGHT',
  'AGENTS_PER_USER',
  'DRAMAS_PER_USER',
  'COMPOSITE_IMAGES',
  'COMPOSITE_VIDEOS',
  'COMPOSITE_AUDIOS',
  'UNCERTAIN_HOURS',
  'LATE_WATCH_HOURS',
  'GIVE_UP_HOURS',
  'REFUND_TRIES',
  'ORDER_EXPIRY_MINUTES',
  'SIGN_UP_OPEN',
  'SIGN_UP_CREDITS',
  'INVITE_INVITER_CREDITS',
  'INVITE_INVITEE_CREDITS',
  'INVITE_COOLING_OFF_DAYS',
  'INVITE_MONTHLY_CAP',
  'RETENTION_EVENT_DAYS',
  'RETENTION_REQUEST_KEY_DAYS',
  'RETENTION_WORKER_DAYS',
  'RETENTION_UPLOAD_HOURS',
] as const;
export type PolicyKey = (typeof POLICY_KEYS)[number];

export type PolicyUnit = 'tasks' | 'hours' | 'minutes' | 'days' | 'tries' | 'credits' | 'rewards';
export type PolicyValue = number | boolean;

export type PolicyView = {
  key: PolicyKey;
  group: PolicyGroup;
  /** What a value is: a switch, a whole number, or any number between the bounds. */
  type: 'switch' | 'whole' | 'number';
  unit: PolicyUnit | null;
  bounds: { min: number; max: number } | null;
  /** What holds now. */
  value: PolicyValue;
  /** What the environment says, and what a reset leads back to. */
  environment: PolicyValue;
  /** Null: nobody has set it. */
  setAt: Date | null;
  setByEmail: string | null;
};

const policyKey = z.enum(POLICY_KEYS, 'There is no such policy.');

/** A number in figures, or `on` and `off`. */
export const setPolicyInput = z.object({
  key: policyKey,
  value: z.string('Enter a value.').trim().max(40, 'Enter a value.'),
});
export const resetPolicyInput = z.object({ key: policyKey });

const day = calendarDay('Enter a date.').optional();

export const AUDIT_SORTS = ['newest', 'oldest'] as const;

export const auditLogInput = z.object({
  /** E-mail (or a part of it) or id of who did it. */
  actor: z.string().trim().max(320).optional(),
  /** `channel` for all that was done to channels, `channel.update` for one action. */
  action: z.string().trim().max(60).optional(),
  subjectId: z.string().trim().max(200).optional(),
  /** First and last day, in UTC. */
  from: day,
  to: day,
  sort: z.enum(AUDIT_SORTS).default('newest'),
  ...page,
});
export type AuditLogInput = z.output<typeof auditLogInput>;

export type AuditEntryView = {
  id: string;
  at: Date;
  actorId: string | null;
  actorEmail: string | null;
  action: string;
  subject: string;
  subjectId: string;
  reason: string | null;
  data: unknown;
};

/** One variable of the environment, as it may be shown. */
export type EnvironmentFact = {
  name: string;
  from: 'environment' | 'default';
  /** Null: a secret, or not set. */
  value: string | null;
  secret: boolean;
};

/** A doubtful part of the configuration; the page has a sentence for each. */
export const SYSTEM_WARNINGS = [
  'plain_http',
  'no_origin',
  'no_maintenance_token',
  'same_host_files',
  'proxy_not_trusted',
  'private_hosts',
  'sandbox_payments',
  'no_media_tools',
  'pending_migrations',
] as const;
export type SystemWarning = (typeof SYSTEM_WARNINGS)[number];

export type SystemView = {
  appVersion: string;
  nodeVersion: string;
  postgresVersion: string;
  protocol: { current: number; oldest: number };
  migrations: { known: number; pending: string[] };
  storage: { driver: 'fs' | 's3'; answers: boolean };
  /** Path of each program; null when there is none that works. */
  mediaTools: { ffmpeg: string | null; ffprobe: string | null };
  payments: { name: string; test: boolean } | null;
  environment: EnvironmentFact[];
  warnings: SystemWarning[];
};
