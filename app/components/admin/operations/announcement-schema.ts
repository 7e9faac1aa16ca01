import { z } from 'zod';
import { announceInput } from '#server/operations/schemas.ts';

const { key, level, en, zhCn } = announceInput.shape;

/** What the browser's own field sends, read as UTC: it names no zone. */
const utcTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/, 'Enter a date and a time.')
  .optional();

export const announcementForm = z
  .object({ key, level, en, zhCn, startsAt: utcTime, endsAt: utcTime })
  .refine(({ startsAt, endsAt }) => !startsAt || !endsAt || endsAt > startsAt, {
    path: ['endsAt'],
    message: 'It must end after it starts.',
  });

/** What the procedure takes. */
export function toAnnouncement({ startsAt, endsAt, ...rest }: z.output<typeof announcementForm>) {
  return { ...rest, startsAt: asUtc(startsAt), endsAt: asUtc(endsAt) };
}

const asUtc = (time: string | undefined) => (time === undefined ? undefined : new Date(`${time}Z`));
