import { startTransition, useEffect, useState } from 'react';

/**
 * Whether scripts have taken the page over; false on the server and in the browser's first render. A transition: parts
 * that are still being taken over must not be drawn anew for it.
 */
export function useHydrated(): boolean {
  const [hydrated, setHydrated] = useState(false);
  useEffect(() => startTransition(() => setHydrated(true)), []);
  return hydrated;
}
