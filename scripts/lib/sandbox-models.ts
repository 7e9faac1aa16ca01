import type { z } from 'zod';
import type { createModelInput } from '#server/providers/channels/models/schemas.ts';

type SandboxModel = Omit<z.input<typeof createModelInput>, 'channelId'>;

/** One model per kind over OpenAI's wire format. They come first in every list. */
export const OPENAI_MODELS: readonly SandboxModel[] = [
  {
    slug: 'sandbox-image',
    kind: 'image',
    title: 'Sandbox image',
    description: 'Pictures made on this machine from the words of the prompt.',
    upstreamModel: 'gpt-image-1',
    endpoint: 'images',
    parameters: {
      n: { type: 'integer', label: 'Images', minimum: 1, maximum: 4, default: 1 },
      size: {
        type: 'choice',
        label: 'Size',
        options: ['1024x1024', '1536x1024', '1024x1536'],
        default: '1024x1024',
      },
    },
    price: { unit: 'output', credits: 4 },
    maxReferences: 2,
    sortOrder: 1,
  },
  {
    slug: 'sandbox-video',
    kind: 'video',
    title: 'Sandbox video',
    description: 'Short clips with sound, playable everywhere.',
    upstreamModel: 'sora-2',
    endpoint: 'videos',
    parameters: {
      seconds: { type: 'choice', label: 'Seconds', options: ['4', '8', '12'], default: '4' },
      size: { type: 'choice', label: 'Size', options: ['1280x720', '720x1280'], default: '1280x720' },
    },
    price: { unit: 'second', credits: 5 },
    maxReferences: 1,
    sortOrder: 2,
  },
  {
    slug: 'sandbox-speech',
    kind: 'audio',
    title: 'Sandbox speech',
    description: 'Tones in the rhythm of the text.',
    upstreamModel: 'gpt-4o-mini-tts',
    endpoint: 'speech',
    parameters: {
      voice: { type: 'choice', label: 'Voice', options: ['alloy', 'echo', 'nova'], default: 'alloy' },
      response_format: { type: 'choice', label: 'Format', options: ['mp3', 'wav'], default: 'mp3' },
    },
    price: { unit: 'call', credits: 3 },
    sortOrder: 3,
  },
  {
    slug: 'sandbox-text',
    kind: 'text',
    title: 'Sandbox text',
    description: 'Paragraphs written in the background.',
    upstreamModel: 'gpt-5-mini',
    endpoint: 'responses',
    parameters: {},
    price: { unit: 'call', credits: 1 },
    // A script, and what the product adds to it.
    maxPromptCharacters: 32_000,
    sortOrder: 4,
  },
];

/** The unified video route and the music route of an aggregator. */
export const NEWAPI_MODELS: readonly SandboxModel[] = [
  {
    slug: 'sandbox-newapi-video',
    kind: 'video',
    title: 'Sandbox video (New API)',
    description: 'The same clips, ordered from an aggregator.',
    upstreamModel: 'kling-v2-1',
    endpoint: 'video',
    parameters: {
      seconds: { type: 'choice', label: 'Seconds', options: ['4', '8'], default: '4' },
      size: { type: 'choice', label: 'Size', options: ['1280x720', '720x1280'], default: '1280x720' },
    },
    price: { unit: 'second', credits: 4 },
    maxReferences: 1,
    referenceRoles: ['first_frame'],
    sortOrder: 11,
  },
  {
    slug: 'sandbox-newapi-music',
    kind: 'audio',
    title: 'Sandbox music (New API)',
    description: 'Two clips from one description.',
    upstreamModel: 'chirp-v4',
    endpoint: 'suno',
    parameters: {
      instrumental: { type: 'boolean', label: 'Without singing', default: false },
    },
    price: { unit: 'call', credits: 6 },
    sortOrder: 12,
  },
];

/** A model as Replicate hosts them. */
export const REPLICATE_MODELS: readonly SandboxModel[] = [
  {
    slug: 'sandbox-replicate-image',
    kind: 'image',
    title: 'Sandbox image (Replicate)',
    description: 'The same pictures; a signed webhook tells when they are there.',
    upstreamModel: 'sandbox/picture',
    endpoint: 'image',
    parameters: {
      n: { type: 'integer', label: 'Images', minimum: 1, maximum: 4, default: 1 },
      ratio: { type: 'choice', label: 'Ratio', options: ['1:1', '16:9', '9:16'], default: '1:1' },
    },
    price: { unit: 'output', credits: 3 },
    maxReferences: 1,
    sortOrder: 21,
  },
];

/** A model of fal's queue. */
export const FAL_MODELS: readonly SandboxModel[] = [
  {
    slug: 'sandbox-fal-video',
    kind: 'video',
    title: 'Sandbox video (fal)',
    description: 'The same clips, from a queue.',
    upstreamModel: 'sandbox/movie/text-to-video',
    endpoint: 'video',
    parameters: {
      seconds: { type: 'choice', label: 'Seconds', options: ['5', '10'], default: '5' },
      ratio: { type: 'choice', label: 'Ratio', options: ['16:9', '9:16'], default: '16:9' },
    },
    price: { unit: 'second', credits: 4 },
    sortOrder: 31,
  },
];
