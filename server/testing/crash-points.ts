/**
 * Named places where a test may stop the process or throw. The production build defines
 * `__SIDELANE_CRASH_POINTS__` as `false`, so the bundler drops the body and every name with it.
 */
export type CrashPointName =
  | 'submit.before-commit'
  | 'claim.after'
  | 'dispatch.after-intent'
  | 'dispatch.before-sent'
  | 'dispatch.after-sent'
  | 'dispatch.after-create'
  | 'dispatch.after-evidence'
  | 'dispatch.after-transition'
  | 'poll.before'
  | 'poll.after'
  | 'poll.after-transition'
  | 'archive.before'
  | 'archive.after-store'
  | 'archive.after-record'
  | 'settle.before-commit'
  | 'settle.after-commit'
  | 'fail.before-commit'
  | 'fail.after-commit'
  | 'refund.after-claim'
  | 'refund.before-commit'
  | 'refund.after-commit';

type Handler = (name: CrashPointName) => void | Promise<void>;

declare global {
  var __SIDELANE_CRASH_POINTS__: boolean | undefined;
  /** Set by `crash-preload.mjs` in a process that is to be killed at a point. */
  var __SIDELANE_CRASH_HANDLER__: Handler | undefined;
}

let handler: Handler | undefined;

/** Installs (or, with undefined, removes) what happens at crash points. Tests only. */
export function setCrashHandler(next: Handler | undefined): void {
  handler = next;
}

/** Does nothing unless a test installed a handler. */
export async function crashPoint(name: CrashPointName): Promise<void> {
  if (!globalThis.__SIDELANE_CRASH_POINTS__) return;
  await (handler ?? globalThis.__SIDELANE_CRASH_HANDLER__)?.(name);
}
