import { z } from 'zod';
import { WEBHOOK_BEHAVIOURS } from './webhook-rules.ts';

/**
 * Every way in which the sandbox upstream can misbehave. A rule (`POST /control/rules`) or a directive in the prompt
 * (`[[name]]`, `[[name:value]]`, `[[name:value,key=value]]`, dashes or underscores) attaches behaviours to a job at its
 * create; the schema below is the reference of both. `GET /control/behaviours` prints it.
 *
 * `times`: how many answers are affected, `always` for all. Faults of polls and contents count per job, in the order
 * in which they are attached. Refusals of creates count per rule or, for a directive, per prompt (and start over
 * once a create has passed).
 */

export const KINDS = ['image', 'video', 'audio', 'text'] as const;
export type SandboxKind = (typeof KINDS)[number];

/** Vendors whose wire formats are spoken. */
const FORMATS = ['openai', 'newapi', 'replicate', 'fal', 'studio'] as const;
/** The vendor whose wire format a call speaks. */
export type FormatName = (typeof FORMATS)[number];

const times = z.union([z.coerce.number().int().min(1).max(1_000_000), z.literal('always')]);
const milliseconds = z.coerce.number().int().min(0).max(86_400_000);
const httpStatus = z.coerce.number().int().min(400).max(599);
const flag = z.union([z.boolean(), z.stringbool()]);
/** `result` where a format fetches it apart from the status. */
const onCall = z.enum(['create', 'poll', 'result', 'cancel', 'content']);

