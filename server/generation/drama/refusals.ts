import { AppError } from '#server/lib/app-error.ts';

/** More at once would not be read. */
const MOST_PROBLEMS = 5;

/** @throws AppError `unprocessable` when something of a plan cannot be ordered */
export function refuseProblems(problems: readonly string[]): void {
  if (problems.length === 0) return;
  const more = problems.length - MOST_PROBLEMS;
  const rest = more > 0 ? ` And ${more} more.` : '';
  throw new AppError('unprocessable', `${problems.slice(0, MOST_PROBLEMS).join(' ')}${rest}`);
}

/** A price that was raised since it was shown is for the user to see first. @throws AppError `unprocessable` */
export function refuseDearer(credits: number, quotedCredits: number | undefined): void {
  if (quotedCredits === undefined || credits <= quotedCredits) return;
  throw new AppError(
    'unprocessable',
    `The price has changed: this costs ${credits} credits now, not ${quotedCredits}. Look at it and start it again.`,
  );
}
