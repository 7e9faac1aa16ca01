import { type DramaPlan, dramaPlan } from '#server/generation/drama/schemas.ts';

/** Sentences by path in the plan: `title`, `shots.3.seconds`; of a list as a whole: `shots`. */
export type PlanErrors = Readonly<Record<string, string>>;

const NO_ERRORS: PlanErrors = {};

/** What the plan's own schema says of it, the same in the browser and in the procedure. */
export function planErrors(plan: DramaPlan): PlanErrors {
  const checked = dramaPlan.safeParse(plan);
  if (checked.success) return NO_ERRORS;
  return joined(
    checked.error.issues.map(({ path, message }) => [path.map(String).join('.'), message] as const),
  );
}

/** The same of an answer of the procedure, whose input has the plan inside it; null where it says nothing of the plan. */
export function planErrorsOf(fieldErrors: Record<string, string[]> | undefined): PlanErrors | null {
  const ofPlan = Object.entries(fieldErrors ?? {}).flatMap(([path, messages]) =>
    path === 'plan' || path.startsWith('plan.')
      ? [[path.replace(/^plan\.?/, ''), messages.join(' ')] as const]
      : [],
  );
  return ofPlan.length > 0 ? joined(ofPlan) : null;
}

function joined(entries: readonly (readonly [string, string])[]): PlanErrors {
  const out: Record<string, string> = {};
  for (const [path, message] of entries) {
    // `characterIds.0` is shown where the characters of the shot are.
    const key = path.replace(/(characterIds)\.\d+$/, '$1');
    out[key] = out[key] ? `${out[key]} ${message}` : message;
  }
  return out;
}
