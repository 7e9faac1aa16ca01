import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { guardBegin } from './guard-begin.ts';
import { renewedPool } from './renewed-pool.ts';
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
  /** Closes a connection that was idle for so many seconds; kept open unless told. */
  idleSeconds?: number;
};

/** Opens a pool. Nothing is connected before the first query; `close` waits at most 5 s for running ones. */
export function openDb(options: DbOptions): DbHandle {
  const open = (onclose: () => void) => {
    const client = postgres(options.url, {
      onclose,
      max: options.max,
      prepare: !options.pooled,
      connect_timeout: 10,
      ...(options.idleSeconds === undefined ? {} : { idle_timeout: options.idleSeconds }),
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
    // Drizzle sets in a client how JSON and moments go in and out. A pool that is made later needs it too: else JSON
    // is written as a string with JSON in it.
    drizzle(client);
    return client;
  };
  const { sql, close } = renewedPool(open);
  return { db: drizzle(guardBegin(sql), { schema }), sql, close };
}
