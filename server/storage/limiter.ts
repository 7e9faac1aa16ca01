/** Lets at most `slots` calls run at once; the rest wait in order. */
export function createLimiter(slots: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = slots;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The slot goes straight to the next in line.
      if (next) next();
      else free += 1;
    }
  };
}
