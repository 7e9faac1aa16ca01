import { z } from 'zod';
import { answerPoll } from '../answer-job.ts';
import { findBehaviour, takeBehaviour } from '../attachments.ts';
import { sendContent } from '../contents.ts';
import { type CreateEndpoint, checkModel, hexId, type Sandbox, toSeconds } from '../endpoint.ts';
import { shownByPoll, truthOf } from '../job-view.ts';
import { fileUrl } from '../results.ts';
import type { Job } from '../state.ts';
import { ApiError, type Exchange, sendJson, validate } from '../wire.ts';

/** `/v1/videos`: create, retrieve, content, list, delete. */

const MODELS = /^sora-/;
/** How long a finished video can be fetched. */
const LIFETIME_SECONDS = 86_400;

const videoRequest = z.strictObject({
  model: z.string().min(1).default('sora-2'),
  prompt: z.string().min(1, 'must not be empty').max(32_000),
  // Text on the wire; a JSON number is refused, as OpenAI does.
  seconds: z
    .string('must be text such as "4"')
    .regex(/^([1-9]|[1-5]\d|60)$/, 'must be a whole number of seconds from 1 to 60, as text')
    .default('4'),
  size: z
    .string()
    .regex(/^\d{2,4}x\d{2,4}$/, 'must be WIDTHxHEIGHT')
    .refine(
      (size) =>
        size
          .split('x')
          .every((side) => Number(side) % 2 === 0 && Number(side) >= 64 && Number(side) <= 1_920),
      'sides are even and go from 64 to 1920 pixels',
    )
    .default('720x1280'),
});
export type VideoRequest = z.output<typeof videoRequest>;

const requestOf = (job: Job) => job.request as VideoRequest;
const secondsOf = (job: Job) =>
  findBehaviour(job.behaviours, 'shorter')?.seconds ?? Number(requestOf(job).seconds);

const publicUrl = (sandbox: Sandbox, job: Job) => fileUrl(sandbox, job, { ordinal: 0, extension: 'mp4' });

function videoObject(sandbox: Sandbox, job: Job, poll: boolean): unknown {
  const now = Date.now();
  const truth = truthOf(job, now);
  const shown = poll ? shownByPoll(job, truth) : { status: truth.status, truth };
  const { status, progress, error } = shown.truth;
  const done = status === 'completed' || status === 'failed';
  const completedAt = toSeconds(job.createdAt + (job.released ? now - job.createdAt : job.durationMs));
  const hidden =
    poll &&
    status === 'completed' &&
    sandbox.state.config.videoUrls &&
    takeBehaviour(job.behaviours, (item) => item.type === 'no_artifact');
  return {
    id: job.id,
    object: 'video',
    model: job.model,
    status: shown.status,
    progress,
    created_at: toSeconds(job.createdAt),
    completed_at: done ? completedAt : null,
    expires_at: status === 'completed' ? completedAt + LIFETIME_SECONDS : null,
    prompt: job.prompt,
    seconds: String(secondsOf(job)),
    size: requestOf(job).size,
    remixed_from_video_id: null,
    error,
    ...(sandbox.state.config.videoUrls && status === 'completed'
      ? { url: hidden ? '' : publicUrl(sandbox, job) }
      : {}),
  };
}

export const videosEndpoint: CreateEndpoint = {
  name: 'videos',
  newId: () => hexId('video_'),

  read(body) {
    const request = validate(videoRequest, body.fields);
    checkModel(request.model, MODELS);
    for (const file of body.files) {
      if (file.field !== 'input_reference')
        throw new ApiError(400, 'unknown_parameter', `Unknown parameter: '${file.field}'.`, file.field);
      if (!/^(image|video)\//.test(file.mime))
        throw new ApiError(
          400,
          'invalid_value',
          'The input reference must be an image or a video.',
          'input_reference',
        );
      if (file.bytes === 0)
        throw new ApiError(400, 'invalid_value', 'The input reference is empty.', 'input_reference');
    }
    return { kind: 'video', prompt: request.prompt, model: request.model, request, synchronous: false };
  },

  async make({ media }, job) {
    const [width = 720, height = 1280] = requestOf(job).size.split('x').map(Number);
    return [await media.movie({ prompt: job.text, width, height, seconds: secondsOf(job) })];
  },

  async answer(sandbox, job) {
    return { type: 'json', value: videoObject(sandbox, job, false) };
  },
};

/** `GET /v1/videos/{id}`. */
export const retrieveVideo = (sandbox: Sandbox, exchange: Exchange, job: Job) =>
  answerPoll(sandbox, exchange, job, () => ({ value: videoObject(sandbox, job, true) }));

/** `GET /v1/videos/{id}/content`. */
export async function readVideo(sandbox: Sandbox, exchange: Exchange, job: Job): Promise<void> {
  const variant = exchange.url.searchParams.get('variant') ?? 'video';
  if (variant !== 'video' && variant !== 'thumbnail') {
    throw new ApiError(400, 'invalid_value', `Invalid value for 'variant': '${variant}'.`, 'variant');
  }
  // A job that contradicts itself showed "completed" once; its bytes are there.
  const contradicts = findBehaviour(job.behaviours, 'contradict') !== undefined;
  const file = job.artefacts[0];
  if (!file || (truthOf(job, Date.now()).status !== 'completed' && !contradicts)) {
    throw new ApiError(
      400,
      'video_not_ready',
      'Task is not completed yet. Poll the video until its status is completed.',
    );
  }
  const [width = 720, height = 1280] = requestOf(job).size.split('x').map(Number);
  const chosen =
    variant === 'video'
      ? file
      : await sandbox.media.image({ prompt: job.text, ordinal: 0, width, height, format: 'webp' });
  const mayBeMissing = !sandbox.state.config.videoUrls;
  await sendContent(sandbox.state, exchange, job, {
    file: chosen,
    publicUrl: publicUrl(sandbox, job),
    mayBeMissing,
  });
}

/** `GET /v1/videos?after&limit&order`. */
export function listVideos(sandbox: Sandbox, exchange: Exchange): void {
  const query = exchange.url.searchParams;
  const limit = Number(query.get('limit') ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw new ApiError(400, 'invalid_value', "Invalid value for 'limit'.", 'limit');
  const jobs = [...sandbox.state.jobs.values()].filter(
    (job) => job.endpoint === 'videos' && job.format === exchange.format && job.apiKey === exchange.apiKey,
  );
  if (query.get('order') !== 'asc') jobs.reverse();
  const after = query.get('after');
  const start = after ? jobs.findIndex((job) => job.id === after) + 1 : 0;
  const page = jobs.slice(start, start + limit);
  sendJson(exchange, 200, {
    object: 'list',
    data: page.map((job) => videoObject(sandbox, job, false)),
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
    has_more: start + limit < jobs.length,
  });
}

/** `DELETE /v1/videos/{id}`: finished ones only. */
export function deleteVideo(sandbox: Sandbox, exchange: Exchange, job: Job): void {
  const { status } = truthOf(job, Date.now());
  if (status !== 'completed' && status !== 'failed') {
    throw new ApiError(400, 'video_not_finished', 'Only finished videos can be deleted.');
  }
  sandbox.state.jobs.delete(job.id);
  sendJson(exchange, 200, { id: job.id, object: 'video.deleted', deleted: true });
}
