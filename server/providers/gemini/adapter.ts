import { assertNever } from '#server/lib/assert-never.ts';
import { checkBy } from '../calls.ts';
import type { ProviderAdapter } from '../provider.ts';
import { apiUrl } from './client.ts';
import { refusesKey } from './errors.ts';
import { createImage } from './images.ts';
import { createVideo, pollVideo } from './videos.ts';

const ENDPOINTS = {
  video: { kind: 'video', cancellable: false },
  image: { kind: 'image', cancellable: false },
} as const;

type Endpoint = keyof typeof ENDPOINTS;

/**
 * The Gemini API of Google: Veo videos as long-running operations, images as parts of a content answer (vendor
 * documentation of the Gemini API). It has no cancel that stops the billing, no webhooks and no list of operations.
 */
export const geminiAdapter: ProviderAdapter = {
  protocol: 'gemini',
  endpoints: ENDPOINTS,
  canLookup: false,
  resultWindowSeconds: 172_800,

  credentials: (apiKey): Record<string, string> => (apiKey === '' ? {} : { 'x-goog-api-key': apiKey }),

  async create(request, ctx) {
    const endpoint = request.endpoint as Endpoint;
    switch (endpoint) {
      case 'video':
        return createVideo(request, ctx);
      case 'image':
        return createImage(request, ctx);
      default:
        return assertNever(endpoint);
    }
  },

  async poll(ref, ctx) {
    if (ref.endpoint === 'video') return pollVideo(ref, ctx);
    return {
      type: 'transient',
      errorClass: 'internal',
      message: `The endpoint "${ref.endpoint}" has no jobs to poll.`,
    };
  },

  check: (ctx) =>
    checkBy(
      ctx,
      { url: apiUrl(ctx.baseUrl, '/models'), query: { pageSize: '1' } },
      {
        title: 'the Gemini API',
        proves: (body) => (Array.isArray(body.models) ? 'It works: the key is accepted.' : undefined),
        refuses: refusesKey,
      },
    ),
};
