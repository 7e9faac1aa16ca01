/**
 * `refused` token, `incompatible` protocol, `absent` procedure (an older web process), `unreachable` (no answer of
 * Sidelane at all), `failed` (it answered with an error).
 */
type FailureKind = 'refused' | 'incompatible' | 'absent' | 'unreachable' | 'failed';
export type Failure = { kind: FailureKind; message: string };

/** Says what went wrong in a knock, from the client's error: its `data` is there only when a procedure answered. */
export function classifyFailure(error: unknown): Failure {
  const data = dataOf(error);
  const message = error instanceof Error ? error.message : String(error);
  if (data?.httpStatus === 401 || data?.httpStatus === 403) return { kind: 'refused', message };
  if (data?.httpStatus === 409) return { kind: 'incompatible', message };
  if (data?.httpStatus === 404) return { kind: 'absent', message };
  if (data !== undefined) return { kind: 'failed', message };
  return { kind: 'unreachable', message: reasonOf(error) };
}

function dataOf(error: unknown): { httpStatus?: unknown } | undefined {
  const data = typeof error === 'object' && error !== null && 'data' in error ? error.data : undefined;
  return typeof data === 'object' && data !== null ? data : undefined;
}

/** The innermost cause says most: `ECONNREFUSED` instead of "fetch failed". */
function reasonOf(error: unknown): string {
  let current: unknown = error;
  let reason = String(error);
  for (let depth = 0; depth < 6 && current instanceof Error; depth += 1) {
    const code = (current as Error & { code?: unknown }).code;
    reason = typeof code === 'string' ? code : current.message || reason;
    // Both address families were tried: the first reason stands for both.
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return reason;
}
