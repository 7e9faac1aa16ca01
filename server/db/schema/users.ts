import { sql } from 'drizzle-orm';
import { check, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { createdAt, int8, moment, primaryId } from './columns.ts';

/** People. Never deleted while a task or ledger row names them (restrict); closing an account sets `disabled_at`. */
export const users = pgTable(
  'users',
  {
    id: primaryId(),
    /** Trimmed and lower-cased before it gets here. */
    email: text('email').notNull(),
    displayName: text('display_name').notNull(),
    passwordHash: text('password_hash').notNull(),
    role: text('role', { enum: ['user', 'admin'] })
      .notNull()
      .default('user'),
    disabledAt: moment('disabled_at'),
    /** The person closed the account: name and address are gone, the money history stays. */
    deletedAt: moment('deleted_at'),
    /** Nothing of what the person of a closed account wrote or made is left. */
    erasedAt: moment('erased_at'),
    /** Outputs are removed so many days after their task ended; null: kept. */
    outputRetentionDays: integer('output_retention_days'),
    /** Language of pages; null: what the browser asks for. */
    language: text('language', { enum: ['en', 'zh-CN'] }),
    /** IANA name for moments on pages; null: the browser's. */
    timeZone: text('time_zone'),
    /** Limits of this person in place of the general ones; null: the general ones. */
    inFlightLimit: integer('in_flight_limit'),
    dayCreditsLimit: int8('day_credits_limit'),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('users_email_key').on(t.email),
    index('users_to_erase_idx').on(t.id).where(sql`${t.deletedAt} is not null and ${t.erasedAt} is null`),
    index('users_output_retention_idx').on(t.id).where(sql`${t.outputRetentionDays} is not null`),
    check('users_email_normalised', sql`${t.email} = lower(btrim(${t.email})) and ${t.email} <> ''`),
    check('users_output_retention', sql`${t.outputRetentionDays} between 1 and 3650`),
    check('users_erased_is_deleted', sql`${t.erasedAt} is null or ${t.deletedAt} is not null`),
    check('users_deleted_is_disabled', sql`${t.deletedAt} is null or ${t.disabledAt} is not null`),
    check('users_language_known', sql`${t.language} in ('en', 'zh-CN')`),
    check('users_in_flight_limit', sql`${t.inFlightLimit} between 0 and 100000`),
    check('users_day_credits_limit', sql`${t.dayCreditsLimit} >= 0`),
    check('users_role_known', sql`${t.role} in ('user', 'admin')`),
  ],
);

/** Browser sessions. The id is the SHA-256 of the cookie's value, so a read of this table opens no session. */
export const sessions = pgTable(
  'sessions',
  {
    id: text('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    expiresAt: moment('expires_at').notNull(),
    createdAt: createdAt(),
    userAgent: text('user_agent'),
  },
  (t) => [index('sessions_user_idx').on(t.userId), index('sessions_expiry_idx').on(t.expiresAt)],
);

/** Tokens of other services. Only the SHA-256 of the secret is kept; `prefix` is what the owner recognises it by. */
export const apiTokens = pgTable(
  'api_tokens',
  {
    id: primaryId(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    name: text('name').notNull(),
    prefix: text('prefix').notNull(),
    tokenHash: text('token_hash').notNull(),
    scopes: text('scopes').array().notNull(),
    createdAt: createdAt(),
    lastUsedAt: moment('last_used_at'),
    revokedAt: moment('revoked_at'),
  },
  (t) => [
    uniqueIndex('api_tokens_hash_key').on(t.tokenHash),
    index('api_tokens_user_idx').on(t.userId),
    check(
      'api_tokens_scopes_known',
      sql`${t.scopes} <@ array['read', 'submit', 'cancel'] and cardinality(${t.scopes}) > 0`,
    ),
  ],
);

/** Counters of the named rate limits, shared by all replicas (layout given by rate-limiter-flexible). */
export const rateLimits = pgTable('rate_limits', {
  key: text('key').primaryKey(),
  points: integer('points').notNull(),
  expire: moment('expire'),
});
