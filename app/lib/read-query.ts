/** RFC 9562, as the schemas of procedures take it: an id that they would refuse is none. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** The page cursor of an address; one that is no id counts as none, so an edited address shows the first page. */
export function readCursor(requestUrl: string, param = 'cursor'): string | undefined {
  const value = new URL(requestUrl).searchParams.get(param);
  return value !== null && UUID.test(value) ? value : undefined;
}

/** A filter of an address, when it is one of the known words. */
export function readChoice<Choice extends string>(
  requestUrl: string,
  param: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = new URL(requestUrl).searchParams.get(param);
  return choices.find((choice) => choice === value);
}

/** Free text of an address, trimmed and cut; undefined when empty. */
export function readText(requestUrl: string, param: string, maxLength = 320): string | undefined {
  return new URL(requestUrl).searchParams.get(param)?.trim().slice(0, maxLength) || undefined;
}

export function isUuid(value: string): boolean {
  return UUID.test(value);
}
