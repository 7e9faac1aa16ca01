/**
 * Unsent forms in this browser, by person and kind of task: a closed tab, a reload or an ended session loses nothing. No
 * secret goes in here. A browser may refuse its storage; forms work without.
 */
const PREFIX = 'sidelane-draft:';

const keyOf = (owner: string, name: string): string => `${PREFIX}${owner}:${name}`;

/** What was kept, as it was parsed; null when there is nothing that can be read. */
export function readKept(owner: string, name: string): unknown {
  return attempt(() => {
    const text = localStorage.getItem(keyOf(owner, name));
    return text === null ? null : (JSON.parse(text) as unknown);
  });
}

export function writeKept(owner: string, name: string, draft: unknown): void {
  attempt(() => localStorage.setItem(keyOf(owner, name), JSON.stringify(draft)));
}

export function dropKept(owner: string, name: string): void {
  attempt(() => localStorage.removeItem(keyOf(owner, name)));
}

/** Removes what everybody but this person has left: who used this browser before. */
export function dropForeign(owner: string): void {
  attempt(() => {
    for (const key of Object.keys(localStorage))
      if (key.startsWith(PREFIX) && !key.startsWith(keyOf(owner, ''))) localStorage.removeItem(key);
  });
}

function attempt<Result>(act: () => Result): Result | null {
  try {
    return act();
  } catch {
    return null;
  }
}
