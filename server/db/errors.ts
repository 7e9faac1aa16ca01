/** The driver's error below Drizzle's wrapper, with its SQLSTATE, or undefined. */
function sqlStateOf(error: unknown): { code: string; constraint: string | undefined } | undefined {
  let current: unknown = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    const candidate = current as Error & { code?: unknown; constraint_name?: unknown };
    if (typeof candidate.code === 'string' && /^[0-9A-Z]{5}$/.test(candidate.code)) {
      return {
        code: candidate.code,
        constraint: typeof candidate.constraint_name === 'string' ? candidate.constraint_name : undefined,
      };
    }
    current = current.cause;
  }
  return undefined;
}

/** True for a violation of the named unique constraint or index (any, when no name is given). */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const state = sqlStateOf(error);
  return state?.code === '23505' && (constraint === undefined || state.constraint === constraint);
}

/** True when a table, column or schema that the code expects is not there: migrations have not run. */
export function isSchemaMissing(error: unknown): boolean {
  const code = sqlStateOf(error)?.code;
  return code === '42P01' || code === '42703' || code === '3F000' || code === '42883';
}
