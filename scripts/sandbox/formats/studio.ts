import { z } from 'zod';
import { answerCancel, answerPoll } from '../answer-job.ts';
import { type CreateEndpoint, hexId, type Sandbox } from '../endpoint.ts';
import { cancelJob, type StatusWords, spell } from '../job-view.ts';
import {
  count,
  kindOfModel,
  type MediaOrder,
  makeMedia,
  orderMedia,
  readSize,
  seconds,
  sizeText,
} from '../media-order.ts';
import { polledView, trueView, type View } from '../results.ts';
import type { Job } from '../state.ts';
import { ApiError, type Exchange, sendJson, validate } from '../wire.ts';
import type { WireFormat } from './format.ts';

/**
 * An invented vendor below `/studio`, unlike all others on purpose: what the declarative protocol is tried on. Images
 * or, when the model's name says so, video.
 */

const createRequest = z.strictObject({
  input: z.strictObject({
    text: z.string().min(1, 'must not be empty').max(32_000),
    model: z.string().min(1).default('canvas-1'),
    size: sizeText.optional(),
    count: count.optional(),
    seconds: seconds.optional(),
  }),
  /** The caller's own reference; comes back with the render. */
  ref: z.string().max(200).nullish(),
});

type StudioRequest = { ref: string | null; order: MediaOrder };
const requestOf = (job: Job) => job.request as StudioRequest;

const WORDS: StatusWords = {
  queued: 'waiting',
  in_progress: 'painting',
  completed: 'ready',
  failed: 'broken',
  cancelled: 'stopped',
  incomplete: 'ready',
};

function renderOf({ job, status, truth, files }: View): unknown {
  return {
    render: {
      no: job.id,
      ref: requestOf(job).ref,
      phase: spell(WORDS, status),
      percent: truth.progress,
      files: files.map((file) => file && { href: file.url, type: file.mime }),
      problem: truth.error ? { kind: truth.error.code, text: truth.error.message } : null,
    },
  };
}

const orderedBy = (job: Job) => requestOf(job).order.count;

const rendersEndpoint: CreateEndpoint = {
  name: 'renders',
  newId: () => hexId('R-'),

  read({ fields }) {
    const { input, ref } = validate(createRequest, fields);
    const kind = kindOfModel(input.model) === 'video' ? 'video' : 'image';
    const size = input.size === undefined ? {} : readSize(input.size);
    const order = orderMedia(kind, { ...size, count: input.count, seconds: input.seconds });
    const request: StudioRequest = { ref: ref ?? null, order };
    return { kind, prompt: input.text, model: input.model, request, synchronous: false };
  },

  make: (sandbox, job) => makeMedia(sandbox, job, requestOf(job).order),

  answer: async (_sandbox, job) => ({ type: 'json', status: 202, value: { ticket: { no: job.id } } }),
};

const readRender = (sandbox: Sandbox, exchange: Exchange, job: Job) =>
  answerPoll(sandbox, exchange, job, () => ({ value: renderOf(polledView(sandbox, job, orderedBy(job))) }));

const stopRender = (sandbox: Sandbox, exchange: Exchange, job: Job) =>
  answerCancel(sandbox, exchange, job, () => {
    const over = cancelJob(job) === 'already-over';
    return { status: over ? 409 : 200, value: renderOf(trueView(sandbox, job, orderedBy(job))) };
  });

const JOBS = ['renders'] as const;

export const studio: WireFormat = {
  name: 'studio',
  prefix: '/studio',
  routes: [
    { method: 'POST', path: '/studio/renders', call: 'create', create: rendersEndpoint },
    { method: 'GET', path: '/studio/renders/:id', call: 'poll', jobs: JOBS, handle: readRender },
    { method: 'DELETE', path: '/studio/renders/:id', call: 'cancel', jobs: JOBS, handle: stopRender },
    {
      method: 'GET',
      path: '/studio/ping',
      call: 'check',
      run: (_sandbox, exchange) => sendJson(exchange, 200, { pong: true }),
    },
  ],
  readKey({ req }) {
    const header = req.headers['x-studio-key'];
    return Array.isArray(header) ? header[0] : header;
  },
  unauthenticated: (sent) =>
    new ApiError(
      401,
      sent ? 'bad_key' : 'no_key',
      sent ? 'This key is not known here.' : 'Send your key in the header X-Studio-Key.',
    ),
  missing: (id) => new ApiError(404, 'no_such_render', `There is no render ${id}.`),
  errors: ({ status, code, message, param }) => ({
    status,
    body: {
      problem: { kind: code ?? 'refused', text: message, ...(param === null ? {} : { field: param }) },
    },
  }),
  requestIdHeader: 'x-studio-trace',
};
