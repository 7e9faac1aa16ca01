const DAY_MS = 86_400_000;

/**
 * The moment at which clocks of a zone show a local time (`2026-11-29T09:30`), as the browser's own field sends it. An
 * hour that comes twice is meant the first time; one that is left out is meant as far behind the change.
 *
 * @throws RangeError for an unknown zone
 */
export function momentInZone(local: string, timeZone: string): Date {
  const shown = Date.parse(`${local}Z`);
  const [before, after] = [offsetAt(shown - DAY_MS, timeZone), offsetAt(shown + DAY_MS, timeZone)];
  const meant = [shown - before, shown - after]
    .filter((at) => at + offsetAt(at, timeZone) === shown)
    .sort((a, b) => a - b);
  return new Date(meant[0] ?? shown - before);
}

/** How far the zone's clocks are ahead of UTC at a moment, in milliseconds. */
function offsetAt(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((each) => each.type === type)?.value ?? 0);
  const shown = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return shown - Math.floor(at / 1_000) * 1_000;
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
