import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import * as schema from './schema/index.ts';

export type Db = PostgresJsDatabase<typeof schema>;
export type Tx = Parameters<Parameters<Db['transaction']>[0]>[0];
export type DbOrTx = Db | Tx;

export type DbHandle = {
  db: Db;
  /** The driver itself, for LISTEN and health checks. */
  sql: postgres.Sql;
  close(): Promise<void>;
};

export type DbOptions = {
  url: string;
  /** Connections at most. */
  max: number;
  /** Behind a transaction-mode pooler: no prepared statements, no LISTEN, time-outs come from role settings. */
  pooled?: boolean;
  /** `statement_timeout` and `idle_in_transaction_session_timeout`, in milliseconds. */
  statementTimeoutMs?: number;
  idleInTransactionTimeoutMs?: number;
  applicationName?: string;
};

/** Opens a pool. Nothing is connected before the first query; `close` waits at most 5 s for running ones. */
export function openDb(options: DbOptions): DbHandle {
  const sql = postgres(options.url, {
    max: options.max,
    prepare: !options.pooled,
    connect_timeout: 10,
    // By default up to 20 s between tries, and every request waits for the next one before it can be answered.
    backoff: (tries: number) => Math.min(0.05 * 2 ** tries, 1),
    onnotice: () => {},
    connection: {
      application_name: options.applicationName ?? 'sidelane',
      ...(options.pooled
        ? {}
        : {
            statement_timeout: options.statementTimeoutMs ?? 30_000,
            idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? 15_000,
          }),
    },
  });
  return { db: drizzle(sql, { schema }), sql, close: () => sql.end({ timeout: 5 }) };
}
