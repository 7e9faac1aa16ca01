import type { Deps } from '#server/deps.ts';
import { claimDueSteps, claimQueued, claimTasks, dueTaskIdsOfUser, type TaskRow } from './claim-queries.ts';
import type { RecoveryBatchInput } from './recovery-batch.ts';
import type { SlotCounts, Slots } from './slots.ts';
import { type LiveStatus, type SlotClass, slotClassOf } from './status.ts';

/** Users per channel that a claim of queued rows looks at: first, and at most. */
const WALK_USERS = 16;
const MOST_WALK_USERS = 16_384;
const FIRST_USER = '00000000-0000-0000-0000-000000000000';

export const classOf = (task: TaskRow): SlotClass =>
  slotClassOf({ status: task.status as LiveStatus, kind: task.kind });

export type Claimer = {
  /**
   * Claims rows into free slots: the given tasks, a user's due ones, or any. The slots of what it returns are taken;
   * `sentAt` is the monotonic time before the claim, from which its leases count.
   */
  claim(
    input: Pick<RecoveryBatchInput, 'taskIds' | 'userId' | 'workerId'>,
    room: number,
  ): Promise<{ tasks: TaskRow[]; sentAt: number }>;
};

/** Decides what a claim asks for: a third of the room for creates, so that neither polls nor creates starve. */
export function createClaimer(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  { executorId, slots }: { executorId: string; slots: Slots },
): Claimer {
  const { leaseSeconds } = config;
  let walkedTo = FIRST_USER;
  /** Grows while the users at the front have nothing to start, so that nobody behind them starves. */
  let walkUsers = WALK_USERS;

  const claimBase = (workerId: string | null) => ({ executorId, leaseSeconds, workerId });

  async function claim(
    input: Pick<RecoveryBatchInput, 'taskIds' | 'userId' | 'workerId'>,
    room: number,
  ): Promise<{ tasks: TaskRow[]; sentAt: number }> {
    const only = input.taskIds ?? (input.userId ? await dueTaskIdsOfUser(db, input.userId, room) : undefined);
    if (only?.length === 0) return { tasks: [], sentAt: 0 };
    const most = only ? Math.min(room, only.length) : room;
    const creates = slots.take('create', only ? most : Math.max(1, Math.floor(most / 3)));
    const taken = {
      create: creates,
      poll: slots.take('poll', only ? most : Math.max(1, most - creates)),
      transfer: slots.take('transfer', most),
      compose: slots.take('compose', most),
    };
    const sentAt = performance.now();
    let tasks: TaskRow[] = [];
    try {
      tasks = only
        ? await claimTasks(db, {
            ...claimBase(input.workerId),
            taskIds: only,
            limits: taken,
            userInFlight: config.userInFlight,
          })
        : [
            ...(await claimFairly(input.workerId, taken.create)),
            ...(await claimDueSteps(db, {
              ...claimBase(input.workerId),
              polls: taken.poll,
              transfers: taken.transfer,
              composes: taken.compose,
            })),
          ];
    } finally {
      const got: SlotCounts = { poll: 0, create: 0, transfer: 0, compose: 0 };
      for (const task of tasks) got[classOf(task)] += 1;
      for (const slotClass of ['create', 'poll', 'transfer', 'compose'] as const) {
        slots.giveBack(slotClass, taken[slotClass] - got[slotClass]);
      }
    }
    return { tasks, sentAt };
  }

  /** Goes on behind the user served last and wraps around once. */
  async function claimFairly(workerId: string | null, limit: number): Promise<TaskRow[]> {
    if (limit === 0) return [];
    const ask = (after: string, most: number) =>
      claimQueued(db, {
        ...claimBase(workerId),
        after,
        limit: most,
        userInFlight: config.userInFlight,
        users: walkUsers,
      });
    const first = await ask(walkedTo, limit);
    const second =
      first.length < limit && walkedTo !== FIRST_USER ? await ask(FIRST_USER, limit - first.length) : [];
    const last = (second.length > 0 ? second : first)
      .map((task) => task.userId)
      .sort()
      .at(-1);
    walkedTo = last ?? FIRST_USER;
    const full = first.length + second.length >= limit;
    walkUsers = full ? WALK_USERS : Math.min(walkUsers * 4, MOST_WALK_USERS);
    return [...first, ...second];
  }

  return { claim };
}
