const MOST_COUNTS = 20;
const MOST_NAME = 40;

/**
 * The whole numbers of an answer by their names, for people to read: `{ claimed: 3, failed: 0 }`. Those of one inner
 * record count too. What a number is of, the daemon does not know.
 */
export function countsOf(result: object): Record<string, number> {
  const counts: Record<string, number> = {};
  const add = (entries: object, isInner: boolean) => {
    for (const [name, value] of Object.entries(entries) as [string, unknown][]) {
      if (Number.isSafeInteger(value)) counts[name.slice(0, MOST_NAME)] ??= value as number;
      else if (!isInner && typeof value === 'object' && value !== null && !(value instanceof Date))
        add(value, true);
    }
  };
  add(result, false);
  return Object.fromEntries(Object.entries(counts).slice(0, MOST_COUNTS));
}
