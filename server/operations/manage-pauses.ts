import { recordAudit } from '#server/audit/record-audit.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { deletePause, listPauses, upsertPause } from './queries.ts';
import type { PauseScope, PauseView } from './schemas.ts';

type Needs = Pick<Deps, 'db' | 'operations'>;

export async function readPauses(deps: Pick<Deps, 'db'>): Promise<PauseView[]> {
  return listPauses(deps.db);
}

/** Takes no new tasks of a kind, or none at all, until it is resumed. Paused again, it has the new words. */
export async function pauseIntake(
  deps: Needs,
  input: { scope: PauseScope; reason: string; actorId: string },
): Promise<void> {
  const { scope, reason, actorId } = input;
  await deps.db.transaction(async (tx) => {
    await upsertPause(tx, { scope, reason, pausedBy: actorId });
    await recordAudit(tx, { actorId, action: 'intake.pause', subjectId: scope, reason });
  });
  await deps.operations.refresh();
}

/** Takes new tasks again. @throws AppError `conflict` when it was not paused */
export async function resumeIntake(
  deps: Needs,
  { scope, actorId }: { scope: PauseScope; actorId: string },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (!(await deletePause(tx, scope))) throw new AppError('conflict', 'This is not paused any more.');
    await recordAudit(tx, { actorId, action: 'intake.resume', subjectId: scope });
  });
  await deps.operations.refresh();
}
