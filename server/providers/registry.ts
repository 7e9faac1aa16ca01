import type { Logger } from '#server/lib/logger.ts';
import type { AssetStore } from '#server/storage/asset-store.ts';
import { BUILT_IN_ADAPTERS } from './adapters.ts';
import { DOWNLOAD_LIMITS, type DownloadLimits, openDownload } from './download.ts';
import { createHttpClient, type HttpCall } from './http-client.ts';
import { createJsonCache } from './json-cache.ts';
import { keepBytes } from './keep-bytes.ts';
import { createOutboundGuard, type OutboundGuardOptions, OutboundRefusedError } from './outbound-guard.ts';
import { postEvent } from './post-event.ts';
import type {
  CallContext,
  ChannelAccess,
  CreateOutcome,
  ProviderAdapter,
  ProviderRuntime,
} from './provider.ts';
import { isImage } from './request-params.ts';
import { createSanitizer, type Sanitizer } from './sanitize.ts';
import { sanitizeCreate, sanitizeLookup, sanitizePoll } from './sanitize-outcome.ts';

const POLL_TIMEOUT_MS = 60_000;
const SIDE_CALL_TIMEOUT_MS = 30_000;
/** A create is cut here whatever a model asks for, so that a drain can wait for it. */
const MAX_CREATE_TIMEOUT_MS = 15 * 60_000;
const DEFAULT_MAX_KEPT_BYTES = 256_000_000;

type ProviderRuntimeOptions = {
  storage: AssetStore;
  logger: Logger;
  guard?: OutboundGuardOptions;
  /** Private hosts that people may have events sent to: what an upstream needs is not for everybody. */
  eventHosts?: readonly string[];
  /** Adapters by protocol; all built-in ones when absent. */
  adapters?: readonly ProviderAdapter[];
  /** Largest file that may come inside an answer. */
  maxKeptBytes?: number;
  downloadLimits?: DownloadLimits;
  /** Replaces the network in tests. */
  fetch?: typeof globalThis.fetch;
  now?: () => Date;
};

type Mode = 'create' | 'read';
type OpenInput = {
  access: ChannelAccess;
  dispatchId: string;
  mode: Mode;
  timeoutMs: number;
  signal: AbortSignal;
  webhookUrl?: string;
};
type OpenedCall = { ctx: CallContext; http: HttpCall; clean: Sanitizer };

/**
 * Joins adapters with the network. Nothing that an upstream does makes it throw, and nothing it returns carries the
 * channel's key.
 */
