import { assertNever } from '#server/lib/assert-never.ts';
import type { ProviderAdapter } from '../provider.ts';
import { isImage } from '../request-params.ts';
import { createChat } from './chat.ts';
import { checkChannel } from './check.ts';
import { createImages } from './images.ts';
import { cancelResponse, createResponse, pollResponse } from './responses.ts';
import { createSpeech } from './speech.ts';
import { createVideo, isImageOrVideo, pollVideo } from './videos.ts';
import { readOpenaiWebhook } from './webhook.ts';

const ENDPOINTS = {
  images: { kind: 'image', cancellable: false },
  videos: { kind: 'video', cancellable: false },
  speech: { kind: 'audio', cancellable: false },
  responses: { kind: 'text', cancellable: true, conversations: true },
  chat: { kind: 'text', cancellable: false, conversations: true },
} as const;

type Endpoint = keyof typeof ENDPOINTS;

/** OpenAI's wire format and its many imitators. No create of it can be looked up by our reference. */
export const openaiAdapter: ProviderAdapter = {
  protocol: 'openai',
  endpoints: ENDPOINTS,
  canLookup: false,

  credentials: (apiKey): Record<string, string> =>
    apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` },

  async create(request, ctx) {
    const endpoint = request.endpoint as Endpoint;
    switch (endpoint) {
      case 'images':
        return createImages(request, ctx);
      case 'videos':
        return createVideo(request, ctx);
      case 'speech':
        return createSpeech(request, ctx);
      case 'responses':
        return createResponse(request, ctx);
      case 'chat':
        return createChat(request, ctx);
      default:
        return assertNever(endpoint);
    }
  },

  takesFile({ endpoint, ...file }) {
    if (endpoint === 'videos') return isImageOrVideo(file);
    return endpoint !== 'speech' && isImage(file);
  },

  async poll(ref, ctx) {
    if (ref.endpoint === 'videos') return pollVideo(ref, ctx);
    if (ref.endpoint === 'responses') return pollResponse(ref, ctx);
    return {
      type: 'transient',
      errorClass: 'internal',
      message: `The endpoint "${ref.endpoint}" has no jobs to poll.`,
    };
  },

  async cancel(ref, ctx) {
    return ref.endpoint === 'responses' ? cancelResponse(ref, ctx) : 'unsupported';
  },

  readWebhook: readOpenaiWebhook,
  check: (ctx) => checkChannel(ctx),
};
