import type { DbOrTx } from '#server/db/client.ts';
import { redactValue } from '#server/lib/redact.ts';
import { insertAuditEntry } from './queries.ts';

type AuditSubject =
  | 'announcement'
  | 'channel'
  | 'guard'
  | 'intake'
  | 'invite'
  | 'model'
  | 'order'
  | 'pack'
  | 'payment'
  | 'policy'
  | 'redeem'
  | 'refund'
  | 'task'
  | 'template'
  | 'user'
  | 'webhook';

/** What an administrator did to one row. */
export type AuditEntry = {
  /** The administrator; null: the command line. */
  actorId: string | null;
  /** Subject and verb, such as `channel.reveal_key`. The part before the dot names the subject. */
  action: `${AuditSubject}.${string}`;
  subjectId: string;
  /** Why, in the administrator's words. */
  reason?: string;
  /** What was changed and to what. Never a secret: name that it was replaced, not by what. */
  data?: Record<string, unknown>;
};

/**
 * Writes what an administrator did, in the transaction that does it, so that neither is there without the other. What
 * looks like a credential is blanked all the same.
 */
export async function recordAudit(tx: DbOrTx, entry: AuditEntry): Promise<void> {
  const { actorId, action, subjectId, reason, data } = entry;
  await insertAuditEntry(tx, {
    actorId,
    action,
    subject: action.split('.')[0] ?? '',
    subjectId,
    reason: reason ?? null,
    data: data === undefined ? null : redactValue(data),
  });
}
