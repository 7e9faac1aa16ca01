import type { Conversation } from '#server/generation/conversation/schemas.ts';
import type { Kind } from '#server/generation/status.ts';

/**
 * Contract of a wire protocol. An adapter is a pure description of one format: it builds requests, reads answers and
 * never decides about retries, money or status. The runtime (`http-client.ts`) owns time-outs, size caps, redaction
 * and address checks, and counts whether anything was sent.
 */

/** Everything needed to poll a job again, saved as text when upstream accepted it. */
export type PollRef = {
  id: string;
  endpoint: string;
  /** The upstream model, where only an id is known (from an operator or a webhook) and addresses are missing. */
  model?: string;
  pollUrl?: string;
  cancelUrl?: string;
  resultUrl?: string;
  /** The create carried a conversation, so its text artefact is a `conversationAnswer`. */
  conversation?: true;
};

/** Something upstream made. Bytes never live in the database. */
export type ArtefactRef =
  /** To be downloaded. `authenticated`: send the channel's credentials (only ever to the channel's own host). */
  | { type: 'url'; url: string; mime?: string; authenticated?: boolean }
  /** Bytes that came in an answer and were already streamed to storage under this key. */
  | { type: 'stored'; storageKey: string; mime?: string }
  /** A text result of at most 256 kB; longer ones are `stored`. */
  | { type: 'text'; text: string };

export type Usage = {
  /** Units delivered where the price counts them (video seconds), as upstream reports them. */
  units?: number;
  inputTokens?: number;
  outputTokens?: number;
  /** Credits of the vendor that the job took, where its answer tells them. */
  vendorCredits?: number;
};

/** What a reference file is for. Adapters of endpoints without such roles treat every file as a reference. */
export type ReferenceRole = 'reference' | 'first_frame' | 'last_frame';

/** A reference file of the user, readable once per call. */
export type ReferenceFile = {
  id: string;
  role: ReferenceRole;
  fileName: string;
  mime: string;
  bytes: number;
  read(): Promise<Uint8Array>;
};

/** A file by what it is, and the model that it would be given to. `settings`: those of the channel. */
export type FileQuery = Pick<ReferenceFile, 'role' | 'mime'> & {
  endpoint: string;
  model: string;
  settings: unknown;
};

export type CreateRequest = {
  kind: Kind;
  /** Which endpoint of the protocol: images, videos, speech, responses, chat. */
  endpoint: string;
  model: string;
  prompt: string;
  /** Already validated by the model's parameter schema. */
  params: Record<string, unknown>;
  references: readonly ReferenceFile[];
  /**
   * What a language model is sent in place of the prompt, only ever to an endpoint with `conversations`. The references
   * go with its first user's turn, and the one text artefact is a `conversationAnswer` as JSON.
   */
  conversation?: Conversation;
};

export type CreateOutcome =
  | { type: 'accepted'; upstreamId: string; pollRef: PollRef; raw?: unknown }
  | { type: 'done'; artefacts: ArtefactRef[]; usage?: Usage; raw?: unknown }
  /**
   * Explicit refusal: upstream holds no job. `scope` account: it is about this account or its offer (quota, key, model
   * not served), so another channel might take the same request; request (the default): it is about the request.
   */
  | {
      type: 'rejected';
      code: string;
      message: string;
      scope?: RejectionScope;
      moderated?: boolean;
      raw?: unknown;
    }
  | { type: 'rate_limited'; retryAfterMs?: number; message: string }
  /** Proven to be before the request left: DNS, refused, TLS, or our own preparation. */
  | { type: 'not_sent'; phase: 'prepare' | 'dns' | 'connect' | 'tls'; message: string }
  /** Anything else: upstream may hold a job. */
  | { type: 'uncertain'; evidence: Record<string, unknown> };

type RejectionScope = 'account' | 'request';

export type PollOutcome =
  /** `known` false: an unknown word, kept as running and alerted once. `progress` 0–100. */
  | { type: 'pending'; status: string; known: boolean; progress?: number; retryAfterMs?: number }
  | { type: 'succeeded'; artefacts: ArtefactRef[]; usage?: Usage; status: string; raw?: unknown }
  | {
      type: 'failed';
      code: string;
      reason: string;
      moderated?: boolean;
      /** Only what it took (`vendorCredits`): nothing was delivered. */
      usage?: Usage;
      status: string;
      raw?: unknown;
    }
  | { type: 'cancelled'; usage?: Usage; status: string; raw?: unknown }
  | { type: 'transient'; errorClass: ErrorClass; message: string; retryAfterMs?: number }
  /** 404 or "no such task". */
  | { type: 'missing'; message: string };

export type ErrorClass =
  | 'network'
  | 'timeout'
  | 'rate_limited'
  | 'server_error'
  | 'unauthorized'
  | 'bad_body'
  | 'aborted'
  | 'internal';

