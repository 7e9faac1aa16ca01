import { checkBy } from '../calls.ts';
import { asRecord, asText } from '../json.ts';
import type { ProviderAdapter } from '../provider.ts';
import { readUnsignedWebhook, webhookBody } from '../unsigned-webhook.ts';
import { minimaxUrl, takesVideoFile } from './client.ts';
import { readCode } from './codes.ts';
import { createSound } from './sounds.ts';
import { cancelVideo, createVideo, pollVideo } from './videos.ts';

const ENDPOINTS = {
  // Only queued jobs of the second version can be cancelled; others answer that they cannot.
  video: { kind: 'video', cancellable: true, reports: true },
  speech: { kind: 'audio', cancellable: false },
  music: { kind: 'audio', cancellable: false },
} as const;

/** MiniMax (Hailuo), both versions of the video API, speech and music (vendor documentation). */
export const minimaxAdapter: ProviderAdapter = {
  protocol: 'minimax',
  endpoints: ENDPOINTS,
  canLookup: false,
  // An address lives for nine hours; another one can be asked for as long as the file exists.
  resultWindowSeconds: 9 * 3_600,

  credentials: (apiKey): Record<string, string> =>
    apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` },

  async create(request, ctx) {
    return request.endpoint === 'video' ? createVideo(request, ctx) : createSound(request, ctx);
  },

  takesFile: (query) => query.endpoint === 'video' && takesVideoFile(query),

  async poll(ref, ctx) {
    if (ref.endpoint === 'video') return pollVideo(ref, ctx);
    return {
      type: 'transient',
      errorClass: 'internal',
      message: `The endpoint "${ref.endpoint}" has no jobs to poll.`,
    };
  },

  async cancel(ref, ctx) {
    return ref.endpoint === 'video' ? cancelVideo(ref, ctx) : 'unsupported';
  },

  async readWebhook(request) {
    // Before it takes a job the vendor wants this answer within three seconds.
    const challenge = asText(webhookBody(request)?.challenge);
    if (challenge !== undefined)
      return { type: 'challenge', contentType: 'application/json', body: JSON.stringify({ challenge }) };
    return readUnsignedWebhook(request, (body) => {
      const task = asRecord(body.task) ?? body;
      return { upstreamId: task.task_id ?? task.id, status: task.status };
    });
  },

  check: (ctx) =>
    checkBy(
      ctx,
      // A job that nobody has: the answer tells whether the key is known.
      { url: minimaxUrl(ctx.baseUrl, 'v1', '/query/video_generation'), query: { task_id: '1' } },
      {
        title: 'MiniMax',
        refuses: (body) => readCode(body)?.meaning === 'unauthorized',
        proves: (body) =>
          asRecord(body.base_resp) ? 'It works: the address answers and the key is accepted.' : undefined,
      },
    ),
};
