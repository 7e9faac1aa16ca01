import { recordAudit } from '#server/audit/record-audit.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { runBulk } from '#server/lib/run-bulk.ts';
import type { BulkReport } from '#server/lib/schemas.ts';
import { lockInvite, markVoided } from './queries.ts';

type VoidInvite = { inviteId: string; reason: string; actorId: string };

/** Ends each of these invites, so that no reward is paid for it; what one is refused stops no other. */
export async function voidInvites(
  deps: Pick<Deps, 'db' | 'logger'>,
  { inviteIds, ...by }: Omit<VoidInvite, 'inviteId'> & { inviteIds: readonly string[] },
): Promise<BulkReport> {
  return runBulk(deps, inviteIds, (inviteId) => voidInvite(deps, { ...by, inviteId }));
}

async function voidInvite(deps: Pick<Deps, 'db'>, input: VoidInvite): Promise<void> {
  const { inviteId, reason, actorId } = input;
  await deps.db.transaction(async (tx) => {
    const invite = await lockInvite(tx, inviteId);
    if (!invite) throw new AppError('not_found', 'There is no such invite.');
    if (invite.status === 'rewarded') {
      throw new AppError(
        'conflict',
        'Its reward was paid already. Take credits back on the page of each person.',
      );
    }
    if (invite.status !== 'bound' && invite.status !== 'qualified') {
      throw new AppError('conflict', 'This invite has ended already: nothing is paid for it any more.');
    }
    await markVoided(tx, { inviteId, note: `An administrator voided it: ${reason}` });
    await recordAudit(tx, {
      actorId,
      action: 'invite.void',
      subjectId: inviteId,
      reason,
      data: { from: invite.status, inviterId: invite.inviterId, inviteeId: invite.inviteeId },
    });
  });
}