export const behaviour = z.discriminatedUnion('type', [
  // Verdicts
  z
    .strictObject({
      type: z.literal('fail'),
      code: z.string().default('generation_failed'),
      message: z.string().default('The generation failed.'),
      bare: flag.default(false),
    })
    .describe(
      'Verdict "failed": a 400 envelope for synchronous kinds, status failed after the delay otherwise. bare: error is null.',
    ),
  z
    .strictObject({ type: z.literal('moderate'), at: z.enum(['auto', 'create']).default('auto') })
    .describe(
      'moderation_blocked: 400 at create for synchronous kinds (or at=create), failed at the end otherwise.',
    ),
  z
    .strictObject({
      type: z.literal('incomplete'),
      reason: z.enum(['max_output_tokens', 'content_filter']).default('max_output_tokens'),
    })
    .describe(
      'Text: status incomplete (chat: finish_reason length or content_filter) with half of the text.',
    ),
  z
    .strictObject({ type: z.literal('cancelled') })
    .describe('Text: upstream ends the job as cancelled by itself.'),
  z
    .strictObject({
      type: z.literal('late_success'),
      shown: z.enum(['failed', 'in_progress']).default('failed'),
      afterMs: milliseconds.optional(),
    })
    .describe(
      'Shows failed (or in_progress) when it should be done; succeeds afterMs later, or when released.',
    ),

  // Answers to a create
  z
    .strictObject({ type: z.literal('hang'), on: onCall.default('create') })
    .describe('Never answers until released. A create has recorded its job.'),
  z
    .strictObject({ type: z.literal('drop_after_accept') })
    .describe('Records the job, then closes the socket without an answer.'),
  z
    .strictObject({ type: z.literal('drop_before_accept'), times: times.default('always') })
    .describe('Closes the socket; no job.'),
  z
    .strictObject({ type: z.literal('error_after_accept'), status: httpStatus.default(502) })
    .describe('Records the job, then answers an HTML error page.'),
  z
    .strictObject({
      type: z.literal('reject'),
      status: httpStatus.default(400),
      code: z.string().default('invalid_request'),
      message: z.string().default('The request was refused.'),
      times: times.default('always'),
    })
    .describe("Refuses the create with the vendor's error envelope; no job."),
  z
    .strictObject({ type: z.literal('empty_create') })
    .describe('Records the job, answers 200 with an empty body.'),
  z
    .strictObject({ type: z.literal('no_id') })
    .describe('Records the job, answers as ever, but null stands wherever its id would be.'),
  z
    .strictObject({
      type: z.literal('numeric_id'),
      id: z
        .string()
        .regex(/^\d{1,30}$/)
        .default('9007199254740993'),
    })
    .describe('The id is a JSON number, longer than a double can hold (the next free one when taken).'),

  // Faults of one call
  z
    .strictObject({
      type: z.literal('rate_limit'),
      retryAfterSeconds: z.coerce.number().int().min(0).max(86_400).default(1),
      as: z.enum(['seconds', 'date', 'none']).default('seconds'),
      on: onCall.default('create'),
      code: z.string().default('rate_limit_exceeded'),
      times: times.default(1),
    })
    .describe('429 with Retry-After in seconds or as an HTTP date; a create records no job.'),
  z
    .strictObject({
      type: z.literal('html'),
      on: onCall.default('poll'),
      status: z.coerce.number().int().min(200).max(599).default(200),
      times: times.default(1),
    })
    .describe('An HTML page, with 200 unless told otherwise. A create has recorded its job.'),
  z
    .strictObject({
      type: z.literal('server_error'),
      on: onCall.default('poll'),
      status: httpStatus.default(503),
      times: times.default(1),
    })
    .describe('A 5xx with an error envelope. A create has recorded its job.'),
  z
    .strictObject({ type: z.literal('not_found'), times: times.default(2) })
    .describe('404 for the first polls.'),
  z
    .strictObject({ type: z.literal('unauthorized'), times: times.default(1) })
    .describe('401 for the first polls.'),
  z
    .strictObject({ type: z.literal('reset'), on: onCall.default('poll'), times: times.default(1) })
    .describe('A TCP reset instead of an answer.'),
  z
    .strictObject({ type: z.literal('empty_poll'), times: times.default(1) })
    .describe('200 with an empty body for the first polls.'),
  z
    .strictObject({
      type: z.literal('truncated'),
      on: z.enum(['create', 'poll', 'result']).default('poll'),
      cut: flag.default(false),
      times: times.default(1),
    })
    .describe('Half of the JSON. cut: announces the whole length and closes the socket.'),
  z
    .strictObject({
      type: z.literal('slow_reply'),
      ms: milliseconds.default(5_000),
      on: onCall.default('create'),
      times: times.default('always'),
    })
    .describe('Waits before the answer; the job itself goes on meanwhile.'),
  z
    .strictObject({
      type: z.literal('raw'),
      on: onCall.default('create'),
      status: z.coerce.number().int().min(200).max(599).default(200),
      contentType: z.string().default('application/json'),
      headers: z.record(z.string(), z.string()).default({}),
      body: z.string().default(''),
      accept: flag.default(true),
      times: times.default('always'),
    })
    .describe('Exactly this answer. accept=false: a create records no job.'),

  // What a poll says
  z
    .strictObject({
      type: z.literal('unknown_status'),
      status: z.union([z.string(), z.number(), z.null()]).default('post_processing'),
      times: times.default(3),
    })
    .describe('A status that the protocol does not name (text, number, null).'),
  z
    .strictObject({ type: z.literal('status_word'), status: z.string().default('succeeded') })
    .describe('Another spelling for the final status: succeeded, SUCCESS, canceled, nsfw …'),
  z
    .strictObject({ type: z.literal('stuck'), progress: z.coerce.number().int().min(0).max(100).default(99) })
    .describe('in_progress until released.'),
  z
    .strictObject({
      type: z.literal('contradict'),
      statuses: z.array(z.string()).min(1).default(['completed', 'in_progress', 'failed']),
    })
    .describe('One status per poll in this order; the last one stays.'),
  z.strictObject({ type: z.literal('ignore_cancel') }).describe('A cancel is answered, the job goes on.'),

  // What is delivered
  z
    .strictObject({ type: z.literal('delay'), ms: milliseconds.default(5_000) })
    .describe(
      'How long the work takes, in place of the configured delay: before the answer of synchronous kinds, until completed for others.',
    ),
  z
    .strictObject({
      type: z.literal('partial'),
      deliver: z.coerce.number().int().min(0).max(20).optional(),
      nulls: flag.default(false),
    })
    .describe(
      'Deliver this many outputs (default n − 1; also more than n). nulls: the missing ones are null entries.',
    ),
  z
    .strictObject({ type: z.literal('shorter'), seconds: z.coerce.number().int().min(1).max(60).default(2) })
    .describe('Video: makes and reports fewer seconds than ordered.'),
  z
    .strictObject({ type: z.literal('no_artifact'), times: times.default('always') })
    .describe(
      'Success without anything: no url or b64_json, no content (404), no output items, zero bytes of sound.',
    ),
  z
    .strictObject({
      type: z.literal('expired'),
      status: z.coerce.number().int().min(400).max(499).default(410),
      fresh: flag.default(false),
      times: times.default('always'),
    })
    .describe(
      'Contents answer 403, 404 or 410. fresh: only at the addresses given until then; the next poll gives one that works.',
    ),
  z
    .strictObject({
      type: z.literal('wrong_body'),
      as: z.enum(['html', 'json']).default('json'),
      times: times.default('always'),
    })
    .describe('HTML or JSON under the media type of the artefact, with 200.'),
  z
    .strictObject({ type: z.literal('wrong_mime'), mime: z.string().default('application/octet-stream') })
    .describe('Right bytes, another media type.'),
  z
    .strictObject({ type: z.literal('zero_bytes'), times: times.default('always') })
    .describe('Contents of no bytes, with 200.'),
  z
    .strictObject({
      type: z.literal('slow_drip'),
      bytes: z.coerce.number().int().min(1).max(1_000_000).default(512),
      everyMs: z.coerce.number().int().min(1).max(60_000).default(100),
    })
    .describe('Contents arrive in small pieces.'),
  z
    .strictObject({
      type: z.literal('broken_download'),
      afterBytes: z.coerce.number().int().min(0).default(1_000),
      times: times.default(1),
    })
    .describe('Announces the whole length and closes the socket early.'),
  z.strictObject({ type: z.literal('endless') }).describe('Contents without a length that never end.'),
  z
    .strictObject({
      type: z.literal('redirect'),
      on: z.enum(['create', 'content']).default('content'),
      to: z.string().optional(),
      times: times.default('always'),
    })
    .describe('302 for contents (to the public file unless told), 307 for creates, which record no job.'),

  ...WEBHOOK_BEHAVIOURS,
]);
export type Behaviour = z.output<typeof behaviour>;
export type BehaviourInput = z.input<typeof behaviour>;
export type BehaviourType = Behaviour['type'];
export type BehaviourOf<T extends BehaviourType> = Extract<Behaviour, { type: T }>;

