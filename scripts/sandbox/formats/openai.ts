import type { CreateEndpoint, Sandbox } from '../endpoint.ts';
import { chatEndpoint } from '../endpoints/chat.ts';
import { imageEditsEndpoint, imagesEndpoint } from '../endpoints/images.ts';
import { cancelResponse, responsesEndpoint, retrieveResponse } from '../endpoints/responses.ts';
import { speechEndpoint } from '../endpoints/speech.ts';
import { deleteVideo, listVideos, readVideo, retrieveVideo, videosEndpoint } from '../endpoints/videos.ts';
import { ApiError, type ErrorStyle, type Exchange, sendJson } from '../wire.ts';
import { keyAfter, type Route, type WireFormat } from './format.ts';

/** OpenAI's own format, below `/v1`. */

const MODEL_IDS = [
  'gpt-image-1',
  'gpt-image-1-mini',
  'dall-e-3',
  'dall-e-2',
  'sora-2',
  'sora-2-pro',
  'tts-1',
  'tts-1-hd',
  'gpt-4o-mini-tts',
  'gpt-4.1-mini',
  'gpt-5-mini',
] as const;

function listModels(_sandbox: Sandbox, exchange: Exchange): void {
  const data = MODEL_IDS.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'sandbox' }));
  sendJson(exchange, 200, { object: 'list', data });
}

const VIDEO = ['videos'] as const;
const RESPONSE = ['responses'] as const;

/** The routes below a prefix: aggregators offer them too, with videos of their own. */
export const openaiRoutes = (prefix: string, videos: CreateEndpoint = videosEndpoint): Route[] => [
  { method: 'POST', path: `${prefix}/images/generations`, call: 'create', create: imagesEndpoint },
  { method: 'POST', path: `${prefix}/images/edits`, call: 'create', create: imageEditsEndpoint },
  { method: 'POST', path: `${prefix}/videos`, call: 'create', create: videos },
  { method: 'POST', path: `${prefix}/audio/speech`, call: 'create', create: speechEndpoint },
  { method: 'POST', path: `${prefix}/responses`, call: 'create', create: responsesEndpoint },
  { method: 'POST', path: `${prefix}/chat/completions`, call: 'create', create: chatEndpoint },
  { method: 'GET', path: `${prefix}/models`, call: 'models', run: listModels },
  { method: 'GET', path: `${prefix}/videos`, call: 'list', run: listVideos },
  { method: 'GET', path: `${prefix}/videos/:id`, call: 'poll', jobs: VIDEO, handle: retrieveVideo },
  { method: 'GET', path: `${prefix}/videos/:id/content`, call: 'content', jobs: VIDEO, handle: readVideo },
  { method: 'DELETE', path: `${prefix}/videos/:id`, call: 'delete', jobs: VIDEO, handle: deleteVideo },
  { method: 'GET', path: `${prefix}/responses/:id`, call: 'poll', jobs: RESPONSE, handle: retrieveResponse },
  {
    method: 'POST',
    path: `${prefix}/responses/:id/cancel`,
    call: 'cancel',
    jobs: RESPONSE,
    handle: cancelResponse,
  },
];

function errorType(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

export const openaiErrors: ErrorStyle = ({ status, message, param, code }, { log }) => ({
  status,
  body: { error: { message, type: errorType(status), param, code } },
  headers: { 'openai-processing-ms': String(Date.now() - log.at) },
});

const NOUNS: Partial<Record<string, string>> = { videos: 'video', responses: 'response' };

const openaiMissing: WireFormat['missing'] = (id, route) => {
  const noun = 'jobs' in route ? (NOUNS[route.jobs[0] ?? ''] ?? 'object') : 'object';
  return new ApiError(404, 'not_found', `No ${noun} found with id '${id}'.`);
};

export const openai: WireFormat = {
  name: 'openai',
  prefix: '/v1',
  routes: openaiRoutes('/v1'),
  readKey: (exchange) => keyAfter('Bearer', exchange),
  unauthenticated: (sent) =>
    sent
      ? new ApiError(401, 'invalid_api_key', 'Incorrect API key provided.')
      : new ApiError(401, null, "You didn't provide an API key. Send it as: Authorization: Bearer YOUR_KEY."),
  missing: openaiMissing,
  errors: openaiErrors,
  requestIdHeader: 'x-request-id',
};
