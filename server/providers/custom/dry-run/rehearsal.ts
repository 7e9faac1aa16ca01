import { parseLosslessJson } from '../../lossless-json.ts';
import type { CallContext, UpstreamRequest, UpstreamResponse } from '../../provider.ts';
import { targetUrl } from '../../request-parts.ts';
import { customAdapter } from '../adapter.ts';
import type { CustomSettings } from '../schemas.ts';
import type { RequestView, SampleAnswer } from './schemas.ts';

/** Stands for the key: visible in a header and unchanged in an address. */
const MASKED_KEY = '********';
const SAMPLE_REF = '0190a0b0-0000-7000-8000-000000000000';
const SAMPLE_WEBHOOK = 'https://this-server.example/webhooks/channel?ref=dispatch&sig=signature';
const MAX_SHOWN_CHARACTERS = 20_000;

/** A call of the real adapter whose requests are written down and answered from samples. */
type Rehearsal = { ctx: CallContext; requests: UpstreamRequest[] };

export function rehearse(
  settings: CustomSettings,
  baseUrl: string,
  answers: readonly (SampleAnswer | undefined)[],
): Rehearsal {
  const requests: UpstreamRequest[] = [];
  const ctx: CallContext = {
    baseUrl,
    apiKey: MASKED_KEY,
    settings,
    webhookUrl: SAMPLE_WEBHOOK,
    now: () => new Date(0),
    clientRef: SAMPLE_REF,
    async request(request) {
      const answer = answers[requests.length];
      requests.push(request);
      if (answer) return sampleResponse(answer);
      return {
        type: 'failure',
        sent: true,
        phase: 'after_send',
        errorClass: 'network',
        message: 'no sample answer was given for this request',
      };
    },
    keep: async (ordinal, _bytes, mime) => ({ type: 'stored', storageKey: `sample-${ordinal}`, mime }),
  };
  return { ctx, requests };
}

function sampleResponse({ status, body }: SampleAnswer): UpstreamResponse {
  const json = parseLosslessJson(body);
  return {
    type: 'response',
    status,
    contentType: json === undefined ? 'text/plain' : 'application/json',
    header: () => undefined,
    retryAfterMs: undefined,
    text: async () => body,
    json: async () => json,
    bytes: async () => Buffer.from(body),
  };
}

/** A request as the runtime would send it. */
export function viewRequest(
  request: UpstreamRequest,
  settings: CustomSettings,
  baseUrl: string,
): RequestView {
  const credentials = customAdapter.credentials(MASKED_KEY, { now: new Date(0), settings });
  const contentType =
    request.json !== undefined ? 'application/json' : request.form ? 'multipart/form-data' : undefined;
  const headers = {
    ...credentials,
    ...request.headers,
    ...(contentType ? { 'content-type': contentType } : {}),
  };
  const body = request.form ? formText(request.form) : jsonText(request.json);
  return {
    method: request.method,
    url: targetUrl(baseUrl, request).href,
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    body: body === null ? null : body.slice(0, MAX_SHOWN_CHARACTERS),
  };
}

const jsonText = (json: unknown): string | null =>
  json === undefined ? null : JSON.stringify(json, null, 2);

function formText(form: FormData): string {
  return [...form.entries()]
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : `(file ${value.name})`}`)
    .join('\n');
}