export type CancelOutcome = 'requested' | 'already_terminal' | 'unsupported' | 'unknown';

/** `absent` is proof that upstream holds no job of this reference; an adapter that only guesses says `cannot_tell`. */
export type LookupOutcome =
  | { type: 'found'; upstreamId: string; pollRef: PollRef }
  | { type: 'absent' }
  | { type: 'cannot_tell' };

/** What is known of a create whose answer is not. */
export type LookupQuery = {
  clientRef: string;
  endpoint: string;
  model: string;
  prompt: string;
  sentAt: Date;
};

/** One delivery to `POST /webhooks/:channelId`, as it came. */
export type WebhookRequest = {
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  rawBody: Uint8Array;
  query: Readonly<Record<string, string>>;
};

/** A webhook is never a verdict: whatever it says, the job is polled. */
export type WebhookReading =
  /** `verified`: the vendor's own signature holds. `eventId` names the delivery where the vendor numbers them. */
  | {
      type: 'hint';
      verified: boolean;
      upstreamId?: string;
      eventId?: string;
      clientRef?: string;
      status?: string;
    }
  /** A set-up call that wants an answer. */
  | { type: 'challenge'; contentType: string; body: string }
  /** Forged, altered or too old; the reason is for administrators. */
  | { type: 'refused'; reason: string };

export type WebhookContext = {
  /** The channel's webhook secret; undefined when none is stored. */
  secret: string | undefined;
  settings: unknown;
  now: Date;
  /** A public JSON document of the vendor (a key set), through the outbound guard, cached for `maxAgeMs`. */
  fetchJson(url: string, maxAgeMs: number): Promise<unknown>;
};

export type UpstreamRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below the channel's base URL (`/images/generations`), or an absolute URL that upstream gave. */
  url: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** JSON value, or multipart form. */
  json?: unknown;
  form?: FormData;
  /** Largest answer in bytes, where the runtime's own cap (2 MB for polls, 256 MB for creates) does not fit. */
  maxBytes?: number;
};

/** What came back, whatever the status. Bodies are size-capped; JSON keeps long integers as text. */
export type UpstreamResponse = {
  type: 'response';
  status: number;
  /** Media type without parameters, lower case; empty when absent. */
  contentType: string;
  header(name: string): string | undefined;
  /** `Retry-After` in milliseconds (seconds or HTTP date), capped at one day. */
  retryAfterMs: number | undefined;
  text(): Promise<string>;
  /** Parsed losslessly; undefined when the body is not JSON. */
  json(): Promise<unknown>;
  bytes(): Promise<Uint8Array>;
};

/** No response. `sent` false only for errors proven to be before sending. */
export type UpstreamFailure = {
  type: 'failure';
  sent: boolean;
  phase: 'dns' | 'connect' | 'tls' | 'after_send' | 'guard';
  errorClass: ErrorClass;
  message: string;
};

/** What the runtime hands to an adapter for one call. */
export type CallContext = {
  baseUrl: string;
  apiKey: string;
  /** What the channel's protocol is told beyond address and key, such as a `custom` description. Parse before use. */
  settings: unknown;
  /** Where upstream may report the end of this dispatch; undefined when this server has no public address. */
  webhookUrl: string | undefined;
  now(): Date;
  /** Our reference of the dispatch; also the idempotency key where the vendor has one. */
  clientRef: string;
  /** One request, never retried, never redirected for creates. Resolves for every HTTP status. */
  request(request: UpstreamRequest): Promise<UpstreamResponse | UpstreamFailure>;
  /**
   * Streams bytes of an answer to storage (`incoming/<dispatch>/<ordinal>`) and returns a reference. Pieces are read
   * again from the start when storage has to be tried again.
   */
  keep(ordinal: number, bytes: Uint8Array | Iterable<Uint8Array>, mime?: string): Promise<ArtefactRef>;
};

export interface ProviderAdapter {
  readonly protocol: string;
  /**
   * Endpoints this adapter speaks, with the kind of artefact each makes. `reports`: a create takes the webhook address of
   * its own dispatch, so that a report can tell what became of a create whose answer was lost. `conversations`: takes
   * turns and tools in place of a prompt.
   */
  readonly endpoints: Readonly<
    Record<string, { kind: Kind; cancellable: boolean; reports?: boolean; conversations?: true }>
  >;
  readonly canLookup: boolean;
  /** Seconds that a job may take to show up in a look-up; nothing is absent before. 120 unless told. */
  readonly lookupGraceSeconds?: number;
  /** Seconds that finished results stay readable upstream, a day unless told. */
  readonly resultWindowSeconds?: number;
  /** Milliseconds that must lie between two polls of a job, where the vendor asks for a minimum. */
  readonly minPollMs?: number;
  /**
   * Headers that carry the key, made anew for every call. The runtime adds them to every request to the channel's own
   * origin, nowhere else.
   */
  credentials(apiKey: string, context: { now: Date; settings: unknown }): Record<string, string>;
  create(request: CreateRequest, ctx: CallContext): Promise<CreateOutcome>;
  /**
   * Whether a model is known to take such a file, so that pages offer it. Absent: pictures in every role. `create`, which
   * sees all files together, has the last word.
   */
  takesFile?(query: FileQuery): boolean;
  poll(ref: PollRef, ctx: CallContext): Promise<PollOutcome>;
  cancel?(ref: PollRef, ctx: CallContext): Promise<CancelOutcome>;
  lookup?(query: LookupQuery, ctx: CallContext): Promise<LookupOutcome>;
  /** Verifies and reads a delivery. Absent: the vendor has no webhooks. */
  readWebhook?(request: WebhookRequest, ctx: WebhookContext): Promise<WebhookReading>;
  /** Used by the "test channel" button: lists models or another free call. Never a create. */
  check(ctx: CallContext): Promise<{ ok: boolean; message: string }>;
}

