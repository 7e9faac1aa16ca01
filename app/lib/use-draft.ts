import { createContext, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { isRecord } from './is-record.ts';
import { dropKept, readKept, writeKept } from './kept-drafts.ts';

/** What was typed, by field name; a field with several values has several. */
export type Draft = Readonly<Record<string, string[]>>;

const isDraft = (kept: unknown): kept is Draft =>
  isRecord(kept) &&
  Object.values(kept).every(
    (values) => Array.isArray(values) && values.every((value) => typeof value === 'string'),
  );

/** Unsent forms of this tab, by name; null outside of the workbench. */
const DraftContext = createContext<Map<string, Draft> | null>(null);

export const DraftProvider = DraftContext.Provider;

type DraftOptions = {
  /** Whose draft stays in this browser; left out: it is of this tab only. */
  owner: string | undefined;
  /** Whether a draft may be put into the form, asked once the scripts are there. */
  mayRestore: () => boolean;
};

/**
 * Keeps what was typed into a form while the reader looks at other pages of the workbench, whose tabs are pages, and
 * beyond that in this browser.
 *
 * @param fields names of the fields worth keeping
 * @returns the draft for a form that comes up (`turn` grows when it comes later than the form), and what keeps and drops it
 */
export function useDraft(name: string, fields: readonly string[], options?: DraftOptions) {
  const drafts = useContext(DraftContext);
  const [draft, setDraft] = useState(() => ({ values: drafts?.get(name), turn: 0 }));
  const owner = options?.owner;
  const mayRestore = useRef(options?.mayRestore);

  useEffect(() => {
    if (owner === undefined || drafts?.has(name) || mayRestore.current?.() === false) return;
    const kept = readKept(owner, name);
    if (isDraft(kept)) setDraft((last) => ({ values: kept, turn: last.turn + 1 }));
  }, [drafts, name, owner]);

  const keep = useCallback(
    (data: FormData) => {
      const values = Object.fromEntries(fields.map((field) => [field, data.getAll(field).map(String)]));
      drafts?.set(name, values);
      if (owner !== undefined) writeKept(owner, name, values);
    },
    [drafts, name, fields, owner],
  );
  const drop = useCallback(() => {
    drafts?.delete(name);
    if (owner !== undefined) dropKept(owner, name);
  }, [drafts, name, owner]);
  return { draft: draft.values, turn: draft.turn, keep, drop };
}
