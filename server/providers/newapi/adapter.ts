import { assertNever } from '#server/lib/assert-never.ts';
import { createChat } from '../openai/chat.ts';
import { checkChannel } from '../openai/check.ts';
import { createImages } from '../openai/images.ts';
import { createResponse, pollResponse } from '../openai/responses.ts';
import { createSpeech } from '../openai/speech.ts';
import { createVideo, isImageOrVideo, pollVideo } from '../openai/videos.ts';
import type { ProviderAdapter } from '../provider.ts';
import { isImage } from '../request-params.ts';
import { cancelImagine, createImagine, lookupImagine, pollImagine } from './midjourney.ts';
import { createMusic, pollMusic } from './suno.ts';
import { createUnifiedVideo, pollUnifiedVideo } from './video.ts';
import { readNewapiWebhook } from './webhook.ts';

const ENDPOINTS = {
  video: { kind: 'video', cancellable: false },
  videos: { kind: 'video', cancellable: false },
  images: { kind: 'image', cancellable: false },
  speech: { kind: 'audio', cancellable: false },
  responses: { kind: 'text', cancellable: false, conversations: true },
  chat: { kind: 'text', cancellable: false, conversations: true },
  suno: { kind: 'audio', cancellable: false, reports: true },
  midjourney: { kind: 'image', cancellable: true, reports: true },
} as const;

type Endpoint = keyof typeof ENDPOINTS;

/**
 * Gateways of the New API and One API family: OpenAI's routes, one task route for videos of every vendor, and the Suno
 * and Midjourney routes. Only a Midjourney task carries our reference, so only it can be looked up.
 */
export const newapiAdapter: ProviderAdapter = {
  protocol: 'newapi',
  endpoints: ENDPOINTS,
  canLookup: true,

  credentials: (apiKey): Record<string, string> =>
    apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` },

  async create(request, ctx) {
    const endpoint = request.endpoint as Endpoint;
    switch (endpoint) {
      case 'video':
        return createUnifiedVideo(request, ctx);
      case 'videos':
        return createVideo(request, ctx);
      case 'images':
        return createImages(request, ctx);
      case 'speech':
        return createSpeech(request, ctx);
      case 'responses':
        return createResponse(request, ctx, 'direct');
      case 'chat':
        return createChat(request, ctx);
      case 'suno':
        return createMusic(request, ctx);
      case 'midjourney':
        return createImagine(request, ctx);
      default:
        return assertNever(endpoint);
    }
  },

  takesFile({ endpoint, ...file }) {
    if (endpoint === 'videos') return isImageOrVideo(file);
    return endpoint !== 'speech' && endpoint !== 'suno' && isImage(file);
  },

  async poll(ref, ctx) {
    switch (ref.endpoint) {
      case 'video':
        return pollUnifiedVideo(ref, ctx);
      case 'videos':
        return pollVideo(ref, ctx);
      case 'responses':
        return pollResponse(ref, ctx);
      case 'suno':
        return pollMusic(ref, ctx);
      case 'midjourney':
        return pollImagine(ref, ctx);
      default:
        return {
          type: 'transient',
          errorClass: 'internal',
          message: `The endpoint "${ref.endpoint}" has no jobs to poll.`,
        };
    }
  },

  async cancel(ref, ctx) {
    return ref.endpoint === 'midjourney' ? cancelImagine(ref, ctx) : 'unsupported';
  },

  async lookup(query, ctx) {
    return query.endpoint === 'midjourney' ? lookupImagine(query, ctx) : { type: 'cannot_tell' };
  },

  readWebhook: readNewapiWebhook,
  check: (ctx) => checkChannel(ctx, 'a New API or One API gateway'),
};
