import { pollOutcomeOfEnvelope, readErrorEnvelope, rejectedBy } from '../error-envelope.ts';
import { jobOutcome, urlArtefacts } from '../job-reading.ts';
import { asArray, asRecord, firstText, type JsonRecord } from '../json.ts';
import { normaliseProgress } from '../progress.ts';
import type { CreateOutcome, PollOutcome, UpstreamResponse } from '../provider.ts';
import { readStatusWord } from '../status-words.ts';
import { task } from './schemas.ts';

/** A day's allowance that is used up: waiting minutes does not help, another account might. */
const DAILY = /\bdaily\b|per day/i;

/** A refusal: `{error, issues?}`. The issues say which field is wrong. */
export function refusalOf(body: JsonRecord, response: UpstreamResponse): CreateOutcome | undefined {
  const envelope = readErrorEnvelope(body);
  if (!envelope) return undefined;
  if (response.status === 429 && DAILY.test(envelope.message)) {
    return { type: 'rejected', code: 'quota', scope: 'account', message: envelope.message, raw: body };
  }
  const issues = asArray(body.issues).flatMap((issue) => readIssue(issue) ?? []);
  if (issues.length === 0 || (response.status !== 400 && response.status !== 422)) return undefined;
  const message = `${envelope.message} (${issues.slice(0, 3).join('; ')})`;
  return rejectedBy({ ...envelope, message }, response, body);
}

function readIssue(issue: unknown): string | undefined {
  const message = firstText(issue, ['message']);
  const path = asArray(asRecord(issue)?.path).join('.');
  return message === undefined ? undefined : path ? `${path}: ${message}` : message;
}

/** Reads a task object. `THROTTLED` is accepted work that waits for a free place. */
export function readTask(body: JsonRecord, response: UpstreamResponse): PollOutcome {
  const answer = task.parse(body);
  if (answer.status === undefined) {
    const envelope = readErrorEnvelope(body);
    if (envelope) return pollOutcomeOfEnvelope(envelope, response);
  }
  return jobOutcome(body, readStatusWord(answer.status), response, {
    artefacts: () => urlArtefacts({ output: answer.output }),
    progress: readProgress(answer.progress),
    vendorCredits: () => answer.cost?.credits,
  });
}

/** Progress is a fraction here, so 1 is the end and not one percent. */
function readProgress(progress: unknown): number | undefined {
  return normaliseProgress(typeof progress === 'number' && progress <= 1 ? progress * 100 : progress);
}