export function createProviderRuntime(
  options: ProviderRuntimeOptions,
): ProviderRuntime & { close(): Promise<void> } {
  const { storage, logger } = options;
  const now = options.now ?? (() => new Date());
  const guard = createOutboundGuard(options.guard);
  const eventGuard = createOutboundGuard({
    ...options.guard,
    allowHosts: options.eventHosts ?? [],
    allowedBy: 'WEBHOOK_ALLOW_HOSTS',
  });
  const client = createHttpClient({ guard, fetch: options.fetch });
  const adapters = new Map(
    (options.adapters ?? BUILT_IN_ADAPTERS).map((adapter) => [adapter.protocol, adapter]),
  );
  const keeping = { storage, logger, maxBytes: options.maxKeptBytes ?? DEFAULT_MAX_KEPT_BYTES };

  const jsonCache = createJsonCache(client);

  const endpointOf = (protocol: string, endpoint: string) => {
    const endpoints = adapters.get(protocol)?.endpoints;
    return endpoints && Object.hasOwn(endpoints, endpoint) ? endpoints[endpoint] : undefined;
  };

  function open(adapter: ProviderAdapter, input: OpenInput): OpenedCall {
    const { access, dispatchId } = input;
    const http = client.open({
      mode: input.mode,
      baseUrl: access.baseUrl,
      credentials: adapter.credentials(access.apiKey, { now: now(), settings: access.settings }),
      signal: input.signal,
      timeoutMs: input.timeoutMs,
    });
    const ctx: CallContext = {
      baseUrl: access.baseUrl,
      apiKey: access.apiKey,
      settings: access.settings,
      webhookUrl: input.webhookUrl,
      now,
      clientRef: dispatchId,
      request: http.request,
      keep: async (ordinal, bytes, mime) => ({
        ...(await keepBytes(keeping, dispatchId, ordinal, bytes)),
        mime,
      }),
    };
    return { ctx, http, clean: createSanitizer(access.apiKey) };
  }

  /** Runs one call and always ends its deadline; a fault of an adapter becomes what `onFault` makes of it. */
  async function run<T>(
    adapter: ProviderAdapter,
    input: OpenInput,
    use: (call: OpenedCall) => Promise<T>,
    onFault: (message: string, started: boolean) => T,
  ): Promise<T> {
    const call = open(adapter, input);
    try {
      return await use(call);
    } catch (error) {
      const message = call.clean.message(
        error instanceof Error ? `${error.name}: ${error.message}` : String(error),
      );
      logger.error(
        { protocol: adapter.protocol, dispatchId: input.dispatchId, error: message },
        'A provider call failed on our side',
      );
      return onFault(message, call.http.started());
    } finally {
      call.http.close();
    }
  }

  return {
    has: (protocol, endpoint) => endpointOf(protocol, endpoint) !== undefined,
    canCancel: (protocol, endpoint) =>
      endpointOf(protocol, endpoint)?.cancellable === true && adapters.get(protocol)?.cancel !== undefined,
    canConverse: (protocol, endpoint) => endpointOf(protocol, endpoint)?.conversations === true,
    takesFile(protocol, query) {
      if (!endpointOf(protocol, query.endpoint)) return false;
      return adapters.get(protocol)?.takesFile?.(query) ?? isImage(query);
    },
    canLookup: (protocol) => adapters.get(protocol)?.canLookup === true,

    async create(access, request, { dispatchId, timeoutMs, signal, webhookUrl }) {
      const adapter = adapters.get(access.protocol);
      const endpoint = endpointOf(access.protocol, request.endpoint);
      if (!adapter || !endpoint) {
        const message = `This server does not speak ${access.protocol}/${request.endpoint}.`;
        return { type: 'rejected', code: 'unsupported', scope: 'account', message };
      }
      if (request.conversation && !endpoint.conversations) {
        const message = `${access.protocol}/${request.endpoint} cannot be given tools. Choose another model.`;
        return { type: 'rejected', code: 'unsupported', scope: 'account', message };
      }
      return run<CreateOutcome>(
        adapter,
        {
          access,
          dispatchId,
          mode: 'create',
          timeoutMs: Math.min(timeoutMs, MAX_CREATE_TIMEOUT_MS),
          signal,
          webhookUrl,
        },
        async ({ ctx, clean }) => sanitizeCreate(await adapter.create(request, ctx), clean),
        (message, started) =>
          started
            ? { type: 'uncertain', evidence: { reason: 'internal', message } }
            : { type: 'not_sent', phase: 'prepare', message },
      );
    },

    async poll(access, ref, { dispatchId, signal }) {
      const adapter = adapters.get(access.protocol);
      if (!adapter)
        return { type: 'transient', errorClass: 'internal', message: `No adapter for ${access.protocol}.` };
      return run(
        adapter,
        { access, dispatchId, mode: 'read', timeoutMs: POLL_TIMEOUT_MS, signal },
        async ({ ctx, clean }) => sanitizePoll(await adapter.poll(ref, ctx), clean),
        (message) => ({ type: 'transient', errorClass: 'internal', message }),
      );
    },

    async cancel(access, ref, { dispatchId, signal }) {
      const adapter = adapters.get(access.protocol);
      if (!adapter?.cancel || !endpointOf(access.protocol, ref.endpoint)?.cancellable) return 'unsupported';
      const { cancel } = adapter;
      return run(
        adapter,
        { access, dispatchId, mode: 'read', timeoutMs: SIDE_CALL_TIMEOUT_MS, signal },
        ({ ctx }) => cancel(ref, ctx),
        () => 'unknown',
      );
    },

    async lookup(access, query, { signal }) {
      const adapter = adapters.get(access.protocol);
      if (!adapter?.canLookup || !adapter.lookup) return { type: 'cannot_tell' };
      const { lookup } = adapter;
      return run(
        adapter,
        { access, dispatchId: query.clientRef, mode: 'read', timeoutMs: SIDE_CALL_TIMEOUT_MS, signal },
        async ({ ctx }) => sanitizeLookup(await lookup(query, ctx)),
        () => ({ type: 'cannot_tell' }),
      );
    },

    traits(protocol) {
      const adapter = adapters.get(protocol);
      return {
        resultWindowMs: (adapter?.resultWindowSeconds ?? 86_400) * 1000,
        minPollMs: adapter?.minPollMs ?? 0,
        lookupGraceMs: (adapter?.lookupGraceSeconds ?? 120) * 1000,
      };
    },

    mayReport: (protocol, endpoint) => endpointOf(protocol, endpoint)?.reports === true,
    hasWebhooks: (protocol) => adapters.get(protocol)?.readWebhook !== undefined,

    async readWebhook(access, request) {
      const { readWebhook } = adapters.get(access.protocol) ?? {};
      if (!readWebhook) return { type: 'refused', reason: `${access.protocol} has no webhooks.` };
      try {
        return await readWebhook(request, {
          secret: access.webhookSecret,
          settings: access.settings,
          now: now(),
          fetchJson: jsonCache.get,
        });
      } catch (error) {
        logger.error({ protocol: access.protocol, error: String(error) }, 'A webhook could not be read');
        return { type: 'refused', reason: 'The delivery could not be read.' };
      }
    },

    async download(access, artefact, { signal }) {
      const clean = createSanitizer(access.apiKey);
      const credentials = artefact.authenticated
        ? (adapters
            .get(access.protocol)
            ?.credentials(access.apiKey, { now: now(), settings: access.settings }) ?? {})
        : {};
      const result = await openDownload(client.openStream, {
        url: artefact.url,
        baseUrl: access.baseUrl,
        credentials,
        signal,
        limits: options.downloadLimits ?? DOWNLOAD_LIMITS,
      });
      return result.type === 'open' ? result : { ...result, message: clean.message(result.message) };
    },

    async check(access) {
      const adapter = adapters.get(access.protocol);
      if (!adapter)
        return { ok: false, message: `This server does not speak the protocol "${access.protocol}".` };
      return run(
        adapter,
        {
          access,
          dispatchId: 'check',
          mode: 'read',
          timeoutMs: SIDE_CALL_TIMEOUT_MS,
          signal: new AbortController().signal,
        },
        async ({ ctx, clean }) => {
          const { ok, message } = await adapter.check(ctx);
          return { ok, message: clean.message(message) };
        },
        (message) => ({ ok: false, message: `The test failed on our side: ${message}` }),
      );
    },

    refuseAddress(url) {
      try {
        eventGuard.checkUrl(url);
        return null;
      } catch (error) {
        if (error instanceof OutboundRefusedError) return error.message;
        throw error;
      }
    },
    postEvent: (input) => postEvent(eventGuard, input),

    close: client.close,
  };
}
