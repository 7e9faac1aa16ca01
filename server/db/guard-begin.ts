import { setImmediate } from 'node:timers/promises';
import type postgres from 'postgres';

/**
 * A client whose transactions end with their connection. The driver itself (postgres 3.4.9; its issues 1133, 1154 and
 * 1208) goes on: it writes its ROLLBACK to a socket that is gone, which throws where nobody can catch it and ends the
 * process; and a statement that comes after the loss may run on the next connection, outside of any transaction.
 */
export function guardBegin(sql: postgres.Sql): postgres.Sql {
  const begin = (...args: unknown[]) => {
    const work = args.pop() as (tx: object) => unknown;
    let ended = false;
    const guarded = (tx: object) =>
      endWith(
        () => work(refuseWhen(tx, () => ended)),
        () => ended,
      );
    const done = (sql.begin as (...all: unknown[]) => Promise<unknown>)(...args, guarded);
    const end = () => {
      ended = true;
    };
    done.then(end, end);
    return done;
  };
  return new Proxy(sql, {
    get: (target, name) => (name === 'begin' ? begin : Reflect.get(target, name)),
  });
}

/**
 * The outcome of a transaction's or savepoint's work, unless the connection was lost: then it never settles. The
 * transaction is rejected already, and this alone keeps the driver from its COMMIT or ROLLBACK.
 */
async function endWith(work: () => unknown, ended: () => boolean): Promise<unknown> {
  let end: () => unknown;
  try {
    const value = await work();
    end = () => value;
  } catch (error) {
    end = () => {
      throw error;
    };
  }
  // The driver rejects the query first and then the transaction: one turn later both are known.
  await setImmediate();
  return ended() ? new Promise(() => {}) : end();
}

type Call = (...args: unknown[]) => unknown;

/** Refuses every statement of a transaction that has ended, savepoints included. */
function refuseWhen<T extends object>(tx: T, ended: () => boolean): T {
  const refuse = () => {
    if (!ended()) return;
    throw Object.assign(new Error('The connection of this transaction was closed'), {
      code: 'CONNECTION_CLOSED',
    });
  };
  return new Proxy(tx, {
    apply(target, self, args) {
      refuse();
      return Reflect.apply(target as unknown as Call, self, args);
    },
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const call = value as Call;
      if (name === 'savepoint') {
        return (...args: unknown[]) => {
          refuse();
          const work = args.pop() as (inner: object) => unknown;
          return Reflect.apply(call, target, [
            ...args,
            (inner: object) => endWith(() => work(refuseWhen(inner, ended)), ended),
          ]);
        };
      }
      if (name !== 'unsafe') return value;
      return (...args: unknown[]) => {
        refuse();
        return Reflect.apply(call, target, args);
      };
    },
  });
}
