import { randomInt } from 'node:crypto';
import { z } from 'zod';
import type { CreateEndpoint, Sandbox, WebhookFormat, WebhookMessage } from '../../endpoint.ts';
import { isFinal, type StatusWords, spell } from '../../job-view.ts';
import {
  count,
  kindOfModel,
  type MediaOrder,
  makeMedia,
  orderMedia,
  ratioText,
  seconds,
  side,
  sizeOfRatio,
} from '../../media-order.ts';
import { trueView, type View } from '../../results.ts';
import type { SandboxKind } from '../../rules.ts';
import type { Job } from '../../state.ts';
import { signStandard } from '../../webhook-keys.ts';
import { ApiError, validate } from '../../wire.ts';

/** A prediction as Replicate's vendor documentation has it: how it is ordered, shown and told to a webhook. */

export const PREFIX = '/replicate/v1';
const EVENTS = ['start', 'output', 'logs', 'completed'] as const;

/** What every model takes; a model's own inputs may stand beside it. */
const input = z.looseObject({
  prompt: z.string().min(1).max(32_000),
  width: side.optional(),
  height: side.optional(),
  // Models have words of their own for these, such as match_input_image.
  aspect_ratio: ratioText.optional().catch(undefined),
  num_outputs: count.optional(),
  duration: seconds.optional(),
  seconds: seconds.optional(),
  output_format: z.enum(['png', 'webp', 'jpg', 'jpeg']).optional().catch(undefined),
});

const createRequest = z.looseObject({
  version: z.string().min(1).optional(),
  input,
  webhook: z.url({ protocol: /^https?$/, error: 'must be a URL' }).optional(),
  webhook_events_filter: z.array(z.enum(EVENTS)).optional(),
  stream: z.boolean().optional(),
});

type ReplicateRequest = {
  input: unknown;
  version: string;
  webhook: string | null;
  events: readonly string[] | null;
  order: MediaOrder;
};
const requestOf = (job: Job) => job.request as ReplicateRequest;
export const orderedBy = (job: Job) => requestOf(job).order.count;

const WORDS: StatusWords = {
  queued: 'starting',
  in_progress: 'processing',
  completed: 'succeeded',
  failed: 'failed',
  cancelled: 'canceled',
  incomplete: 'succeeded',
};

/** A list for images and texts, one address for films and sounds, null before the end. */
function outputOf({ job, files, text }: View): unknown {
  if (text !== null) return text.match(/\S+\s*/g);
  if (job.kind === 'video' || job.kind === 'audio') return files[0]?.url ?? null;
  return files.length > 0 ? files.map((file) => file?.url ?? null) : null;
}

const toIso = (milliseconds: number) => new Date(milliseconds).toISOString();

/** The object that every answer and webhook is about. */
export function predictionOf(sandbox: Sandbox, view: View): Record<string, unknown> {
  const { job, truth, status } = view;
  const request = requestOf(job);
  const over = isFinal(truth);
  const endedAt = job.cancelledAt ?? (job.released ? Date.now() : job.createdAt + job.durationMs);
  const url = `${sandbox.origin()}${PREFIX}/predictions/${job.id}`;
  return {
    id: job.id,
    model: job.model,
    version: request.version,
    input: request.input,
    logs: truth.progress > 0 ? `Using seed: ${job.row}\n${truth.progress}%|####\n` : '',
    output: outputOf(view),
    data_removed: false,
    error: truth.error?.message ?? null,
    source: 'api',
    status: spell(WORDS, status),
    created_at: toIso(job.createdAt),
    started_at: truth.status === 'queued' ? null : toIso(job.createdAt),
    completed_at: over ? toIso(endedAt) : null,
    ...(over ? { metrics: { predict_time: job.durationMs / 1_000 } } : {}),
    ...(request.webhook === null ? {} : { webhook: request.webhook }),
    ...(request.events === null ? {} : { webhook_events_filter: request.events }),
    urls: { get: url, cancel: `${url}/cancel`, web: `${sandbox.origin()}/p/${job.id}` },
  };
}

const webhooks: WebhookFormat = {
  messages(sandbox, job, moment, truth) {
    const tell = (event: string, view: View, changes: object = {}): WebhookMessage => ({
      event,
      // A late success is another message than the failure before it.
      id: `msg_${job.id}_${event}_${truth.status}`,
      body: { ...predictionOf(sandbox, view), ...changes },
    });
    const atWork = { ...truth, status: 'in_progress' as const, error: null };
    if (moment === 'start') {
      const view = trueView(sandbox, job, orderedBy(job), atWork);
      return [tell('start', view), tell('logs', view)];
    }
    const view = trueView(sandbox, job, orderedBy(job), truth);
    const output = outputOf(view);
    // Outputs are told while the prediction is still said to be at work.
    const unfinished = { status: WORDS.in_progress, completed_at: null, metrics: undefined };
    return [...(output === null ? [] : [tell('output', view, unfinished)]), tell('completed', view)];
  },
  sign: signStandard,
};

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

const hasOwn = (value: object, ...names: string[]) => names.some((name) => Object.hasOwn(value, name));

/** A bare version says nothing about what it makes; then the inputs do. */
function kindOf(model: string, version: string, fields: object): SandboxKind {
  if (/[a-z]/.test(model) || !/^[0-9a-f]{64}$/.test(version)) return kindOfModel(model || version);
  return hasOwn(fields, 'duration', 'seconds') ? 'video' : 'image';
}

export const predictionsEndpoint: CreateEndpoint = {
  name: 'predictions',
  newId: () => Array.from({ length: 26 }, () => ALPHABET[randomInt(ALPHABET.length)]).join(''),

  read({ fields }, { params }) {
    const request = validate(createRequest, fields);
    const named = params.owner === undefined ? '' : `${params.owner}/${params.name}`;
    const [model = '', hash] = request.version?.split(':') ?? [];
    const version = hash ?? model;
    if (!named && !version)
      throw new ApiError(400, 'missing', 'Missing required parameter: version.', 'version');
    const kind = kindOf(named || (hash ? model : ''), version, request.input);
    const { aspect_ratio: ratio, output_format: format, width, height } = request.input;
    const size = ratio === undefined ? {} : sizeOfRatio(kind, ratio);
    const order = orderMedia(kind, {
      ...size,
      ...(width === undefined ? {} : { width }),
      ...(height === undefined ? {} : { height }),
      count: request.input.num_outputs,
      seconds: request.input.duration ?? request.input.seconds,
      imageFormat: format === 'jpg' ? 'jpeg' : format,
    });
    const url = request.webhook ?? null;
    const events = request.webhook_events_filter ?? null;
    const kept: ReplicateRequest = {
      input: request.input,
      version: version || 'hidden',
      webhook: url,
      events,
      order,
    };
    return {
      kind,
      prompt: request.input.prompt,
      model: named || (hash ? model : version),
      request: kept,
      synchronous: false,
      webhook: url === null ? null : { url, events },
    };
  },

  make: (sandbox, job) => makeMedia(sandbox, job, requestOf(job).order),

  answer: async (sandbox, job) => ({
    type: 'json',
    status: 201,
    value: predictionOf(sandbox, trueView(sandbox, job, orderedBy(job))),
  }),

  webhooks,
};
