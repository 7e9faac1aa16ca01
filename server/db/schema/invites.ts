import { sql } from 'drizzle-orm';
import { check, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { createdAt, int8, leaseColumns, moment, primaryId } from './columns.ts';
import { orders } from './orders.ts';
import { users } from './users.ts';

/** One code per user, made when its page is first opened. */
export const inviteCodes = pgTable(
  'invite_codes',
  {
    userId: uuid('user_id')
      .primaryKey()
      .references(() => users.id, { onDelete: 'restrict' }),
    code: text('code').notNull(),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex('invite_codes_code_key').on(t.code)],
);

/** Who invited whom, bound once. `bound → qualified → rewarded → clawed_back`; refused where nothing is paid. */
export const invites = pgTable(
  'invites',
  {
    id: primaryId(),
    inviterId: uuid('inviter_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    inviteeId: uuid('invitee_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    status: text('status', { enum: ['bound', 'qualified', 'rewarded', 'refused', 'clawed_back'] })
      .notNull()
      .default('bound'),
    /** The invitee's first paid order. */
    orderId: uuid('order_id').references(() => orders.id, { onDelete: 'restrict' }),
    qualifiedAt: moment('qualified_at'),
    /** End of the cooling-off time, then of a back-off; set exactly while qualified. */
    dueAt: moment('due_at'),
    attempts: integer('attempts').notNull().default(0),
    lastError: text('last_error'),
    ...leaseColumns(),
    /** What was paid to each; 0 for the inviter past the monthly cap. */
    inviterCredits: int8('inviter_credits').notNull().default(0),
    inviteeCredits: int8('invitee_credits').notNull().default(0),
    rewardedAt: moment('rewarded_at'),
    endedAt: moment('ended_at'),
    /** Why it was refused, or paid to one only. */
    note: text('note'),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('invites_invitee_key').on(t.inviteeId),
    uniqueIndex('invites_order_key').on(t.orderId).where(sql`${t.orderId} is not null`),
    index('invites_inviter_idx').on(t.inviterId, t.id),
    index('invites_due_idx').on(t.dueAt, t.id).where(sql`${t.status} = 'qualified'`),
    check('invites_not_self', sql`${t.inviterId} <> ${t.inviteeId}`),
    check(
      'invites_status_known',
      sql`${t.status} in ('bound', 'qualified', 'rewarded', 'refused', 'clawed_back')`,
    ),
    check('invites_due', sql`(${t.status} = 'qualified') = (${t.dueAt} is not null)`),
    check('invites_credits', sql`${t.inviterCredits} >= 0 and ${t.inviteeCredits} >= 0`),
    check(
      'invites_rewarded',
      sql`(${t.status} in ('rewarded', 'clawed_back')) = (${t.rewardedAt} is not null)`,
    ),
  ],
);
