import { z } from 'zod';
import { KINDS } from '#server/generation/status.ts';
import { baseUrl } from '../../channels/schemas.ts';
import type { CreateOutcome, PollOutcome } from '../../provider.ts';
import { customSettings } from '../schemas.ts';

/** A dry run reads answers that an administrator pastes, and sends nothing. */

const sampleAnswer = z.strictObject({
  status: z.number('Enter an HTTP status, such as 200.').int().min(100).max(599).default(200),
  body: z.string().max(200_000, 'Paste at most 200000 characters.'),
});
export type SampleAnswer = z.output<typeof sampleAnswer>;

export const dryRunInput = z.strictObject({
  settings: customSettings,
  baseUrl: baseUrl.default('https://vendor.example'),
  sample: z
    .strictObject({
      kind: z.enum(KINDS).default('image'),
      model: z.string().trim().max(200).default('some-model'),
      prompt: z.string().max(4_000).default('A lighthouse at dusk'),
      params: z.record(z.string().max(60), z.unknown()).default({}),
    })
    .prefault({}),
  /** Answer of the create; without it only the request is shown. */
  created: sampleAnswer.optional(),
  polled: sampleAnswer.optional(),
  /** Answer of the second address of a finished job. */
  result: sampleAnswer.optional(),
});
export type DryRunInput = z.output<typeof dryRunInput>;

/** A request as it would be sent, with the key masked. */
export type RequestView = {
  method: string;
  url: string;
  headers: { name: string; value: string }[];
  /** JSON, or the parts of a form; null when there is none. */
  body: string | null;
};

/** A single value that was read: the status as `word = meaning`. What there is to say of it, or in its place. */
export type FactView = {
  name: 'httpStatus' | 'jobId' | 'status' | 'progress' | 'result' | 'errorCode' | 'error';
  value: string;
  note?: 'none' | 'unknown' | 'withKey' | 'insideAnswer';
};

/** What would be made of an answer. */
export type ReadingView = {
  tone: 'good' | 'unsure' | 'bad';
  outcome: CreateOutcome['type'] | PollOutcome['type'];
  sentence: string;
  facts: FactView[];
};

export type DryRunView = {
  /** Why the create could not be put together; null when it could. */
  problem: string | null;
  create: { request: RequestView | null; reading: ReadingView | null };
  /** Null where the description has no poll. */
  poll: { requests: RequestView[]; reading: ReadingView | null } | null;
};
