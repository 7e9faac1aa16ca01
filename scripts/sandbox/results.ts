import path from 'node:path';
import { findBehaviour, takeBehaviour } from './attachments.ts';
import type { Sandbox } from './endpoint.ts';
import { type JobTruth, shownByPoll, truthOf } from './job-view.ts';
import { writeProse } from './media/prose.ts';
import type { Job } from './state.ts';

/** What a job shows of its results, for every format that names files by their addresses. */

/** How many outputs come, and how many places of the list stay empty. */
export function deliveryOf(job: Job, ordered: number): { delivered: number; nulls: number } {
  const partial = findBehaviour(job.behaviours, 'partial');
  if (!partial) return { delivered: ordered, nulls: 0 };
  const delivered = partial.deliver ?? ordered - 1;
  return { delivered, nulls: partial.nulls ? Math.max(0, ordered - delivered) : 0 };
}

/** The public address of one file; it changes with every poll, as signed addresses do. */
export function fileUrl(sandbox: Sandbox, job: Job, file: { ordinal: number; extension: string }): string {
  return `${sandbox.origin()}/files/${job.id}/${file.ordinal}.${file.extension}?read=${job.polls}`;
}

/** Where a job that is still at work shows a first impression, which is not the result. */
export function previewUrl(sandbox: Sandbox, job: Job): string {
  return `${sandbox.origin()}/files/${job.id}/preview?read=${job.polls}`;
}

export type ResultFile = { url: string; mime: string; bytes: number; name: string };

/** A job as one answer shows it. */
export type View = {
  job: Job;
  /** A status of ours or whatever a behaviour says instead; see `spell`. */
  status: unknown;
  truth: JobTruth;
  /** Null where an output is missing; empty until the end. */
  files: (ResultFile | null)[];
  /** What a job of the kind `text` wrote. */
  text: string | null;
};

function filesOf(sandbox: Sandbox, job: Job, ordered: number): (ResultFile | null)[] {
  const files: (ResultFile | null)[] = job.artefacts.map((file, ordinal) => {
    const extension = path.extname(file.path).slice(1);
    const url = fileUrl(sandbox, job, { ordinal, extension });
    return { url, mime: file.mime, bytes: file.bytes, name: `${ordinal}.${extension}` };
  });
  const { nulls } = deliveryOf(job, ordered);
  return [...files, ...Array.from({ length: nulls }, () => null)];
}

function textOf(job: Job): string | null {
  if (job.kind !== 'text') return null;
  const text = writeProse(job.text);
  return findBehaviour(job.behaviours, 'incomplete') ? text.slice(0, Math.floor(text.length / 2)) : text;
}

const delivers = ({ status }: JobTruth) => status === 'completed' || status === 'incomplete';

type Shown = Pick<View, 'status' | 'truth'>;

function viewOf(sandbox: Sandbox, job: Job, ordered: number, shown: Shown & { withheld: boolean }): View {
  const { status, truth, withheld } = shown;
  const bare = withheld || !delivers(truth);
  const files = bare ? [] : filesOf(sandbox, job, ordered);
  return { job, status, truth, files, text: bare ? null : textOf(job) };
}

/** What is true, as creates, lists, cancels and webhooks tell it. `ordered`: how many outputs were ordered. */
export function trueView(sandbox: Sandbox, job: Job, ordered: number, truth?: JobTruth): View {
  const told = truth ?? truthOf(job, Date.now());
  const withheld = findBehaviour(job.behaviours, 'no_artifact') !== undefined;
  return viewOf(sandbox, job, ordered, { status: told.status, truth: told, withheld });
}

function takeWithheld(job: Job, truth: JobTruth): boolean {
  return (
    delivers(truth) && takeBehaviour(job.behaviours, (item) => item.type === 'no_artifact') !== undefined
  );
}

/** What one poll says: the truth, or what behaviours make of it. Uses up their `times`. */
export function polledView(sandbox: Sandbox, job: Job, ordered: number): View {
  const shown = shownByPoll(job, truthOf(job, Date.now()));
  return viewOf(sandbox, job, ordered, { ...shown, withheld: takeWithheld(job, shown.truth) });
}

/** What one reading of the result says, where it is fetched apart from the status. */
export function resultView(sandbox: Sandbox, job: Job, ordered: number): View {
  const truth = truthOf(job, Date.now());
  const withheld = takeWithheld(job, truth);
  return viewOf(sandbox, job, ordered, { status: truth.status, truth, withheld });
}
