import type { ModelTemplate } from '../schemas.ts';

const COMMON = {
  protocol: 'fal',
  maxReferences: 0,
  referenceRoles: ['reference'],
  chargedWhenCancelled: false,
  createTimeoutSeconds: 60,
  deadlineSeconds: 3_600,
} satisfies Partial<ModelTemplate>;

/** Ready-made definitions for fal. Prices are about one credit per US cent of the list price, rounded up. */
export const FAL_TEMPLATES: readonly ModelTemplate[] = [
  {
    ...COMMON,
    id: 'fal-flux-dev',
    kind: 'image',
    title: 'FLUX dev (fal)',
    description: 'Images from a description.',
    upstreamModel: 'fal-ai/flux/dev',
    endpoint: 'image',
    parameters: {
      n: { type: 'integer', label: 'Images', minimum: 1, maximum: 4, default: 1 },
      size: {
        type: 'choice',
        label: 'Size',
        options: ['square_hd', 'landscape_4_3', 'landscape_16_9', 'portrait_4_3', 'portrait_16_9'],
        default: 'landscape_4_3',
      },
    },
    price: { unit: 'output', credits: 3 },
    maxPromptCharacters: 4_000,
  },
  {
    ...COMMON,
    id: 'fal-nano-banana-edit',
    kind: 'image',
    title: 'Nano Banana edit (fal)',
    description: 'Changes or combines images as you describe it.',
    upstreamModel: 'fal-ai/nano-banana/edit',
    endpoint: 'image',
    parameters: {
      n: { type: 'integer', label: 'Images', minimum: 1, maximum: 4, default: 1 },
      format: { type: 'choice', label: 'Format', options: ['png', 'jpeg'], default: 'png' },
    },
    price: { unit: 'output', credits: 4 },
    maxPromptCharacters: 4_000,
    maxReferences: 8,
  },
  {
    ...COMMON,
    id: 'fal-kling-2.5-turbo',
    kind: 'video',
    title: 'Kling 2.5 turbo (fal)',
    description: 'A film from a description.',
    upstreamModel: 'fal-ai/kling-video/v2.5-turbo/pro/text-to-video',
    endpoint: 'video',
    parameters: {
      seconds: { type: 'choice', label: 'Seconds', options: ['5', '10'], default: '5' },
      ratio: { type: 'choice', label: 'Ratio', options: ['16:9', '9:16', '1:1'], default: '16:9' },
    },
    price: { unit: 'second', credits: 7 },
    maxPromptCharacters: 2_500,
  },
  {
    ...COMMON,
    id: 'fal-kling-2.5-turbo-frames',
    kind: 'video',
    title: 'Kling 2.5 turbo with frames (fal)',
    description: 'A film that starts with one picture and may end with another.',
    upstreamModel: 'fal-ai/kling-video/v2.5-turbo/pro/image-to-video',
    endpoint: 'video',
    parameters: {
      seconds: { type: 'choice', label: 'Seconds', options: ['5', '10'], default: '5' },
    },
    price: { unit: 'second', credits: 7 },
    maxPromptCharacters: 2_500,
    maxReferences: 2,
    referenceRoles: ['first_frame', 'last_frame'],
  },
];
