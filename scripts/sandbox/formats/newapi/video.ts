import { z } from 'zod';
import { answerPoll } from '../../answer-job.ts';
import { type CreateEndpoint, type Sandbox, toSeconds } from '../../endpoint.ts';
import { type VideoRequest, videosEndpoint } from '../../endpoints/videos.ts';
import { isFinal, type StatusWords, spell } from '../../job-view.ts';
import { orderMedia, readSize, seconds, side, sizeText } from '../../media-order.ts';
import { polledView, type View } from '../../results.ts';
import type { Job } from '../../state.ts';
import { type Exchange, validate } from '../../wire.ts';
import type { Route } from '../format.ts';
import { taskId } from './errors.ts';

/** The unified video route; its tasks are the same as those of the route in OpenAI's shape. */

/** Any model is taken and unknown fields are ignored, as aggregators do. */
const createRequest = z.looseObject({
  model: z.string().min(1),
  prompt: z.string().min(1).max(32_000),
  size: sizeText.optional().catch(undefined),
  width: side.optional(),
  height: side.optional(),
  duration: seconds.optional(),
  seconds: seconds.optional(),
});

const TASK_WORDS: StatusWords = {
  queued: 'QUEUED',
  in_progress: 'IN_PROGRESS',
  completed: 'SUCCESS',
  failed: 'FAILURE',
  cancelled: 'FAILURE',
  incomplete: 'SUCCESS',
};

/** OpenAI's route of the aggregator, with ids as it gives them. */
export const taskVideosEndpoint: CreateEndpoint = { ...videosEndpoint, newId: taskId };

const unifiedEndpoint: CreateEndpoint = {
  ...taskVideosEndpoint,

  read({ fields }) {
    const { model, prompt, ...rest } = validate(createRequest, fields);
    const size = rest.size === undefined ? { width: rest.width, height: rest.height } : readSize(rest.size);
    const order = orderMedia('video', { ...size, seconds: rest.duration ?? rest.seconds });
    const request: VideoRequest = {
      model,
      prompt,
      seconds: String(order.seconds),
      size: `${order.width}x${order.height}`,
    };
    return { kind: 'video', prompt, model, request, synchronous: false };
  },

  answer: async (_sandbox, job) => ({
    type: 'json',
    value: {
      id: job.id,
      task_id: job.id,
      object: 'video',
      model: job.model,
      status: 'queued',
      progress: 0,
      created_at: toSeconds(job.createdAt),
    },
  }),
};

/** Times, progress and verdict of a task, as the families tell them. */
export function taskFields({ job, status, truth }: View): Record<string, unknown> {
  const created = toSeconds(job.createdAt);
  return {
    task_id: job.id,
    status: spell(TASK_WORDS, status),
    fail_reason: truth.error?.message ?? '',
    submit_time: created,
    start_time: truth.status === 'queued' ? 0 : created,
    finish_time: isFinal(truth) ? toSeconds(Date.now()) : 0,
    progress: `${truth.progress}%`,
  };
}

function unifiedTask(view: View): unknown {
  const { job, files, truth } = view;
  return {
    code: 'success',
    message: '',
    data: {
      // The row of its table, which no route takes.
      id: job.row,
      created_at: toSeconds(job.createdAt),
      updated_at: toSeconds(Date.now()),
      platform: 'sora',
      user_id: 1,
      group: 'default',
      channel_id: 1,
      quota: 1_000,
      action: 'textGenerate',
      ...taskFields(view),
      result_url: files[0]?.url ?? '',
      properties: { input: job.prompt, upstream_model_name: job.model, origin_model_name: job.model },
      data: { id: `vendor-${job.row}`, object: 'video', progress: truth.progress },
    },
  };
}

const readTask = (sandbox: Sandbox, exchange: Exchange, job: Job) =>
  answerPoll(sandbox, exchange, job, () => ({ value: unifiedTask(polledView(sandbox, job, 1)) }));

const PATH = '/newapi/v1/video/generations';

export const videoRoutes: readonly Route[] = [
  { method: 'POST', path: PATH, call: 'create', create: unifiedEndpoint },
  { method: 'GET', path: `${PATH}/:id`, call: 'poll', jobs: ['videos'], handle: readTask },
];
