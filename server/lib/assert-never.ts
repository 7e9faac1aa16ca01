/** Closes an exhaustive switch: the compiler lists the missing cases here. */
export function assertNever(value: never): never {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}`);
}
