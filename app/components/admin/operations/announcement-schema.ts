import { z } from 'zod';
import { isTimeZone, momentInZone } from '#app/lib/zoned-time.ts';
import { announceInput } from '#server/operations/schemas.ts';

const { key, level, en, zhCn } = announceInput.shape;

/** What the browser's own field sends: it names no zone, so the form does. */
const localTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/, 'Enter a date and a time.')
  .optional();

export const announcementForm = z
  .object({
    key,
    level,
    en,
    zhCn,
    /** The zone that the page has named beside the fields. */
    timeZone: z.string().max(64).refine(isTimeZone, 'This is no time zone. Reload the page.').default('UTC'),
    startsAt: localTime,
    endsAt: localTime,
  })
  .refine(({ startsAt, endsAt }) => !startsAt || !endsAt || endsAt > startsAt, {
    path: ['endsAt'],
    message: 'It must end after it starts.',
  });

/** What the procedure takes. */
export function toAnnouncement({ startsAt, endsAt, timeZone, ...rest }: z.output<typeof announcementForm>) {
  const inZone = (time: string | undefined) =>
    time === undefined ? undefined : momentInZone(time, timeZone);
  return { ...rest, startsAt: inZone(startsAt), endsAt: inZone(endsAt) };
}
