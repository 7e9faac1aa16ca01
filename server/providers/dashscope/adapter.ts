import { checkBy, getJob, sendCancel, sendJsonCreate } from '../calls.ts';
import { cancelWhileQueued } from '../cancel-queued.ts';
import { valueAt } from '../json.ts';
import type { CallContext, PollOutcome, PollRef, ProviderAdapter } from '../provider.ts';
import { ASYNC_HEADERS, createBody, dashscopeUrl, refuseFiles, takesFile, taskUrl } from './client.ts';
import { readCreate, readTask, refusalOf } from './mapping.ts';

const ENDPOINTS = {
  video: { kind: 'video', cancellable: true },
  image: { kind: 'image', cancellable: true },
} as const;

/** A task that nobody has: reading it is free, and the answer tells whether the key is known. */
const NO_TASK = '00000000-0000-0000-0000-000000000000';

/** Alibaba Cloud Model Studio (DashScope): videos and images of the Wan models as tasks (vendor documentation). */
export const dashscopeAdapter: ProviderAdapter = {
  protocol: 'dashscope',
  endpoints: ENDPOINTS,
  canLookup: false,
  resultWindowSeconds: 86_400,

  credentials: (apiKey): Record<string, string> =>
    apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` },

  async create(request, ctx) {
    const refusal = refuseFiles(request);
    if (refusal) return refusal;
    const { path, json } = await createBody(request);
    const sent = await sendJsonCreate(ctx, dashscopeUrl(ctx.baseUrl, path), {
      json,
      headers: ASYNC_HEADERS,
      refusalOf,
    });
    if ('outcome' in sent) return sent.outcome;
    return readCreate(sent.body, sent.response, (id) => ({ id, endpoint: request.endpoint }));
  },

  takesFile,
  poll,

  async cancel(ref, ctx) {
    const url = `${taskUrl(ctx.baseUrl, ref.id)}/cancel`;
    return cancelWhileQueued(await poll(ref, ctx), () => sendCancel(ctx, { method: 'POST', url }));
  },

  check: (ctx) =>
    checkBy(
      ctx,
      { url: taskUrl(ctx.baseUrl, NO_TASK) },
      {
        title: 'DashScope',
        proves: (body) =>
          typeof valueAt(body, 'output.task_status') === 'string'
            ? 'It works: the key is accepted.'
            : undefined,
      },
    ),
};

async function poll(ref: PollRef, ctx: CallContext): Promise<PollOutcome> {
  const polled = await getJob(ctx, taskUrl(ctx.baseUrl, ref.id));
  return 'outcome' in polled ? polled.outcome : readTask(polled.body, polled.response, ref.endpoint);
}
