import { AppError } from './app-error.ts';

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
]);

/** SQLSTATEs of a server that is gone, starting, stopping or full (classes 08 and 57P, 53300). */
const SQLSTATE = /^(08...|57P0[1-3]|53300)$/;
const MISSING_SCHEMA = /^(42P01|42703|3F000|42883)$/;

/** Codes of an error and its causes, outermost first. */
function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < 6 && current instanceof Error; depth += 1) {
    // A bucket may be unreachable too; that is the store's news, not the database's.
    if (current.name === 'StorageError') return [];
    const code = (current as Error & { code?: unknown }).code;
    if (typeof code === 'string') codes.push(code);
    current = current.cause;
  }
  return codes;
}

/** True when the database could not be reached, or hung up. Nothing is said about whether a commit got through. */
export function isDatabaseUnreachable(error: unknown): boolean {
  return codesOf(error).some((code) => NETWORK_CODES.has(code) || SQLSTATE.test(code));
}

/** The sentence for callers when the database is the reason, else undefined. */
export function databaseFault(error: unknown): AppError | undefined {
  if (isDatabaseUnreachable(error)) {
    return new AppError(
      'unavailable',
      'The database does not answer. Accepted work is safe; try again in a moment.',
      {
        retryAfterSeconds: 5,
        cause: error,
      },
    );
  }
  if (codesOf(error).some((code) => MISSING_SCHEMA.test(code))) {
    return new AppError(
      'unavailable',
      'The database is not migrated. An operator has to run: npm run db:migrate',
      {
        retryAfterSeconds: 30,
        cause: error,
      },
    );
  }
  return undefined;
}
