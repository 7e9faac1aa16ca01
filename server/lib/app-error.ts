/**
 * Every expected failure of the product. The code decides the HTTP status and the tRPC code; the message is shown to
 * the caller, so it says what is wrong and what to do, and never carries a secret, a stack or an internal address.
 */
export const APP_ERROR_CODES = {
  bad_request: { http: 400, trpc: 'BAD_REQUEST' },
  unauthorized: { http: 401, trpc: 'UNAUTHORIZED' },
  insufficient_credits: { http: 402, trpc: 'PAYMENT_REQUIRED' },
  forbidden: { http: 403, trpc: 'FORBIDDEN' },
  not_found: { http: 404, trpc: 'NOT_FOUND' },
  conflict: { http: 409, trpc: 'CONFLICT' },
  payload_too_large: { http: 413, trpc: 'PAYLOAD_TOO_LARGE' },
  unprocessable: { http: 422, trpc: 'UNPROCESSABLE_CONTENT' },
  too_many_requests: { http: 429, trpc: 'TOO_MANY_REQUESTS' },
  internal: { http: 500, trpc: 'INTERNAL_SERVER_ERROR' },
  unavailable: { http: 503, trpc: 'SERVICE_UNAVAILABLE' },
} as const;

export type AppErrorCode = keyof typeof APP_ERROR_CODES;

export type AppErrorOptions = {
  /** Name of the form field that the message belongs to. */
  field?: string;
  /** Seconds after which the caller may try again (`Retry-After`). */
  retryAfterSeconds?: number;
  cause?: unknown;
};

export class AppError extends Error {
  readonly code: AppErrorCode;
  readonly field: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: AppErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.field = options.field;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get httpStatus(): number {
    return APP_ERROR_CODES[this.code].http;
  }
}
