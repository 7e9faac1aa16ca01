import { recordAudit } from '#server/audit/record-audit.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { runBulk } from '#server/lib/run-bulk.ts';
import type { BulkReport } from '#server/lib/schemas.ts';
import {
  closeAccess,
  countLiveTasks,
  findStanding,
  lockAdministrators,
  lockStanding,
  readGeneralDayLimit,
  saveDisabled,
  saveLimits,
} from './queries.ts';
import type { UserStandingView } from './schemas.ts';

/** Whether a person may come in, and the limits that are their own. @throws AppError `not_found` */
export async function readStanding(
  deps: Pick<Deps, 'db' | 'config'>,
  userId: string,
): Promise<UserStandingView> {
  const [user, dayCreditsLimit, liveTasks] = await Promise.all([
    findStanding(deps.db, userId),
    readGeneralDayLimit(deps.db),
    countLiveTasks(deps.db, userId),
  ]);
  if (!user) throw noSuchUser();
  const { id, ...standing } = user;
  return {
    userId: id,
    ...standing,
    general: { inFlightLimit: deps.config.userInFlight, dayCreditsLimit },
    liveTasks,
  };
}

type SetDisabled = { userId: string; disabled: boolean; reason: string; actorId: string };

/**
 * Keeps a person out, or lets them in again. Whoever is kept out loses every session and API token at once; what they
 * have submitted goes on to its end, and its money is settled as ever. Twice is once.
 *
 * @throws AppError `not_found`; `conflict` for oneself, the last administrator and closed accounts
 */
export async function setDisabled(deps: Pick<Deps, 'db'>, input: SetDisabled): Promise<void> {
  const { userId, disabled, reason, actorId } = input;
  if (disabled && userId === actorId) {
    throw new AppError('conflict', 'This is your own account. Ask another administrator.');
  }
  await deps.db.transaction(async (tx) => {
    // All administrators before the row: two who disable each other would wait for one another.
    const administrators = disabled ? await lockAdministrators(tx) : 0;
    const user = await lockStanding(tx, userId);
    if (!user) throw noSuchUser();
    if (user.deletedAt) throw closedForGood();
    if ((user.disabledAt !== null) === disabled) return;
    if (disabled && user.role === 'admin' && administrators < 2) {
      throw new AppError('conflict', 'This is the last administrator. Make somebody else one first.');
    }
    await saveDisabled(tx, userId, disabled);
    const closed = disabled ? await closeAccess(tx, userId) : undefined;
    await recordAudit(tx, {
      actorId,
      action: disabled ? 'user.disable' : 'user.enable',
      subjectId: userId,
      reason,
      data: closed,
    });
  });
}

/** As {@link setDisabled}, one person after the other. */
export async function setDisabledOfMany(
  deps: Pick<Deps, 'db' | 'logger'>,
  { userIds, ...rest }: Omit<SetDisabled, 'userId'> & { userIds: readonly string[] },
): Promise<BulkReport> {
  return runBulk(deps, userIds, (userId) => setDisabled(deps, { ...rest, userId }));
}

/**
 * Sets the limits of one person, for what starts and is submitted from now on.
 *
 * @throws AppError `not_found`; `conflict` for a closed account
 */
export async function setLimits(
  deps: Pick<Deps, 'db' | 'due'>,
  input: {
    userId: string;
    inFlightLimit: number | null;
    dayCreditsLimit: number | null;
    reason: string;
    actorId: string;
  },
): Promise<void> {
  const { userId, inFlightLimit, dayCreditsLimit, reason, actorId } = input;
  await deps.db.transaction(async (tx) => {
    const user = await lockStanding(tx, userId);
    if (!user) throw noSuchUser();
    if (user.deletedAt) throw closedForGood();
    await saveLimits(tx, userId, { inFlightLimit, dayCreditsLimit });
    await recordAudit(tx, {
      actorId,
      action: 'user.limits',
      subjectId: userId,
      reason,
      data: {
        from: { inFlightLimit: user.inFlightLimit, dayCreditsLimit: user.dayCreditsLimit },
        to: { inFlightLimit, dayCreditsLimit },
      },
    });
  });
  // A higher limit lets queued tasks start.
  deps.due.wake();
}

const noSuchUser = () => new AppError('not_found', 'There is no such user.');
const closedForGood = () => new AppError('conflict', 'This account was closed for good by its owner.');
