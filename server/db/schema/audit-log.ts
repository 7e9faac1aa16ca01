import { index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment, primaryId } from './columns.ts';
import { users } from './users.ts';

/** What administrators did, and why. Append-only (trigger); never holds a secret. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: primaryId(),
    at: moment('at').notNull().defaultNow(),
    /** Null: the command line. */
    actorId: uuid('actor_id').references(() => users.id, { onDelete: 'restrict' }),
    /** `channel.reveal_key`, `task.resolve` … */
    action: text('action').notNull(),
    subject: text('subject').notNull(),
    subjectId: text('subject_id').notNull(),
    reason: text('reason'),
    data: jsonb('data'),
  },
  (t) => [
    index('audit_log_subject_idx').on(t.subject, t.subjectId, t.id),
    // One for each filter of its page, in the page's order.
    index('audit_log_actor_idx').on(t.actorId, t.id),
    index('audit_log_action_idx').on(t.action, t.id),
    index('audit_log_subject_kind_idx').on(t.subject, t.id),
    index('audit_log_subject_id_idx').on(t.subjectId, t.id),
  ],
);
