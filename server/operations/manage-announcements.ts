import type { z } from 'zod';
import { recordAudit } from '#server/audit/record-audit.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { type AnnouncementRow, insertAnnouncement, listAnnouncements, withdrawRow } from './queries.ts';
import type { AnnouncementView, announceInput } from './schemas.ts';

type Needs = Pick<Deps, 'db' | 'newId' | 'operations'>;

/** Every announcement, newest first. */
export async function readAnnouncements(
  deps: Pick<Deps, 'db'>,
  { cursor, limit }: { cursor?: string; limit: number },
): Promise<{ items: AnnouncementView[]; nextCursor: string | null }> {
  const rows = await listAnnouncements(deps.db, { cursor, limit: limit + 1 });
  const items = rows.slice(0, limit).map(({ announcement, createdByEmail, now }) => ({
    id: announcement.id,
    level: announcement.level,
    text: announcement.text,
    startsAt: announcement.startsAt,
    endsAt: announcement.endsAt,
    withdrawnAt: announcement.withdrawnAt,
    createdByEmail,
    state: stateOf(announcement, new Date(now)),
  }));
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

function stateOf({ startsAt, endsAt, withdrawnAt }: AnnouncementRow, now: Date): AnnouncementView['state'] {
  if (withdrawnAt) return 'withdrawn';
  if (startsAt > now) return 'planned';
  return endsAt && endsAt <= now ? 'over' : 'shown';
}

/**
 * Shows a sentence at the top of every page, from `startsAt` (or at once) until `endsAt` (or until it is withdrawn).
 * The same key makes it once.
 *
 * @throws AppError `bad_request` when it would end before it starts
 */
export async function announce(
  deps: Needs,
  input: z.output<typeof announceInput> & { actorId: string },
): Promise<{ announcementId: string }> {
  const { actorId, key, level, en, zhCn, startsAt = null, endsAt = null } = input;
  if (endsAt && endsAt <= new Date()) {
    throw new AppError('bad_request', 'This time has passed. Choose a later one.', { field: 'endsAt' });
  }
  const id = key ?? deps.newId();
  const text = { en, ...(zhCn ? { 'zh-CN': zhCn } : {}) };
  await deps.db.transaction(async (tx) => {
    if (!(await insertAnnouncement(tx, { id, level, text, startsAt, endsAt, createdBy: actorId }))) return;
    await recordAudit(tx, {
      actorId,
      action: 'announcement.create',
      subjectId: id,
      data: { level, text, startsAt, endsAt },
    });
  });
  await deps.operations.refresh();
  return { announcementId: id };
}

/** Takes an announcement away. @throws AppError `conflict` when it is not there any more */
export async function withdrawAnnouncement(
  deps: Needs,
  { announcementId, actorId }: { announcementId: string; actorId: string },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (!(await withdrawRow(tx, announcementId))) {
      throw new AppError('conflict', 'This announcement was withdrawn before.');
    }
    await recordAudit(tx, { actorId, action: 'announcement.withdraw', subjectId: announcementId });
  });
  await deps.operations.refresh();
}
