import type { BehaviourInput } from '../rules.ts';
import { eventually, type TestSandbox } from '../test-client.ts';

/** How the sandbox's tests speak each format: one driver per way of making something without waiting for it. */

/** What a client understands of one look at a job. */
type Look = { status: unknown; urls: unknown[]; reason: string };

export type Driver = {
  name: string;
  kind: 'image' | 'video' | 'audio';
  create(sandbox: TestSandbox, input: CreateInput): Promise<Response>;
  /** The id in the answer to a create, as text. */
  idOf(body: unknown): unknown;
  /** Where one poll goes. */
  pollPath(id: string): string;
  look(sandbox: TestSandbox, id: string): Promise<Look>;
  cancel?(sandbox: TestSandbox, id: string): Promise<Response>;
  keyHeader(key: string): Record<string, string>;
  /** Words for a job at work, done, failed, and ended by a cancel. */
  words: { working: readonly string[]; done: string; failed: string; cancelled: string };
  /** The error's shape: what a refusal says and which code it has. */
  errorOf(body: unknown): { message: unknown; code: unknown };
  missingStatus: number;
  /** How many outputs the ordinary order gives. */
  outputs: number;
};

type CreateInput = {
  prompt: string;
  headers?: Record<string, string>;
  webhook?: string;
  key?: string | null;
};

/** Reads a path such as `data.0.url` of anything. */
export function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (found, name) => (typeof found === 'object' && found !== null ? Reflect.get(found, name) : undefined),
      value,
    );
}

/** Headers of a create that tests count. */
export const REF = { 'idempotency-key': 'ref' };

export const MEDIA_TYPES: Record<Driver['kind'], string> = {
  image: 'image/png',
  video: 'video/mp4',
  audio: 'audio/mpeg',
};

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown) => (value === undefined || value === null ? '' : String(value));
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const present = (values: unknown[]) => values.filter((value) => value !== '' && value !== undefined);

