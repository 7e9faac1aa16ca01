import type { PlanErrors } from './plan-errors.ts';

/** What the action of a drama's page answers when it stays on the page; most successes are redirects. */
export type DramaAnswer = {
  error?: string;
  /** Which form the error belongs to, as its `intent` says. */
  intent?: string;
  /** Of the shot whose form it was. */
  shotId?: string;
  planErrors?: PlanErrors;
  /** Another version of the plan was saved in between. */
  conflict?: true;
  saved?: { planVersion: number };
};
