import '@remix-run/node';
import type { SignedInUser } from '#server/trpc/context.ts';
import type { AppRouter } from '#server/trpc/root.ts';

declare module '@remix-run/node' {
  interface AppLoadContext {
    /** Procedures as the caller of this request; errors are TRPCErrors with an AppError as their cause. */
    trpc: ReturnType<AppRouter['createCaller']>;
    cspNonce: string;
    user: SignedInUser | null;
    requestId: string;
    /** Logs an error that no route expected, with the request's id. */
    reportError(error: unknown): void;
  }

  interface Future {
    v3_singleFetch: true;
  }
}
