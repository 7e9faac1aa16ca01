import { sql } from 'drizzle-orm';
import { check, index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { createdAt, moment, primaryId } from './columns.ts';
import { users } from './users.ts';

/** What takes no new tasks at present: everything, or one kind. Accepted tasks go on. */
export const intakePauses = pgTable(
  'intake_pauses',
  {
    scope: text('scope', { enum: ['all', 'image', 'video', 'audio', 'text', 'agent', 'drama'] }).primaryKey(),
    /** Shown to users. */
    reason: text('reason').notNull(),
    pausedBy: uuid('paused_by').references(() => users.id, { onDelete: 'restrict' }),
    pausedAt: moment('paused_at').notNull().defaultNow(),
  },
  (t) => [
    check(
      'intake_pauses_scope_known',
      sql`${t.scope} in ('all', 'image', 'video', 'audio', 'text', 'agent', 'drama')`,
    ),
  ],
);

/** A sentence that users see at the top of each page for a while. */
export const announcements = pgTable(
  'announcements',
  {
    id: primaryId(),
    level: text('level', { enum: ['info', 'warning'] }).notNull(),
    /** By language tag; English is always there. */
    text: jsonb('text').$type<{ en: string; 'zh-CN'?: string }>().notNull(),
    startsAt: moment('starts_at').notNull(),
    /** Null: until it is withdrawn. */
    endsAt: moment('ends_at'),
    withdrawnAt: moment('withdrawn_at'),
    createdBy: uuid('created_by').references(() => users.id, { onDelete: 'restrict' }),
    createdAt: createdAt(),
  },
  (t) => [
    index('announcements_open_idx').on(t.startsAt).where(sql`${t.withdrawnAt} is null`),
    check('announcements_level_known', sql`${t.level} in ('info', 'warning')`),
    check('announcements_time', sql`${t.endsAt} is null or ${t.endsAt} > ${t.startsAt}`),
  ],
);

/** Policies that an administrator has set in place of the environment's; each key is described in code. */
export const settings = pgTable('settings', {
  key: text('key').primaryKey(),
  value: jsonb('value').notNull(),
  updatedBy: uuid('updated_by').references(() => users.id, { onDelete: 'restrict' }),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});
