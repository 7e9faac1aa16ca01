import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Logger } from '#server/lib/logger.ts';
import type {
  CancelOutcome,
  ChannelAccess,
  CreateOutcome,
  CreateRequest,
  LookupOutcome,
  LookupQuery,
  PollOutcome,
  PollRef,
  ProviderRuntime,
  WebhookReading,
  WebhookRequest,
} from '#server/providers/provider.ts';
import { createProviderRuntime } from '#server/providers/registry.ts';
import { createMemoryStore, type MemoryStore } from './memory-store.ts';

/** One scripted answer. */
export type Answer = {
  status?: number;
  json?: unknown;
  text?: string;
  bytes?: Uint8Array;
  headers?: Record<string, string>;
  /** The connection breaks instead. */
  broken?: true;
};

type SeenRequest = { method: string; path: string; query: URLSearchParams; headers: Headers; body: string };

type MockUpstream = {
  access: ChannelAccess;
  runtime: ProviderRuntime;
  storage: MemoryStore;
  /** Requests in order; `creates` only those with POST. */
  seen: SeenRequest[];
  creates(): SeenRequest[];
  /** Log lines of the runtime, as JSON. */
  logs: string[];
  /** Answers of a path, in order; the last one repeats. */
  reply(method: 'get' | 'post' | 'put' | 'delete', path: string, ...answers: Answer[]): void;
  create(request: Partial<CreateRequest>, options?: { webhookUrl?: string }): Promise<CreateOutcome>;
  poll(endpoint: string, id?: string, more?: Partial<PollRef>): Promise<PollOutcome>;
  cancel(endpoint: string, id?: string, more?: Partial<PollRef>): Promise<CancelOutcome>;
  lookup(query?: Partial<LookupQuery>): Promise<LookupOutcome>;
  readWebhook(request: Partial<WebhookRequest>, secret?: string): Promise<WebhookReading>;
};

export const UPSTREAM_KEY = 'sk-test-0123456789abcdefSECRET';
const BASE_URL = 'https://upstream.example/v1';

/**
 * An upstream that msw plays at the HTTP level, with a real provider runtime before it. Call it once per test file: it
 * registers its own hooks. A request without a scripted answer fails the test.
 */
export function createMockUpstream(
  channel: Partial<ChannelAccess> & { now?: () => Date } = {},
): MockUpstream {
  const { now, ...about } = channel;
  const server = setupServer();
  const seen: SeenRequest[] = [];
  const logs: string[] = [];
  const storage = createMemoryStore();
  const access = { protocol: 'openai', baseUrl: BASE_URL, apiKey: UPSTREAM_KEY, ...about };
  const runtime = createProviderRuntime({
    storage,
    logger: collectingLogger(logs),
    fetch: (input, init) => globalThis.fetch(input, init),
    now,
  });
  const options = () => ({
    dispatchId: 'dispatch-1',
    timeoutMs: 60_000,
    signal: new AbortController().signal,
  });

  beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
  afterEach(() => {
    server.resetHandlers();
    seen.length = 0;
    logs.length = 0;
    storage.files.clear();
  });
  afterAll(() => server.close());

  return {
    access,
    runtime,
    storage,
    seen,
    logs,
    creates: () => seen.filter((request) => request.method === 'POST'),
    reply(method, path, ...answers) {
      let turn = 0;
      const url = path.startsWith('https:') ? path : `${access.baseUrl}${path}`;
      server.use(
        http[method](url, async ({ request }) => {
          const { pathname, searchParams } = new URL(request.url);
          seen.push({
            method: request.method,
            path: pathname,
            query: searchParams,
            headers: request.headers,
            body: await request.clone().text(),
          });
          const answer = answers[Math.min(turn, answers.length - 1)] ?? {};
          turn += 1;
          return toResponse(answer);
        }),
      );
    },
    create: (request, more) =>
      runtime.create(
        access,
        {
          kind: 'image',
          endpoint: 'images',
          model: 'test-model',
          prompt: 'a cat',
          params: {},
          references: [],
          ...request,
        },
        { ...options(), ...more },
      ),
    poll: (endpoint, id = 'job_1', more) => runtime.poll(access, { id, endpoint, ...more }, options()),
    cancel: (endpoint, id = 'job_1', more) => runtime.cancel(access, { id, endpoint, ...more }, options()),
    lookup: (query) =>
      runtime.lookup(
        access,
        {
          clientRef: 'dispatch-1',
          endpoint: 'video',
          model: 'test-model',
          prompt: 'a cat',
          sentAt: new Date(),
          ...query,
        },
        { signal: new AbortController().signal },
      ),
    readWebhook: (request, secret) =>
      runtime.readWebhook(
        { protocol: access.protocol, settings: access.settings, webhookSecret: secret },
        { headers: {}, rawBody: new Uint8Array(), query: {}, ...request },
      ),
  };
}

function toResponse(answer: Answer): Response {
  if (answer.broken) return HttpResponse.error();
  const init = { status: answer.status ?? 200, headers: answer.headers };
  if (answer.bytes) return HttpResponse.arrayBuffer(new Uint8Array(answer.bytes).buffer, init);
  if (answer.text !== undefined) {
    return new HttpResponse(answer.text, {
      ...init,
      headers: { 'content-type': 'text/plain', ...answer.headers },
    });
  }
  const json = JSON.stringify(answer.json ?? {});
  return new HttpResponse(json, {
    ...init,
    headers: { 'content-type': 'application/json', ...answer.headers },
  });
}

/** A logger that keeps its lines, so that a test can look for what must not be in them. */
export function collectingLogger(lines: string[]): Logger {
  const log = (fields: object, message: string) => {
    lines.push(JSON.stringify({ ...fields, message }));
  };
  const logger: Logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
  return logger;
}
