/** The answer of a form in the back office that went through. */
export type DeedAnswer = {
  /** What happened: the name of a sentence among the texts of the page. */
  done: string;
  /** Name of the form, and the key that it used up. */
  deed: string;
  key: string | null;
};

/** Tells the forms of a list apart, so that an answer shows in its row and nowhere else. */
export function deedName(intent: string, id: string): string {
  return `${intent}-${id}`;
}

/** The deed that an action's answer tells of, if it is one. */
export function readDeed(actionData: unknown): DeedAnswer | null {
  if (typeof actionData !== 'object' || actionData === null || !('deed' in actionData)) return null;
  return actionData as DeedAnswer;
}
