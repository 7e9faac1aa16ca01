/**
 * The promise, or an error after `ms` milliseconds. The work itself goes on: only for reads whose late answer nobody
 * misses.
 *
 * @throws Error with code `ETIMEDOUT`
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(Object.assign(new Error(`No answer within ${ms} ms`), { code: 'ETIMEDOUT' }));
    }, ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
