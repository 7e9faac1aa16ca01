import type { Deps } from '#server/deps.ts';
import {
  countChannelHours,
  countChannelLoad,
  type HourCounts,
  lastDeeds,
  listChannelIds,
  listDeeds,
  listErrors,
} from './channel-queries.ts';
import type { ChannelDetail, ChannelHour, ChannelNumbers } from './schemas.ts';

const HOUR_MS = 3_600_000;
const HOURS = 24;
const ERRORS = 10;
const DEEDS = 10;

/** Load, the last 24 hours and the last deed of every channel, in four statements. */
export async function readChannelNumbers(deps: Pick<Deps, 'db' | 'clock'>): Promise<ChannelNumbers[]> {
  const { db } = deps;
  const from = firstHour(deps.clock.now());
  const [ids, load, hours, deeds] = await Promise.all([
    listChannelIds(db),
    countChannelLoad(db),
    countChannelHours(db, from),
    lastDeeds(db),
  ]);
  return ids.map((channelId) => ({
    channelId,
    inFlight: load.get(channelId)?.inFlight ?? 0,
    queued: load.get(channelId)?.queued ?? 0,
    hours: allHours(
      from,
      hours.filter((hour) => hour.channelId === channelId),
    ),
    lastDeed: deeds.get(channelId) ?? null,
  }));
}

/** What went wrong on a channel in the last 24 hours, and what administrators did to it. */
export async function readChannelDetail(
  deps: Pick<Deps, 'db' | 'clock'>,
  { channelId }: { channelId: string },
): Promise<ChannelDetail> {
  const from = firstHour(deps.clock.now());
  const [errors, deeds] = await Promise.all([
    listErrors(deps.db, { channelId, from, limit: ERRORS }),
    listDeeds(deps.db, channelId, DEEDS),
  ]);
  return { errors, deeds };
}

/** The hour that is not over yet is the last of the 24. */
function firstHour(now: Date): Date {
  return new Date((Math.floor(now.getTime() / HOUR_MS) - (HOURS - 1)) * HOUR_MS);
}

function allHours(from: Date, counted: readonly HourCounts[]): ChannelHour[] {
  return Array.from({ length: HOURS }, (_, hour) => {
    const found = counted.find((each) => each.hour === hour);
    const { succeeded = 0, failed = 0, putOff = 0, other = 0 } = found ?? {};
    return { from: new Date(from.getTime() + hour * HOUR_MS), succeeded, failed, putOff, other };
  });
}
