import { recordAudit } from '#server/audit/record-audit.ts';
import type { Tx } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import {
  addToDay,
  lockTotal,
  readCostGuard,
  readLimitsOf,
  readUserDay,
  readUtcDay,
  saveCostGuard,
  sumDay,
  takeFromDay,
} from './cost-guard-queries.ts';
import type { CostGuardLimits, CostGuardView } from './schemas.ts';

const NO_LIMITS: CostGuardLimits = { taskCredits: null, userDayCredits: null, dayCredits: null };

/**
 * Counts the price of a task for its user and UTC day and refuses what passes a limit, in the transaction that holds the
 * credits and after the user's account is locked. Counts also while no limit is set. The limit of the day in total is
 * strict too: those who spend under it follow one another from here to their commits.
 *
 * @returns the day that counted it, to be kept with the hold; null for a task that costs nothing
 * @throws AppError `forbidden` naming the limit, what is left of it and when the day ends
 */
export async function chargeGuard(
  tx: Tx,
  input: { userId: string; credits: number },
): Promise<string | null> {
  const { userId, credits } = input;
  if (credits === 0) return null;
  const { taskCredits, userDayCredits, dayCredits } = (await readLimitsOf(tx, userId)) ?? NO_LIMITS;
  if (taskCredits !== null && credits > taskCredits) {
    throw new AppError(
      'forbidden',
      `A task may cost at most ${taskCredits} credits, and this one costs ${credits}. Order less, or choose a cheaper setting.`,
    );
  }
  const day = await readUtcDay(tx);
  if (!(await addToDay(tx, { userId, day, credits, most: userDayCredits }))) {
    throw overLimit('You may', {
      day,
      credits,
      most: userDayCredits ?? 0,
      spent: await readUserDay(tx, userId, day),
    });
  }
  if (dayCredits !== null) {
    await lockTotal(tx);
    const spent = (await sumDay(tx, day)) - credits;
    if (spent + credits > dayCredits) {
      throw overLimit('Everybody together may', { day, credits, most: dayCredits, spent });
    }
  }
  return day;
}

/**
 * Gives credits that came back from a task's hold back to the day that counted them, in the transaction that gives them
 * back to the balance, which happens once. A hold of a release that did not count gives nothing back.
 */
export async function returnToGuard(tx: Tx, input: { taskId: string; credits: number }): Promise<void> {
  if (input.credits > 0) await takeFromDay(tx, input);
}

/** The limits, and what is set aside today. */
export async function readCostGuardView(deps: Pick<Deps, 'db'>): Promise<CostGuardView> {
  const [row, spentTodayCredits] = await Promise.all([
    readCostGuard(deps.db),
    readUtcDay(deps.db).then((day) => sumDay(deps.db, day)),
  ]);
  const { taskCredits, userDayCredits, dayCredits } = row ?? NO_LIMITS;
  return { taskCredits, userDayCredits, dayCredits, spentTodayCredits, updatedAt: row?.updatedAt ?? null };
}

/** Sets all three limits, for tasks from now on; what is held already stays. */
export async function setCostGuard(
  deps: Pick<Deps, 'db'>,
  { actorId, ...limits }: CostGuardLimits & { actorId: string },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { taskCredits, userDayCredits, dayCredits } = (await saveCostGuard(tx, limits)) ?? NO_LIMITS;
    await recordAudit(tx, {
      actorId,
      action: 'guard.set',
      subjectId: 'cost-guard',
      data: { from: { taskCredits, userDayCredits, dayCredits }, to: limits },
    });
  });
}

function overLimit(
  who: string,
  { day, credits, most, spent }: { day: string; credits: number; most: number; spent: number },
): AppError {
  const left = Math.max(0, most - spent);
  const ends = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
  return new AppError(
    'forbidden',
    `${who} spend at most ${most} credits a day. What is left until ${ends} 00:00 UTC is ${left}, and this costs ${credits}. Order less, or come back then.`,
  );
}
