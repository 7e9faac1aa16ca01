import { z } from 'zod';
import { answerPoll } from '../../answer-job.ts';
import { type CreateEndpoint, hexId, type Sandbox, type WebhookFormat } from '../../endpoint.ts';
import { makeMedia, orderMedia } from '../../media-order.ts';
import { polledView, previewUrl, type ResultFile, trueView, type View } from '../../results.ts';
import type { Job } from '../../state.ts';
import { type Exchange, readBody, sendJson, validate } from '../../wire.ts';
import type { Route } from '../format.ts';
import { taskFields } from './video.ts';

/** Music in the manner of Suno: every order gives two clips, which can be heard before they are finished. */

const CLIPS = 2;
const COVER = { width: 256, height: 256 };

/** A description; or, in the custom mode, what is sung and in which style. */
function promptOf(fields: { gpt_description_prompt?: string; prompt?: string; tags?: string }): string {
  const own = [fields.prompt, fields.tags].filter(Boolean).join('\n');
  return fields.gpt_description_prompt || own;
}

const text = z.string().max(5_000).optional();
const createRequest = z
  .looseObject({
    gpt_description_prompt: text,
    prompt: text,
    tags: text,
    title: text,
    mv: z.string().default('chirp-v4'),
    make_instrumental: z.boolean().optional(),
    notify_hook: z.url({ protocol: /^https?$/, error: 'must be a URL' }).optional(),
  })
  .refine((fields) => promptOf(fields) !== '', { path: ['prompt'], message: 'must not be empty' });

type SunoRequest = { title: string; tags: string };
const requestOf = (job: Job) => job.request as SunoRequest;

function clipOf(view: View, audioUrl: string | null, ordinal: number): unknown {
  const { job, truth, files } = view;
  const cover = files.find((file) => file?.mime.startsWith('image/'))?.url ?? null;
  const done = truth.status === 'completed';
  const { title, tags } = requestOf(job);
  return {
    id: `clip-${job.row}-${ordinal}`,
    title,
    status: done ? 'complete' : 'streaming',
    audio_url: audioUrl,
    video_url: '',
    image_url: cover,
    image_large_url: cover,
    model_name: job.model,
    metadata: { tags, prompt: job.prompt, duration: done ? 30 : null, error_type: null, error_message: null },
  };
}

const isCover = (file: ResultFile | null) => file?.mime.startsWith('image/') === true;

function taskOf(sandbox: Sandbox, view: View): Record<string, unknown> {
  const finished = view.files.filter((file) => !isCover(file));
  // What can be heard meanwhile grows; it is not the result.
  const streams = view.truth.status === 'in_progress' ? [previewUrl(sandbox, view.job)] : [];
  const clips = finished.map((file, index) => file && clipOf(view, file.url, index));
  const data = [...streams.map((url, index) => clipOf(view, url, index)), ...clips];
  return { ...taskFields(view), action: 'MUSIC', data };
}

const webhooks: WebhookFormat = {
  messages(sandbox, job, moment, truth) {
    const body = taskOf(sandbox, trueView(sandbox, job, CLIPS, truth));
    return [{ event: moment, id: job.id, body: { code: 'success', message: '', data: body } }];
  },
  sign: () => ({}),
};

const musicEndpoint: CreateEndpoint = {
  name: 'suno',
  newId: () => hexId(),

  read({ fields }) {
    const request = validate(createRequest, fields);
    const prompt = promptOf(request);
    const kept: SunoRequest = { title: request.title ?? 'Untitled', tags: request.tags ?? '' };
    const url = request.notify_hook;
    const webhook = url === undefined ? null : { url, events: null };
    return { kind: 'audio', prompt, model: request.mv, request: kept, synchronous: false, webhook };
  },

  async make(sandbox, job) {
    const clips = await makeMedia(sandbox, job, orderMedia('audio', { count: CLIPS }));
    const cover = { prompt: job.text, ordinal: 0, ...COVER, format: 'jpeg' } as const;
    return [...clips, await sandbox.media.image(cover)];
  },

  answer: async (_sandbox, job) => ({
    type: 'json',
    value: { code: 'success', message: '', data: job.id },
  }),

  webhooks,
};

const fetchTask = (sandbox: Sandbox, exchange: Exchange, job: Job) =>
  answerPoll(sandbox, exchange, job, () => ({
    value: { code: 'success', message: '', data: taskOf(sandbox, polledView(sandbox, job, CLIPS)) },
  }));

/** Several at once; ids that are not known are left out. */
async function fetchTasks(sandbox: Sandbox, exchange: Exchange): Promise<void> {
  const { fields } = await readBody(exchange.req);
  const { ids } = validate(z.looseObject({ ids: z.array(z.string()) }), fields);
  const jobs = ids
    .map((id) => sandbox.state.jobs.get(id))
    .filter((job) => job !== undefined)
    .filter((job) => job.endpoint === 'suno' && job.apiKey === exchange.apiKey);
  const data = jobs.map((job) => taskOf(sandbox, trueView(sandbox, job, CLIPS)));
  sendJson(exchange, 200, { code: 'success', message: '', data });
}

export const sunoRoutes: readonly Route[] = [
  { method: 'POST', path: '/newapi/suno/submit/music', call: 'create', create: musicEndpoint },
  { method: 'GET', path: '/newapi/suno/fetch/:id', call: 'poll', jobs: ['suno'], handle: fetchTask },
  { method: 'POST', path: '/newapi/suno/fetch', call: 'list', run: fetchTasks },
];
