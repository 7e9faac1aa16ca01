import { initTRPC, TRPCError } from '@trpc/server';
import superjson from 'superjson';
import { ZodError } from 'zod';
import { APP_ERROR_CODES, AppError } from '#server/lib/app-error.ts';
import { databaseFault } from '#server/lib/database-fault.ts';
import { isStorableValue } from '#server/lib/storable.ts';
import type { Context, Scope } from './context.ts';

/** `scope`: what an API token must hold; procedures without one are for browser sessions only. */
export type Meta = { audience?: 'public' | 'user' | 'admin' | 'maintenance'; scope?: Scope };

const OUR_FAULT = 'Something went wrong on our side. Nothing was charged twice; try again.';

/** Plain sentences for what the transport refuses before a procedure runs. */
const TRANSPORT_MESSAGES: Partial<Record<string, string>> = {
  PARSE_ERROR: 'The request body is not valid JSON.',
  PAYLOAD_TOO_LARGE: 'The request body is too large: 1 MB at most. Upload files through /files/uploads.',
  UNSUPPORTED_MEDIA_TYPE: 'Send the body as application/json.',
};

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    transformer: superjson,
    sse: { ping: { enabled: true, intervalMs: 15_000 }, client: { reconnectAfterInactivityMs: 40_000 } },
    errorFormatter({ shape, error }) {
      const cause = error.cause;
      const issues = cause instanceof ZodError ? cause.issues : undefined;
      return {
        message: issues ? issues.map(describeIssue).join(' ') : messageFor(error, shape.message),
        code: shape.code,
        data: {
          code: shape.data.code,
          httpStatus: shape.data.httpStatus,
          path: shape.data.path,
          appCode: cause instanceof AppError ? cause.code : undefined,
          field: cause instanceof AppError ? cause.field : undefined,
          retryAfterSeconds: cause instanceof AppError ? cause.retryAfterSeconds : undefined,
          fieldErrors: issues ? fieldErrors(issues) : undefined,
        },
      };
    },
  });

function messageFor({ code, cause }: TRPCError, otherwise: string): string {
  if (cause instanceof AppError) return cause.message;
  if (code === 'INTERNAL_SERVER_ERROR') return OUR_FAULT;
  // The transport reads the body when the input is asked for, and reports what JSON.parse threw.
  const transport = cause instanceof SyntaxError ? 'PARSE_ERROR' : code;
  return TRANSPORT_MESSAGES[transport] ?? otherwise;
}

type Issue = ZodError['issues'][number];

function describeIssue(issue: Issue): string {
  const path = issue.path.join('.');
  return path ? `${path}: ${issue.message}` : issue.message;
}

function fieldErrors(issues: readonly Issue[]): Record<string, string[]> {
  const out: Record<string, string[]> = {};
  for (const issue of issues) {
    const key = issue.path.join('.') || 'form';
    out[key] = [...(out[key] ?? []), issue.message];
  }
  return out;
}

export const router = t.router;
export const createCallerFactory = t.createCallerFactory;

/** The tRPC form of an {@link AppError}. */
export function toTrpcError(error: AppError): TRPCError {
  return new TRPCError({ code: APP_ERROR_CODES[error.code].trpc, message: error.message, cause: error });
}

/**
 * Turns every failure into an {@link AppError} and that into the tRPC code it stands for; every builder below starts
 * from it. Pages call procedures without the HTTP formatter, so nothing internal may be in the message.
 */
const appErrors = t.middleware(async ({ next }) => {
  const result = await next();
  if (result.ok) return result;
  const { cause, code } = result.error;
  if (cause instanceof AppError) throw toTrpcError(cause);
  if (code !== 'INTERNAL_SERVER_ERROR') return result;
  throw toTrpcError(
    databaseFault(cause) ?? new AppError('internal', OUR_FAULT, { cause: cause ?? result.error }),
  );
});

/**
 * Refuses what no column can hold (NUL, half of a character) before anything is looked up, wherever it stands in an
 * input: forms and services may send it, and PostgreSQL would answer each with an error of its own.
 */
const storableInput = t.middleware(async ({ getRawInput, next }) => {
  if (!isStorableValue(await getRawInput())) {
    throw new AppError('bad_request', 'This has characters that are not text. Type it anew.');
  }
  return next();
});

const base = t.procedure.use(appErrors).use(storableInput);

/** Anyone, signed in or not. */
export const publicProcedure = base.meta({ audience: 'public' });

/**
 * A signed-in person, or an API token that holds the scope named in the procedure's meta. Calls of a token are limited
 * per token, submits per user, whichever way they come.
 */
export const userProcedure = base.meta({ audience: 'user' }).use(async ({ ctx, meta, next }) => {
  const { identity } = ctx;
  if (identity.type === 'session') {
    if (meta?.scope === 'submit') await ctx.limits?.consume('submit', identity.user.id);
    return next({ ctx: { user: identity.user, sessionId: identity.sessionId } });
  }
  if (identity.type === 'api-token') {
    if (!meta?.scope) throw new AppError('forbidden', 'This is for signed-in people, not for API tokens.');
    if (!identity.scopes.includes(meta.scope)) {
      throw new AppError(
        'forbidden',
        `This token lacks the scope "${meta.scope}". Make one that has it in Settings.`,
      );
    }
    await ctx.limits?.consume('api', identity.tokenId);
    if (meta.scope === 'submit') await ctx.limits?.consume('submit', identity.user.id);
    return next({ ctx: { user: identity.user, sessionId: undefined } });
  }
  const reason = identity.type === 'anonymous' ? identity.reason : undefined;
  throw new AppError(
    'unauthorized',
    reason ?? 'Sign in, or send a valid API token as Authorization: Bearer …',
  );
});

/** A signed-in administrator. API tokens never reach it. Others get the same answer as for an unknown path. */
export const adminProcedure = base.meta({ audience: 'admin' }).use(({ ctx, next }) => {
  const { identity } = ctx;
  if (identity.type === 'session' && identity.user.role === 'admin') {
    return next({ ctx: { user: identity.user, sessionId: identity.sessionId } });
  }
  if (identity.type === 'anonymous') {
    throw new AppError('unauthorized', identity.reason ?? 'Sign in as an administrator.');
  }
  throw new AppError('not_found', 'There is no such page.');
});

/** The daemon, by its service token. */
export const maintenanceProcedure = base.meta({ audience: 'maintenance' }).use(({ ctx, next }) => {
  if (ctx.identity.type !== 'service') throw new AppError('unauthorized', 'A valid service token is needed.');
  return next({ ctx: { workerId: ctx.identity.workerId, protocol: ctx.identity.protocol } });
});
