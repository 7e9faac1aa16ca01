import type { Kind } from '#server/generation/status.ts';

/** One answer of a scripted upstream. Without `json`, `text` or `bytes` the body is empty. */
export type WireReply = {
  status?: number;
  json?: unknown;
  text?: string;
  bytes?: Uint8Array;
  headers?: Record<string, string>;
};

export type WireRequest = {
  method: string;
  /** Below the channel's base URL, with the leading slash. */
  path: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Parsed body; undefined when it is not JSON. */
  json: unknown;
};

/** What a script lets upstream say of a job, in words that every protocol can spell. */
export type JobState =
  | { type: 'queued' }
  | { type: 'running'; progress?: number }
  /** A status word that nobody has documented, where the protocol has words at all; else as running. */
  | { type: 'unknown' }
  /** `null`: an output that upstream could not make although it says that it succeeded. */
  | { type: 'succeeded'; urls: readonly (string | null)[] }
  /** Success that names no result. */
  | { type: 'empty' }
  | { type: 'failed'; reason?: string }
  /** A content decision. */
  | { type: 'moderated' }
  | { type: 'cancelled' };

/** What a request asks for. `result`: the second hop of protocols that keep status and result apart. */
export type WireRoute =
  | { type: 'create' }
  | { type: 'poll' | 'result' | 'cancel'; id: string }
  | { type: 'lookup'; clientRef?: string }
  | { type: 'other'; reply: WireReply };

/**
 * How one endpoint of a protocol looks on the wire, written from the vendor's documentation and not from the adapter:
 * the conformance suite plays upstream with it and holds the adapter to every script.
 */
export type WireProfile = {
  /** `<protocol>/<endpoint>`. */
  name: string;
  protocol: string;
  endpoint: string;
  kind: Kind;
  /** The create's answer carries the result: there is no job to poll. */
  synchronous: boolean;
  /** Path of the channel's base URL on the upstream's host, `''` or with a leading slash. */
  basePath: string;
  apiKey: string;
  settings?: unknown;
  /** The model's name upstream. */
  model: string;
  params?: Record<string, unknown>;
  /** Whether more than one output can be ordered by `n`. */
  manyOutputs: boolean;
  /** Job ids as this vendor makes them (`n` counts from 1). */
  jobId(n: number): string;
  /** Undefined: no such address. Wrong credentials must not be routed: answer them by `other`. */
  route(request: WireRequest): WireRoute | undefined;
  /** Asynchronous: the job is taken. */
  accepted(id: string): WireReply;
  /** Synchronous: the media themselves or their addresses. */
  done?(media: { bytes: Uint8Array; mime: string; url: string }[]): WireReply;
  /** Refused for the request's own sake; nothing was started. */
  rejected: WireReply;
  /** Refused for this account's sake (balance, key); nothing was started. */
  accountRejected: WireReply;
  rateLimited: WireReply;
  /** 2xx that names no job and refuses nothing. */
  noId: WireReply;
  /** The answer to a poll (and to the second hop, unless `result` is there). */
  job(id: string, state: JobState): WireReply;
  result?(id: string, state: JobState): WireReply;
  missing(id: string): WireReply;
  /** Undefined: jobs of this endpoint cannot be cancelled upstream. */
  cancelled?(id: string): WireReply;
  /** Undefined: the vendor cannot be asked by our reference. `job` undefined: it knows none. */
  lookup?(job: { id: string; clientRef: string; createRequest: WireRequest } | undefined): WireReply;
};