/** One call with the driver's key, or with `key`, or (null) without any. */
async function send(
  sandbox: TestSandbox,
  driver: Pick<Driver, 'keyHeader'>,
  call: {
    method: string;
    path: string;
    body?: unknown;
    headers?: Record<string, string>;
    key?: string | null;
  },
): Promise<Response> {
  const { key = sandbox.apiKey, body } = call;
  return fetch(`${sandbox.url}${call.path}`, {
    method: call.method,
    redirect: 'manual',
    headers: {
      ...(key === null ? {} : driver.keyHeader(key)),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}

/** A GET with the driver's key. */
export const get = (
  sandbox: TestSandbox,
  driver: Driver,
  path: string,
  key?: string | null,
): Promise<Response> => send(sandbox, driver, { method: 'GET', path, key });

const getJson = async (sandbox: TestSandbox, driver: Driver, path: string): Promise<unknown> =>
  (await get(sandbox, driver, path)).json();

const unifiedVideo: Driver = {
  name: 'newapi video',
  kind: 'video',
  keyHeader: bearer,
  create(sandbox, { prompt, headers, key }) {
    const body = { model: 'any-video', prompt, duration: 1, size: '128x96' };
    return send(sandbox, this, {
      method: 'POST',
      path: '/newapi/v1/video/generations',
      body,
      headers,
      key,
    });
  },
  idOf: (body) => at(body, 'task_id'),
  pollPath: (id) => `/newapi/v1/video/generations/${id}`,
  async look(sandbox, id) {
    const body = await getJson(sandbox, this, this.pollPath(id));
    return {
      status: at(body, 'data.status'),
      urls: present([at(body, 'data.result_url')]),
      reason: text(at(body, 'data.fail_reason')),
    };
  },
  words: {
    working: ['QUEUED', 'IN_PROGRESS'],
    done: 'SUCCESS',
    failed: 'FAILURE',
    cancelled: 'FAILURE',
  },
  errorOf: (body) => ({ message: at(body, 'message'), code: at(body, 'code') }),
  missingStatus: 400,
  outputs: 1,
};

const suno: Driver = {
  ...unifiedVideo,
  name: 'newapi suno',
  kind: 'audio',
  create(sandbox, { prompt, headers, webhook, key }) {
    // A style alone would be an order too.
    const tags = prompt === '' ? undefined : 'folk';
    const body = { gpt_description_prompt: prompt, mv: 'chirp-v4', tags, notify_hook: webhook };
    return send(sandbox, this, { method: 'POST', path: '/newapi/suno/submit/music', body, headers, key });
  },
  idOf: (body) => at(body, 'data'),
  pollPath: (id) => `/newapi/suno/fetch/${id}`,
  async look(sandbox, id) {
    const body = await getJson(sandbox, this, this.pollPath(id));
    const clips = list(at(body, 'data.data')).filter((clip) => at(clip, 'status') !== 'streaming');
    return {
      status: at(body, 'data.status'),
      urls: clips.map((clip) => at(clip, 'audio_url')),
      reason: text(at(body, 'data.fail_reason')),
    };
  },
  outputs: 2,
};

const midjourney: Driver = {
  ...unifiedVideo,
  name: 'newapi midjourney',
  kind: 'image',
  create(sandbox, { prompt, headers, webhook, key }) {
    const body = { prompt, botType: 'MID_JOURNEY', notifyHook: webhook, state: 'mine' };
    return send(sandbox, this, { method: 'POST', path: '/newapi/mj/submit/imagine', body, headers, key });
  },
  idOf: (body) => at(body, 'result'),
  pollPath: (id) => `/newapi/mj/task/${id}/fetch`,
  async look(sandbox, id) {
    const body = await getJson(sandbox, this, this.pollPath(id));
    return {
      status: at(body, 'status'),
      urls: list(at(body, 'imageUrls')).map((tile) => at(tile, 'url')),
      reason: text(at(body, 'failReason')),
    };
  },
  cancel(sandbox, id) {
    return send(sandbox, this, { method: 'POST', path: `/newapi/mj/task/${id}/cancel` });
  },
  words: {
    working: ['SUBMITTED', 'IN_PROGRESS'],
    done: 'SUCCESS',
    failed: 'FAILURE',
    cancelled: 'CANCEL',
  },
  errorOf: (body) => ({ message: at(body, 'description'), code: at(body, 'code') }),
  outputs: 4,
};

const replicate: Driver = {
  name: 'replicate',
  kind: 'image',
  keyHeader: bearer,
  create(sandbox, { prompt, headers, webhook, key }) {
    const input = { prompt, width: 96, height: 64, num_outputs: 3 };
    return send(sandbox, this, {
      method: 'POST',
      path: '/replicate/v1/models/acme/painter/predictions',
      body: { input, webhook },
      headers,
      key,
    });
  },
  idOf: (body) => at(body, 'id'),
  pollPath: (id) => `/replicate/v1/predictions/${id}`,
  async look(sandbox, id) {
    const body = await getJson(sandbox, this, this.pollPath(id));
    return {
      status: at(body, 'status'),
      urls: list(at(body, 'output')),
      reason: text(at(body, 'error')),
    };
  },
  cancel(sandbox, id) {
    return send(sandbox, this, { method: 'POST', path: `/replicate/v1/predictions/${id}/cancel` });
  },
  words: {
    working: ['starting', 'processing'],
    done: 'succeeded',
    failed: 'failed',
    cancelled: 'canceled',
  },
  errorOf: (body) => ({ message: at(body, 'detail'), code: undefined }),
  missingStatus: 404,
  outputs: 3,
};

const fal: Driver = {
  name: 'fal',
  kind: 'image',
  keyHeader: (key) => ({ authorization: `Key demo:${key}` }),
  create(sandbox, { prompt, headers, webhook, key }) {
    const query = webhook === undefined ? '' : `?fal_webhook=${encodeURIComponent(webhook)}`;
    const body = { prompt, image_size: { width: 96, height: 64 }, num_images: 3 };
    return send(sandbox, this, {
      method: 'POST',
      path: `/fal/acme/painter/fast${query}`,
      body,
      headers,
      key,
    });
  },
  idOf: (body) => at(body, 'request_id'),
  pollPath: (id) => `/fal/acme/painter/requests/${id}/status`,
  /** The status, and the result once it says so. */
  async look(sandbox, id) {
    const status = at(await getJson(sandbox, this, this.pollPath(id)), 'status');
    if (status !== 'COMPLETED') return { status, urls: [], reason: '' };
    const body = await getJson(sandbox, this, `/fal/acme/painter/requests/${id}`);
    const detail = at(body, 'detail');
    const failed = detail !== undefined && detail !== 'Request is still in progress';
    return {
      status: failed ? 'FAILED RESULT' : status,
      urls: list(at(body, 'images')).map((image) => (image === null ? null : at(image, 'url'))),
      reason: text(at(body, 'detail.0.msg') ?? detail),
    };
  },
  cancel(sandbox, id) {
    return send(sandbox, this, { method: 'PUT', path: `/fal/acme/painter/requests/${id}/cancel` });
  },
  words: {
    working: ['IN_QUEUE', 'IN_PROGRESS'],
    done: 'COMPLETED',
    failed: 'FAILED RESULT',
    cancelled: 'FAILED RESULT',
  },
  errorOf: (body) => ({
    message: at(body, 'detail.0.msg') ?? at(body, 'detail'),
    code: at(body, 'detail.0.type'),
  }),
  missingStatus: 404,
  outputs: 3,
};

const studio: Driver = {
  name: 'studio',
  kind: 'image',
  keyHeader: (key) => ({ 'x-studio-key': key }),
  create(sandbox, { prompt, headers, key }) {
    const body = { input: { text: prompt, model: 'canvas-1', size: '96x64', count: 3 }, ref: 'mine' };
    return send(sandbox, this, { method: 'POST', path: '/studio/renders', body, headers, key });
  },
  idOf: (body) => at(body, 'ticket.no'),
  pollPath: (id) => `/studio/renders/${id}`,
  async look(sandbox, id) {
    const body = await getJson(sandbox, this, this.pollPath(id));
    const files = list(at(body, 'render.files'));
    return {
      status: at(body, 'render.phase'),
      urls: files.map((file) => (file === null ? null : at(file, 'href'))),
      reason: text(at(body, 'render.problem.text')),
    };
  },
  cancel(sandbox, id) {
    return send(sandbox, this, { method: 'DELETE', path: `/studio/renders/${id}` });
  },
  words: { working: ['waiting', 'painting'], done: 'ready', failed: 'broken', cancelled: 'stopped' },
  errorOf: (body) => ({ message: at(body, 'problem.text'), code: at(body, 'problem.kind') }),
  missingStatus: 404,
  outputs: 3,
};

export const DRIVERS = { unifiedVideo, suno, midjourney, replicate, fal, studio };

/** What tests do with one driver; `sandbox` is asked for at each call. */
export function speak(sandbox: () => TestSandbox, driver: Driver) {
  const create = (prompt = 'a fox', headers: Record<string, string> = REF) =>
    driver.create(sandbox(), { prompt, headers });
  const newId = async (prompt?: string) => text(driver.idOf(await (await create(prompt)).json()));
  /** Until the media are made, by the control's view: polls of the sandbox would use faults up. */
  const made = (id: string) =>
    eventually(async () => (await sandbox().control.jobs()).find((job) => job.id === id)?.status).toBe(
      'completed',
    );
  return {
    create,
    newId,
    made,
    look: (id: string) => driver.look(sandbox(), id),
    poll: (id: string) => get(sandbox(), driver, driver.pollPath(id)),
    /** A finished job that carries these behaviours. */
    async madeId(...behaviours: BehaviourInput[]): Promise<string> {
      await sandbox().control.addRules({ match: { any: true }, behaviours });
      const id = await newId();
      await made(id);
      return id;
    },
  };
}