const OPEN_MATCH = 'A rule needs a match: promptIncludes, clientRef, jobId, kind, format, or any: true.';

const ruleMatch = z
  .strictObject({
    /** A part of the prompt, as it was sent. */
    promptIncludes: z.string().min(1).optional(),
    /** `Idempotency-Key` or `X-Client-Request-Id` of the create. */
    clientRef: z.string().min(1).optional(),
    jobId: z.string().min(1).optional(),
    kind: z.enum(KINDS).optional(),
    format: z.enum(FORMATS).optional(),
    /** Any create: with `count: 1` the next one. */
    any: z.literal(true).optional(),
  })
  .refine((match) => Object.values(match).some((value) => value !== undefined), OPEN_MATCH);
export type RuleMatch = z.output<typeof ruleMatch>;

export const ruleInput = z.strictObject({
  match: ruleMatch,
  behaviours: z.array(behaviour).min(1),
  /** How many creates it applies to. Without it: all, but only the next one for a match of `any` alone. */
  count: z.number().int().min(1).optional(),
  /** Whether jobs that exist already take the behaviours on. Default: yes when the match names clientRef or jobId. */
  existing: z.boolean().optional(),
});
export type RuleInput = z.input<typeof ruleInput>;

export const BEHAVIOUR_TYPES: readonly BehaviourType[] = behaviour.options.map(
  (option) => option.shape.type.value,
);
