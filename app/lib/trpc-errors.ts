import type { Submission, SubmissionResult } from '@conform-to/react';
import { redirect } from '@remix-run/node';
import { isRecord } from './is-record.ts';
import { loginPath } from './safe-redirect.ts';

/** What a procedure's error says to people: a status, one sentence, and the form field it belongs to. */
export type ErrorView = {
  status: number;
  /** The AppError code, or the tRPC code in lower case. */
  code: string;
  message: string;
  field: string | undefined;
  retryAfterSeconds: number | undefined;
  /** Messages by field, when the input did not match the procedure's schema. */
  fieldErrors: Record<string, string[]> | undefined;
};

/** tRPC codes that a procedure of ours can answer with. Any other is an error of ours: 500. */
const STATUS_BY_CODE: Record<string, number> = {
  BAD_REQUEST: 400,
  PARSE_ERROR: 400,
  UNAUTHORIZED: 401,
  PAYMENT_REQUIRED: 402,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNPROCESSABLE_CONTENT: 422,
  TOO_MANY_REQUESTS: 429,
  SERVICE_UNAVAILABLE: 503,
};

type Issue = { path: readonly PropertyKey[]; message: string };

/** Reads a TRPCError by its shape: the app imports only types of the server. Undefined for everything else. */
export function readTrpcError(error: unknown): ErrorView | undefined {
  if (!(error instanceof Error) || error.name !== 'TRPCError' || !('code' in error)) return undefined;
  const status = STATUS_BY_CODE[String(error.code)];
  if (status === undefined) return undefined;
  const cause: Record<string, unknown> = isRecord(error.cause) ? error.cause : {};

  if (Array.isArray(cause.issues)) {
    const fieldErrors = groupIssues(cause.issues as Issue[]);
    return {
      status,
      code: 'bad_request',
      message: Object.values(fieldErrors).flat().join(' '),
      field: undefined,
      retryAfterSeconds: undefined,
      fieldErrors,
    };
  }
  return {
    status,
    code: typeof cause.code === 'string' ? cause.code : String(error.code).toLowerCase(),
    message: error.message,
    field: typeof cause.field === 'string' ? cause.field : undefined,
    retryAfterSeconds: typeof cause.retryAfterSeconds === 'number' ? cause.retryAfterSeconds : undefined,
    fieldErrors: undefined,
  };
}

function groupIssues(issues: readonly Issue[]): Record<string, string[]> {
  const out: Record<string, string[]> = {};
  for (const issue of issues) {
    const key = issue.path.map(String).join('.');
    out[key] = [...(out[key] ?? []), issue.message];
  }
  return out;
}

/**
 * For loaders: waits for a procedure and turns its expected errors into answers of a page.
 *
 * @throws Response a redirect to sign in (and back), or the status with the sentence, for the error boundary
 */
export async function loadOrThrow<T>(request: Request, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw toResponse(error, request);
  }
}

/** The thrown thing for an error in a loader: a Response when it was expected, else the error itself. */
function toResponse(error: unknown, request: Request): unknown {
  const view = readTrpcError(error);
  if (!view) return error;
  if (view.status === 401) return redirect(loginPath(request.url));
  return new Response(view.message, {
    status: view.status,
    statusText: view.code,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  });
}

export type FormFailure = { status: number; reply: SubmissionResult<string[]> };

type FailedForm = {
  request: Request;
  submission: Pick<Submission<unknown, string[]>, 'reply'>;
  /** Fields of the form; an error that names another one is shown above it. */
  fields: readonly string[];
  /** Fields whose values never go back to the browser. */
  secrets: string[];
};

/**
 * For actions: the reply that shows a procedure's error in its form: beside the field that the error names, when the
 * form has it, else above the form.
 *
 * @throws Response when the session has ended, and everything that was not expected
 */
export function toFormFailure(
  error: unknown,
  { request, submission, fields, secrets }: FailedForm,
): FormFailure {
  const view = readTrpcError(error);
  if (!view) throw error;
  // A wrong password answers 401 too, but belongs to the sign-in form, which has no session to renew.
  if (view.status === 401 && !new URL(request.url).pathname.startsWith('/login'))
    throw redirect(loginPath(request.url));

  const formErrors: string[] = [];
  const fieldErrors: Record<string, string[]> = {};
  const add = (field: string | undefined, message: string) => {
    if (field !== undefined && fields.includes(field))
      fieldErrors[field] = [...(fieldErrors[field] ?? []), message];
    else formErrors.push(message);
  };
  if (view.fieldErrors) {
    for (const [field, messages] of Object.entries(view.fieldErrors)) {
      for (const message of messages) add(field.split('.')[0], message);
    }
  } else add(view.field, view.message);

  return { status: view.status, reply: submission.reply({ formErrors, fieldErrors, hideFields: secrets }) };
}
