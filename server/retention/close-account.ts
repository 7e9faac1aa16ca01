import { hashPassword, verifyPassword } from '#server/auth/password.ts';
import { newSecret } from '#server/auth/secrets.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { describeError } from '#server/lib/describe-error.ts';
import type { RateLimits } from '#server/lib/rate-limit.ts';
import { endCheckout } from '#server/orders/end-checkout.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import {
  closeUserRow,
  deleteAccess,
  findForClosing,
  lockAdministrators,
  lockForClosing,
} from './closing-queries.ts';
import { cancelOrdersOf } from './end-closed-orders.ts';
import { endClosedTasks } from './end-closed-tasks.ts';

/** The rest is left to the retention lane. */
const TASKS_AT_ONCE = 50;

/**
 * Closes an account for good: name, address, sessions and tokens go in one transaction, and orders that were not paid
 * end with it. Tasks are asked to end afterwards, one by one; whatever interrupts that, the retention lane goes on with
 * it, and erases prompts and files once a task has ended and its money is settled. The money's history stays.
 *
 * @throws AppError `bad_request` for a wrong password, `conflict` for the last administrator, `too_many_requests`
 */
export async function closeAccount(
  deps: Deps,
  input: { userId: string; password: string; limits: RateLimits | undefined },
): Promise<void> {
  const { userId, limits } = input;
  // A stolen session must not be a way to guess the password.
  await limits?.consume('sign-in-pair', `close ${userId}`);
  const user = await findForClosing(deps.db, userId);
  const right = await verifyPassword(user?.passwordHash, input.password);
  if (!user || !right) throw new AppError('bad_request', 'The password is wrong.', { field: 'password' });

  const nobodysPassword = await hashPassword(newSecret());
  const cancelled = await deps.db.transaction(async (tx) => {
    // All administrators before the own row: two that leave at once would wait for each other.
    if (user.role === 'admin' && (await lockAdministrators(tx)) < 2) {
      throw new AppError(
        'conflict',
        'You are the last administrator. Make somebody else one first: npm run create-admin.',
      );
    }
    if ((await lockForClosing(tx, userId))?.passwordHash !== user.passwordHash) {
      throw new AppError('conflict', 'The account was changed a moment ago. Reload the page and try again.');
    }
    const orders = await cancelOrdersOf(tx, userId);
    await deleteAccess(tx, [userId]);
    await crashPoint('close.before-row');
    await closeUserRow(tx, userId, nobodysPassword);
    await crashPoint('close.before-commit');
    return orders;
  });
  deps.logger.info({ userId }, 'An account was closed');
  await crashPoint('close.after-commit');
  for (const order of cancelled) await endCheckout(deps, order);
  try {
    await endClosedTasks(deps, { userIds: [userId], limit: TASKS_AT_ONCE });
  } catch (error) {
    deps.logger.warn({ userId, error: describeError(error) }, 'Tasks of a closed account left to retention');
  }
}
