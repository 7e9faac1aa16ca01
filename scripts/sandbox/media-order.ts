import { z } from 'zod';
import { findBehaviour } from './attachments.ts';
import type { Sandbox } from './endpoint.ts';
import type { ImageFormat } from './media/artwork.ts';
import type { MediaFile } from './media/media-cache.ts';
import { deliveryOf } from './results.ts';
import type { SandboxKind } from './rules.ts';
import type { Job } from './state.ts';

/** What formats that name the kind by the model order, and how it is made. */

export type MediaOrder = {
  count: number;
  width: number;
  height: number;
  seconds: number;
  imageFormat: ImageFormat;
};

const MAX_SIDE = 4_096;
const MAX_VIDEO_SIDE = 1_920;
const MIN_SIDE = 64;

export const side = z.coerce.number().int().min(MIN_SIDE).max(MAX_SIDE);
export const seconds = z.coerce.number().int().min(1).max(60);
export const count = z.coerce.number().int().min(1).max(10);
/** `1280x720` */
export const sizeText = z.string().regex(/^\d{2,4}x\d{2,4}$/, 'must be WIDTHxHEIGHT');
/** `16:9` */
export const ratioText = z.string().regex(/^\d{1,2}:\d{1,2}$/, 'must be W:H');

export type Size = { width: number; height: number };

/** @param size `WIDTHxHEIGHT`, already checked */
export function readSize(size: string): Size {
  const [width = 0, height = 0] = size.split('x').map(Number);
  return { width, height };
}

/** A size of about a megapixel (video: 720 pixels high) in the ratio `W:H`. */
export function sizeOfRatio(kind: SandboxKind, ratio: string): Size {
  const [wide = 1, high = 1] = ratio.split(':').map(Number);
  const short = kind === 'video' ? 720 : 1_024;
  const share = Math.max(wide, 1) / Math.max(high, 1);
  return share >= 1 ? { width: short * share, height: short } : { width: short, height: short / share };
}

const evenWithin = (value: number, most: number) =>
  Math.min(most, Math.max(MIN_SIDE, Math.round(value / 2) * 2));

/** An order with sides that the kind of media can have. */
export function orderMedia(kind: SandboxKind, input: Partial<MediaOrder>): MediaOrder {
  const usual = kind === 'video' ? { width: 1_280, height: 720 } : { width: 1_024, height: 1_024 };
  const most = kind === 'video' ? MAX_VIDEO_SIDE : MAX_SIDE;
  return {
    count: input.count ?? 1,
    width: evenWithin(input.width ?? usual.width, most),
    height: evenWithin(input.height ?? usual.height, most),
    seconds: input.seconds ?? 4,
    imageFormat: input.imageFormat ?? 'png',
  };
}

const NAMES: readonly [SandboxKind, RegExp][] = [
  ['video', /video|veo|sora|kling|wan\b|hailuo|minimax|seedance|movie|animate/],
  ['audio', /speech|tts|audio|music|sound|song|voice/],
  ['text', /text|llama|gpt|chat|instruct|claude|llm/],
];

/** What a model of this name makes: images unless the name says otherwise. */
export function kindOfModel(model: string): SandboxKind {
  const name = model.toLowerCase();
  // `text-to-video` makes video: the last word counts.
  const target = /to-(image|video|audio|speech|music)/.exec(name)?.[1] ?? name;
  return NAMES.find(([, pattern]) => pattern.test(target))?.[0] ?? 'image';
}

/** How long a video really becomes. */
const secondsOf = (job: Job, order: MediaOrder) =>
  findBehaviour(job.behaviours, 'shorter')?.seconds ?? order.seconds;

/** Makes what was ordered; texts are written when they are told. */
export function makeMedia({ media }: Sandbox, job: Job, order: MediaOrder): Promise<MediaFile[]> {
  const { width, height } = order;
  const makeOne = (ordinal: number): Promise<MediaFile> => {
    const variation = ordinal === 0 ? job.text : `${job.text} ${ordinal + 1}`;
    if (job.kind === 'video')
      return media.movie({ prompt: variation, width, height, seconds: secondsOf(job, order) });
    if (job.kind === 'audio')
      return media.sound({ text: variation, voice: 'alloy', speed: 1, format: 'mp3' });
    return media.image({ prompt: job.text, ordinal, width, height, format: order.imageFormat });
  };
  const { delivered } = deliveryOf(job, order.count);
  return job.kind === 'text'
    ? Promise.resolve([])
    : Promise.all(Array.from({ length: delivered }, (_, ordinal) => makeOne(ordinal)));
}
