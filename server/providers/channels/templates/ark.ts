import type { ModelTemplate } from '../schemas.ts';

/** Prices are starting points: about one credit per US cent of the list price, rounded up. */
const COMMON = {
  protocol: 'ark',
  maxReferences: 0,
  referenceRoles: ['reference'],
  chargedWhenCancelled: false,
  createTimeoutSeconds: 120,
  deadlineSeconds: 3_600,
} satisfies Partial<ModelTemplate>;

const RATIO: ModelTemplate['parameters'][string] = {
  type: 'choice',
  label: 'Shape',
  options: ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'],
  default: '16:9',
};

/** Ready-made definitions for Volcengine Ark and BytePlus; the names are those of BytePlus. */
export const ARK_TEMPLATES: readonly ModelTemplate[] = [
  {
    ...COMMON,
    id: 'seedance-1-5-pro',
    kind: 'video',
    title: 'Seedance 1.5 Pro',
    description: 'A video from a description, with a first and a last frame if you like.',
    upstreamModel: 'seedance-1-5-pro-251215',
    endpoint: 'video',
    parameters: {
      seconds: { type: 'integer', label: 'Seconds', minimum: 4, maximum: 12, default: 5 },
      ratio: RATIO,
      resolution: {
        type: 'choice',
        label: 'Resolution',
        options: ['480p', '720p', '1080p'],
        default: '720p',
      },
      generate_audio: { type: 'boolean', label: 'With sound', default: true },
    },
    price: { unit: 'second', credits: 8 },
    maxPromptCharacters: 4_000,
    maxReferences: 2,
    referenceRoles: ['first_frame', 'last_frame'],
  },
  {
    ...COMMON,
    id: 'seedance-1-0-pro-fast',
    kind: 'video',
    title: 'Seedance 1.0 Pro Fast',
    description: 'A quick video from a description, with a first frame if you like.',
    upstreamModel: 'seedance-1-0-pro-fast-251015',
    endpoint: 'video',
    parameters: {
      seconds: { type: 'integer', label: 'Seconds', minimum: 2, maximum: 12, default: 5 },
      ratio: RATIO,
      resolution: {
        type: 'choice',
        label: 'Resolution',
        options: ['480p', '720p', '1080p'],
        default: '720p',
      },
    },
    price: { unit: 'second', credits: 5 },
    maxPromptCharacters: 4_000,
    maxReferences: 1,
    referenceRoles: ['first_frame'],
  },
  {
    ...COMMON,
    id: 'seedream-4-5',
    kind: 'image',
    title: 'Seedream 4.5',
    description: 'Images from a description, with images to follow if you like.',
    upstreamModel: 'seedream-4-5-251128',
    endpoint: 'images',
    parameters: {
      n: { type: 'integer', label: 'Images at most', minimum: 1, maximum: 4, default: 1 },
      size: { type: 'choice', label: 'Size', options: ['2K', '4K'], default: '2K' },
      watermark: { type: 'boolean', label: 'Watermark', default: false },
    },
    price: { unit: 'output', credits: 4 },
    maxPromptCharacters: 4_000,
    maxReferences: 10,
    createTimeoutSeconds: 300,
  },
];
