import type { SQL } from 'drizzle-orm';

/** Selects the rows that are wrong as (id, detail); none is right. */
export type Check = { name: string; query: SQL };
