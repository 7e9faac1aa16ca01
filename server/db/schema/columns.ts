import { bigint, timestamp, uuid } from 'drizzle-orm/pg-core';
import { newId } from '#server/lib/ids.ts';

/** UUIDv7 primary key made by the application. */
export const primaryId = () => uuid('id').primaryKey().$defaultFn(newId);

/** timestamptz as a Date. Every moment in the database carries its zone. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });

export const createdAt = () => moment('created_at').notNull().defaultNow();

/** Integer credits, or any counter that may pass 2^31. Bounds far below 2^53 keep JavaScript numbers exact. */
export const int8 = (name: string) => bigint(name, { mode: 'number' });

/** A lease: who works on the row until when, and the fencing token that grows by one at each claim. */
export const leaseColumns = () => ({
  leaseUntil: moment('lease_until'),
  leaseToken: int8('lease_token').notNull().default(0),
  leasedBy: uuid('leased_by'),
});
