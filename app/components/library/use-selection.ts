import { useCallback, useEffect, useMemo, useState } from 'react';

/** Which files of a list are chosen. Files that leave the list leave the selection. */
export function useSelection(ids: readonly string[]) {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  // Before the scripts have taken over, boxes that were ticked are not known here.
  const [isReady, setReady] = useState(false);
  useEffect(() => setReady(true), []);

  const chosen = useMemo(() => ids.filter((id) => marked.has(id)), [ids, marked]);
  const choose = useCallback((id: string, on: boolean) => {
    setMarked((before) => {
      const next = new Set(before);
      if (on) next.add(id);
      else next.delete(id);
      return next;
    });
  }, []);
  const chooseAll = (on: boolean) => setMarked(new Set(on ? ids : []));
  return { chosen, isReady, choose, chooseAll, isChosen: (id: string) => marked.has(id) };
}
