/** The answer of a form in the back office that went through. */
export type DeedAnswer = {
  /** What happened, in a sentence. */
  done: string;
  /** Name of the form, and the key that it used up. */
  deed: string;
  /** Names the sentence in every language, where it has one. */
  code: string;
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
