/**
 * Named places where a test may stop the process or throw. The production build defines
 * `__SIDELANE_CRASH_POINTS__` as `false`, so the bundler drops the body and every name with it.
 */
export type CrashPointName =
  | 'submit.after-task'
  | 'hold.after-entry'
  | 'hold.after-guard'
  | 'submit.after-hold'
  | 'submit.before-commit'
  | 'draw.after-budget'
  | 'draw.after-return'
  | 'child.after-wake'
  | 'child.after-step'
  | 'child.after-task'
  | 'child.before-commit'
  | 'child.after-commit'
  | 'composite.before-step'
  | 'composite.after-record'
  | 'composite.after-action'
  | 'composite.after-settle'
  | 'composite.after-commit'
  | 'compose.before'
  | 'compose.after-film'
  | 'compose.after-store'
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
  | 'settle.after-status'
  | 'capture.after-close'
  | 'capture.after-entry'
  | 'settle.before-commit'
  | 'settle.after-commit'
  | 'fail.after-status'
  | 'refund.after-hold'
  | 'fail.before-commit'
  | 'fail.after-commit'
  | 'cancel.after-status'
  | 'cancel.after-commit'
  | 'refund.after-claim'
  | 'refund.after-settle'
  | 'refund.after-close'
  | 'refund.after-entry'
  | 'refund.before-commit'
  | 'refund.after-commit'
  | 'close.before-row'
  | 'close.before-commit'
  | 'close.after-commit'
  | 'close.after-cancel'
  | 'retention.after-file'
  | 'erase.after-files'
  | 'redeem.before-commit'
  | 'invite.order.before-seen'
  | 'invite.order.before-commit'
  | 'invite.between-clawbacks'
  | 'invite.after-claim'
  | 'invite.after-look'
  | 'invite.between-rewards'
  | 'invite.before-commit'
  | 'invite.after-commit'
  | 'payment-event.after-insert'
  | 'payment-event.before-commit'
  | 'payment-event.after-commit'
  | 'payment-refund.after-claim'
  | 'payment-refund.after-call'
  | 'payment-refund.before-commit'
  | 'payment-refund.after-commit'
  | 'delivery.after-send'
  | 'delivery.after-row'
  | 'order-expiry.before-commit'
  | 'order-expiry.after-commit'
  | 'credit-expiry.before-commit'
  | 'credit-expiry.after-commit';

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
