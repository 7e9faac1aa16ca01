import { randomBytes } from 'node:crypto';
import type { JobTruth } from './job-view.ts';
import type { MediaFile, MediaMaker } from './media/media-cache.ts';
import type { SandboxKind } from './rules.ts';
import type { EndpointName, Job, SandboxState, WebhookTarget } from './state.ts';
import type { WebhookKeys } from './webhook-keys.ts';
import { ApiError, type Body, type Exchange } from './wire.ts';

/** What a wire format adds to the one job model: how a create is read, what is made, how it is told. */

export type Sandbox = {
  state: SandboxState;
  media: MediaMaker;
  /** Origin under which clients reach this sandbox. */
  origin(): string;
  /** What signs messages to webhooks, and what an attacker would sign them with. */
  keys: { genuine: WebhookKeys; forged: WebhookKeys };
  /** Where the shop hears of payments, and the secret that both know; without it no payments are played. */
  payments?: { webhookUrl: string; secret: string };
  /** Media being made and webhooks being told; a close waits for them to end. */
  working: Set<Promise<void>>;
};

/** A create as an endpoint understood it. */
export type Order = {
  kind: SandboxKind;
  prompt: string;
  model: string;
  request: unknown;
  /** Answered when the work is done, without a job to poll. */
  synchronous: boolean;
  webhook?: WebhookTarget | null;
};

type Answer =
  | { type: 'json'; value: unknown; status?: number }
  | { type: 'file'; file: MediaFile }
  /** Success without a byte. */
  | { type: 'empty'; mime: string };

export type WebhookMessage = {
  event: string;
  /** The vendor's id of the message: the same for every copy and try of it. */
  id: string;
  body: unknown;
};

/** How a vendor tells a job's webhook what becomes of it. */
export type WebhookFormat = {
  /** The messages for a moment in the life of a job, in order. `truth`: what they are to say. */
  messages(sandbox: Sandbox, job: Job, moment: 'start' | 'end', truth: JobTruth): WebhookMessage[];
  /** Headers that prove where a message comes from; none where the vendor signs nothing. */
  sign(keys: WebhookKeys, message: { id: string; timestamp: number; body: string }): Record<string, string>;
};

export type CreateEndpoint = {
  name: EndpointName;
  newId(): string;
  /** Checks the request; throws an `ApiError` for anything upstream would refuse. */
  read(body: Body, exchange: Exchange): Order;
  /** Makes the media of a job; called once, while the delay runs. */
  make(sandbox: Sandbox, job: Job): Promise<MediaFile[]>;
  /** The ordinary answer to the create. */
  answer(sandbox: Sandbox, job: Job): Promise<Answer>;
  webhooks?: WebhookFormat;
};

/** An id of random hexadecimal digits. */
export const hexId = (prefix = '') => `${prefix}${randomBytes(16).toString('hex')}`;

/** Seconds since the epoch, as most vendors' objects have it. */
export const toSeconds = (milliseconds: number) => Math.floor(milliseconds / 1_000);

/** Refuses models of another kind, as upstream does; names that begin with `sandbox-` fit everywhere. */
export function checkModel(model: string, pattern: RegExp): void {
  if (pattern.test(model) || model.startsWith('sandbox-')) return;
  throw new ApiError(
    404,
    'model_not_found',
    `The model '${model}' does not exist or you do not have access to it.`,
    'model',
  );
}
