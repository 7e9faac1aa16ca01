import { asRecord } from '../../json.ts';
import { parseLosslessJson } from '../../lossless-json.ts';
import type { ArtefactRef, CreateOutcome, PollOutcome } from '../../provider.ts';
import { readError, readId, readProgress, readStatus } from '../read-answer.ts';
import type { CustomSettings } from '../schemas.ts';
import type { FactView, ReadingView, SampleAnswer } from './schemas.ts';

type Verdict = Pick<ReadingView, 'tone' | 'sentence'>;

/** What an outcome means for a task, in words of the form. */
export function describeCreate(
  outcome: CreateOutcome,
  settings: CustomSettings,
  answer: SampleAnswer,
): ReadingView {
  const artefacts = outcome.type === 'done' ? outcome.artefacts : [];
  const error = outcome.type === 'rejected' ? { code: outcome.code, message: outcome.message } : undefined;
  const facts = factsOf(settings, answer, { artefacts, error });
  return { outcome: outcome.type, ...createVerdict(outcome, settings), facts };
}

function createVerdict(outcome: CreateOutcome, settings: CustomSettings): Verdict {
  switch (outcome.type) {
    case 'accepted':
      return { tone: 'good', sentence: `Taken. The job "${outcome.upstreamId}" will be polled.` };
    case 'done':
      return { tone: 'good', sentence: `Finished at once. Results: ${outcome.artefacts.length}.` };
    case 'rejected': {
      const refused = outcome.moderated
        ? 'Refused for its content.'
        : outcome.scope === 'account'
          ? 'Refused for this account.'
          : 'Refused.';
      return {
        tone: 'bad',
        sentence: `${refused} Nothing was started, and the credits go back to the user.`,
      };
    }
    case 'rate_limited':
      return {
        tone: 'unsure',
        sentence: 'Not taken just now. The channel rests, then the task is sent again.',
      };
    case 'not_sent':
      return { tone: 'bad', sentence: `Nothing would be sent. ${outcome.message}` };
    case 'uncertain':
      return { tone: 'unsure', sentence: `${whyUncertain(outcome.evidence.reason, settings)} ${HELD_BACK}` };
  }
}

const HELD_BACK = 'The vendor may hold a job, so the task waits for evidence and nothing is sent again.';

function whyUncertain(reason: unknown, { fields, accepted }: CustomSettings): string {
  switch (reason) {
    case 'no_id':
      return `No job id was found at ${fields.id.join(', ')}.`;
    case 'not_accepted':
      return `The field ${accepted?.path} has none of the values that count as taken.`;
    case 'refused_with_id':
      return 'The answer refuses the request and names a job all the same.';
    case 'no_artefacts':
      return `No result was found ${fields.result.length > 0 ? `at ${fields.result.join(', ')}` : 'in the usual places'}.`;
    case 'bad_body':
      return 'The answer is no JSON object.';
    default:
      return 'The answer neither takes nor refuses the request.';
  }
}

/** What a poll's outcome means for a task. */
export function describePoll(
  outcome: PollOutcome,
  settings: CustomSettings,
  answer: SampleAnswer,
): ReadingView {
  const artefacts = outcome.type === 'succeeded' ? outcome.artefacts : [];
  const error = outcome.type === 'failed' ? { code: outcome.code, message: outcome.reason } : undefined;
  return {
    outcome: outcome.type,
    ...pollVerdict(outcome),
    facts: factsOf(settings, answer, { artefacts, error, isPoll: true }),
  };
}

function pollVerdict(outcome: PollOutcome): Verdict {
  switch (outcome.type) {
    case 'pending':
      if (outcome.known) return { tone: 'good', sentence: 'Under way. It will be polled again.' };
      return {
        tone: 'unsure',
        sentence: `${outcome.status === '' ? 'No status was found' : `"${outcome.status}" is no known status word`}, so the job counts as running. Name the place of the status, or list the word below "Status words".`,
      };
    case 'succeeded':
      return outcome.artefacts.length > 0
        ? { tone: 'good', sentence: `Finished. Results: ${outcome.artefacts.length}.` }
        : {
            tone: 'unsure',
            sentence:
              'Finished, but no result was found. It would be polled for a while longer, then fail with a refund.',
          };
    case 'failed':
      return { tone: 'bad', sentence: `Failed${outcome.moderated ? ' for its content' : ''}.` };
    case 'cancelled':
      return { tone: 'bad', sentence: 'Cancelled.' };
    case 'missing':
      return {
        tone: 'unsure',
        sentence: 'The vendor does not know the job. It would be asked a few times more.',
      };
    case 'transient':
      return {
        tone: 'unsure',
        sentence: `This proves nothing (${outcome.message}). It would be polled again.`,
      };
  }
}

type Found = {
  artefacts: readonly ArtefactRef[];
  error: { code: string; message: string } | undefined;
  isPoll?: boolean;
};

/** The single values that were read, with the status word and its meaning. */
function factsOf(settings: CustomSettings, answer: SampleAnswer, found: Found): ReadingView['facts'] {
  const body = asRecord(parseLosslessJson(answer.body)) ?? {};
  const status = readStatus(settings, body);
  const error = found.error ?? readError(settings, body);
  const progress = found.isPoll ? readProgress(settings, body) : undefined;
  const facts: (FactView | undefined)[] = [
    { name: 'httpStatus', value: String(answer.status) },
    settings.poll && !found.isPoll ? jobIdFact(readId(body, settings.fields.id)) : undefined,
    status.present ? statusFact(status) : undefined,
    progress === undefined ? undefined : { name: 'progress', value: `${progress} %` },
    ...found.artefacts.map(resultFact),
    error?.code ? { name: 'errorCode', value: error.code } : undefined,
    error?.message ? { name: 'error', value: error.message } : undefined,
  ];
  return facts.flatMap((fact) => (fact ? [{ ...fact, value: fact.value.slice(0, 500) }] : []));
}

const jobIdFact = (id: string | undefined): FactView =>
  id === undefined ? { name: 'jobId', value: '', note: 'none' } : { name: 'jobId', value: id };

const statusFact = ({ raw, meaning }: ReturnType<typeof readStatus>): FactView =>
  meaning
    ? { name: 'status', value: `${raw} = ${meaning}` }
    : { name: 'status', value: raw, note: 'unknown' };

function resultFact(artefact: ArtefactRef): FactView {
  switch (artefact.type) {
    case 'url':
      return { name: 'result', value: artefact.url, ...(artefact.authenticated ? { note: 'withKey' } : {}) };
    case 'stored':
      return { name: 'result', value: '', note: 'insideAnswer' };
    case 'text':
      return { name: 'result', value: artefact.text };
  }
}
