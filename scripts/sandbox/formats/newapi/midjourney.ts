import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { answerCancel, answerPoll } from '../../answer-job.ts';
import type { CreateEndpoint, Sandbox, WebhookFormat } from '../../endpoint.ts';
import { cancelJob, isFinal, MODERATION_ERROR, type StatusWords, spell } from '../../job-view.ts';
import { type MediaOrder, makeMedia, orderMedia, sizeOfRatio } from '../../media-order.ts';
import { polledView, previewUrl, trueView, type View } from '../../results.ts';
import type { Job } from '../../state.ts';
import { type ErrorStyle, type Exchange, readBody, sendJson, validate } from '../../wire.ts';
import type { Route } from '../format.ts';
import { openaiShapedErrors } from './errors.ts';

/** Pictures in the manner of a Midjourney proxy: a grid, its four tiles, and a preview while they are painted. */

const TILES = 4;
/** Ordinal of the grid's picture, apart from those of the tiles. */
const GRID_ORDINAL = 9;

/** Codes of answers to a submit. */
const ACCEPTED = 1;
const FAILED = 4;
const BANNED = 24;
const SATURATED = 30;

const createRequest = z.looseObject({
  prompt: z.string().min(1).max(8_000),
  botType: z.enum(['MID_JOURNEY', 'NIJI_JOURNEY']).default('MID_JOURNEY'),
  base64Array: z.array(z.string()).optional(),
  notifyHook: z.url({ protocol: /^https?$/, error: 'must be a URL' }).optional(),
  /** The caller's own reference; comes back with the task. */
  state: z.string().optional(),
});

type MidjourneyRequest = { botType: string; state: string; order: MediaOrder };
const requestOf = (job: Job) => job.request as MidjourneyRequest;

const WORDS: StatusWords = {
  queued: 'SUBMITTED',
  in_progress: 'IN_PROGRESS',
  completed: 'SUCCESS',
  failed: 'FAILURE',
  cancelled: 'CANCEL',
  incomplete: 'SUCCESS',
};

function taskOf(sandbox: Sandbox, view: View): Record<string, unknown> {
  const { job, status, truth } = view;
  const [grid, ...tiles] = view.files;
  const preview = truth.status === 'in_progress' ? previewUrl(sandbox, job) : '';
  const { botType, state } = requestOf(job);
  return {
    id: job.id,
    action: 'IMAGINE',
    botType,
    prompt: job.prompt,
    promptEn: job.text,
    description: 'Submit success',
    state,
    status: spell(WORDS, status),
    progress: `${truth.progress}%`,
    submitTime: job.createdAt,
    startTime: truth.status === 'queued' ? 0 : job.createdAt,
    finishTime: isFinal(truth) ? Date.now() : 0,
    imageUrl: grid?.url ?? preview,
    imageUrls: tiles.map((tile) => tile && { url: tile.url }),
    failReason: truth.error?.message ?? '',
    buttons: tiles.map((_tile, index) => ({ customId: `U${index + 1}`, label: `U${index + 1}`, emoji: '' })),
    properties: { finalPrompt: job.text },
  };
}

const webhooks: WebhookFormat = {
  messages: (sandbox, job, moment, truth) => [
    { event: moment, id: job.id, body: taskOf(sandbox, trueView(sandbox, job, TILES, truth)) },
  ],
  sign: () => ({}),
};

const imagineEndpoint: CreateEndpoint = {
  name: 'midjourney',
  // Milliseconds and three digits: too long for a double, and text all the same.
  newId: () => `${Date.now()}${randomInt(100_000, 1_000_000)}`,

  read({ fields }) {
    const { prompt, botType, state, notifyHook: url } = validate(createRequest, fields);
    const ratio = /--ar\s+(\d{1,2}:\d{1,2})/.exec(prompt)?.[1];
    const order = orderMedia('image', {
      ...(ratio === undefined ? {} : sizeOfRatio('image', ratio)),
      count: TILES,
    });
    const request: MidjourneyRequest = { botType, state: state ?? '', order };
    const webhook = url === undefined ? null : { url, events: null };
    return { kind: 'image', prompt, model: 'midjourney', request, synchronous: false, webhook };
  },

  async make(sandbox, job) {
    const { order } = requestOf(job);
    const { width, height, imageFormat: format } = order;
    const grid = { prompt: job.text, ordinal: GRID_ORDINAL, width, height, format };
    return [await sandbox.media.image(grid), ...(await makeMedia(sandbox, job, order))];
  },

  answer: async (_sandbox, job) => ({
    type: 'json',
    value: { code: ACCEPTED, description: 'Submit success', result: job.id, properties: {} },
  }),

  webhooks,
};

const fetchTask = (sandbox: Sandbox, exchange: Exchange, job: Job) =>
  answerPoll(sandbox, exchange, job, () => ({ value: taskOf(sandbox, polledView(sandbox, job, TILES)) }));

const cancelTask = (sandbox: Sandbox, exchange: Exchange, job: Job) =>
  answerCancel(sandbox, exchange, job, () => {
    const over = cancelJob(job) === 'already-over';
    return {
      value: {
        code: over ? FAILED : ACCEPTED,
        description: over ? 'The task is over already' : 'Success',
        result: job.id,
      },
    };
  });

/** By ids, or by the caller's own reference; nothing without either. */
async function listTasks(sandbox: Sandbox, exchange: Exchange): Promise<void> {
  const { fields } = await readBody(exchange.req);
  const wanted = z.looseObject({ ids: z.array(z.string()).optional(), state: z.string().optional() });
  const { ids, state } = validate(wanted, fields);
  const jobs = [...sandbox.state.jobs.values()].filter(
    (job) =>
      job.endpoint === 'midjourney' &&
      job.apiKey === exchange.apiKey &&
      (ids?.includes(job.id) || (state !== undefined && requestOf(job).state === state)),
  );
  sendJson(
    exchange,
    200,
    jobs.map((job) => taskOf(sandbox, trueView(sandbox, job, TILES))),
  );
}

/** `{description, type, code}`; a banned prompt is told with 200. */
export const midjourneyErrors: ErrorStyle = (error, exchange) => {
  const { status, code, message } = error;
  if (status === 401) return openaiShapedErrors(error, exchange);
  if (code === MODERATION_ERROR.code) {
    const properties = { promptEn: '', bannedWord: 'sandbox' };
    return { status: 200, body: { code: BANNED, description: message, result: '', properties } };
  }
  const number = status === 429 ? SATURATED : FAILED;
  const description = code === 'not_found' ? 'task_no_found' : message;
  return {
    status: code === 'not_found' ? 400 : status,
    body: { description, type: 'upstream_error', code: number },
  };
};

const JOBS = ['midjourney'] as const;

export const midjourneyRoutes: readonly Route[] = [
  { method: 'POST', path: '/newapi/mj/submit/imagine', call: 'create', create: imagineEndpoint },
  { method: 'POST', path: '/newapi/mj-:speed/mj/submit/imagine', call: 'create', create: imagineEndpoint },
  { method: 'GET', path: '/newapi/mj/task/:id/fetch', call: 'poll', jobs: JOBS, handle: fetchTask },
  { method: 'POST', path: '/newapi/mj/task/:id/cancel', call: 'cancel', jobs: JOBS, handle: cancelTask },
  { method: 'POST', path: '/newapi/mj/task/list-by-condition', call: 'list', run: listTasks },
];