/** One upstream account as a task's snapshot names it, with the key opened for this call. */
export type ChannelAccess = { protocol: string; baseUrl: string; apiKey: string; settings?: unknown };

export type DownloadResult =
  | {
      type: 'open';
      stream: AsyncIterable<Uint8Array>;
      contentType: string;
      contentLength: number | undefined;
    }
  /** 403, 404, 410: expired or not visible yet; a fresh poll may give another URL. */
  | { type: 'gone'; status: number; message: string }
  | { type: 'transient'; errorClass: ErrorClass; message: string; retryAfterMs?: number }
  /** The outbound guard refuses this URL: final. */
  | { type: 'refused'; message: string };

/** Thrown into a download's consumer when the upstream side breaks mid-stream, so it is not taken for a storage fault. */
export class DownloadBrokenError extends Error {
  readonly errorClass: ErrorClass;
  constructor(errorClass: ErrorClass, message: string) {
    super(message);
    this.name = 'DownloadBrokenError';
    this.errorClass = errorClass;
  }
}

/** What the generation domain calls. Never throws for anything that an upstream does. */
export type ProviderRuntime = {
  has(protocol: string, endpoint: string): boolean;
  /** Whether a running job of this endpoint can be cancelled upstream. */
  canCancel(protocol: string, endpoint: string): boolean;
  /** Whether a request of this endpoint may carry a conversation; any other ends it as `unsupported`, unsent. */
  canConverse(protocol: string, endpoint: string): boolean;
  /** Whether a model is known to take such a file as a reference. */
  takesFile(protocol: string, query: FileQuery): boolean;
  canLookup(protocol: string): boolean;
  create(
    access: ChannelAccess,
    request: CreateRequest,
    options: { dispatchId: string; timeoutMs: number; signal: AbortSignal; webhookUrl?: string },
  ): Promise<CreateOutcome>;
  poll(
    access: ChannelAccess,
    ref: PollRef,
    options: { dispatchId: string; signal: AbortSignal },
  ): Promise<PollOutcome>;
  cancel(
    access: ChannelAccess,
    ref: PollRef,
    options: { dispatchId: string; signal: AbortSignal },
  ): Promise<CancelOutcome>;
  lookup(access: ChannelAccess, query: LookupQuery, options: { signal: AbortSignal }): Promise<LookupOutcome>;
  /** Limits that the protocol itself sets. */
  traits(protocol: string): { resultWindowMs: number; minPollMs: number; lookupGraceMs: number };
  hasWebhooks(protocol: string): boolean;
  /** Whether a report may tell what became of a create of this endpoint whose answer was lost. */
  mayReport(protocol: string, endpoint: string): boolean;
  readWebhook(
    access: Pick<ChannelAccess, 'protocol' | 'settings'> & { webhookSecret: string | undefined },
    request: WebhookRequest,
  ): Promise<WebhookReading>;
  /** Opens a download through the outbound guard, with idle and total time-outs. */
  download(
    access: ChannelAccess,
    artefact: Extract<ArtefactRef, { type: 'url' }>,
    options: { signal: AbortSignal },
  ): Promise<DownloadResult>;
  check(access: ChannelAccess): Promise<{ ok: boolean; message: string }>;
  /** Why an address that a user gave is refused before anything is resolved; null: it is not. */
  refuseAddress(url: string): string | null;
  /** Posts an event to an address that a user gave, through the outbound guard. Never throws. */
  postEvent(input: PostEventInput): Promise<PostEventResult>;
};

export type PostEventInput = {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  timeoutMs: number;
  signal: AbortSignal;
};
export type PostEventResult =
  | { type: 'answered'; status: number; excerpt: string; retryAfterMs: number | undefined }
  /** No answer: refused by the guard, no connection, no answer in time. */
  | { type: 'failed'; message: string }
  /** The signal ended it. */
  | { type: 'stopped' };
