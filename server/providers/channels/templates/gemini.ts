import type { ParameterSchema } from '#server/generation/schemas.ts';
import type { ModelTemplate } from '../schemas.ts';

/** Prices are starting points: about one credit per US cent of the list price, rounded up. */
const COMMON = {
  protocol: 'gemini',
  chargedWhenCancelled: false,
  createTimeoutSeconds: 300,
  deadlineSeconds: 3_600,
} satisfies Partial<ModelTemplate>;

const VEO = {
  ...COMMON,
  kind: 'video',
  endpoint: 'video',
  parameters: {
    seconds: { type: 'choice', label: 'Seconds', options: ['4', '6', '8'], default: '8' },
    aspect_ratio: { type: 'choice', label: 'Shape', options: ['16:9', '9:16'], default: '16:9' },
    resolution: { type: 'choice', label: 'Resolution', options: ['720p', '1080p'], default: '720p' },
    negative_prompt: { type: 'text', label: 'Leave out', maxLength: 1_000, default: '' },
  },
  maxPromptCharacters: 4_000,
  maxReferences: 2,
  referenceRoles: ['first_frame', 'last_frame'],
} satisfies Partial<ModelTemplate>;

const SHAPE: ParameterSchema[string] = {
  type: 'choice',
  label: 'Shape',
  options: ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'],
  default: '1:1',
};

/** Ready-made definitions for the Gemini API. */
export const GEMINI_TEMPLATES: readonly ModelTemplate[] = [
  {
    ...VEO,
    id: 'veo-3.1',
    title: 'Veo 3.1',
    description: 'A video with sound from a description, with first and last frame if you like.',
    upstreamModel: 'veo-3.1-generate-preview',
    price: { unit: 'second', credits: 40 },
  },
  {
    ...VEO,
    id: 'veo-3.1-fast',
    title: 'Veo 3.1 Fast',
    description: 'A video with sound, made faster and at a lower price.',
    upstreamModel: 'veo-3.1-fast-generate-preview',
    price: { unit: 'second', credits: 15 },
  },
  {
    ...COMMON,
    id: 'gemini-2.5-flash-image',
    kind: 'image',
    title: 'Gemini 2.5 Flash Image',
    description: 'An image from a description, or from your images and a description.',
    upstreamModel: 'gemini-2.5-flash-image',
    endpoint: 'image',
    parameters: { aspect_ratio: SHAPE },
    price: { unit: 'call', credits: 4 },
    maxPromptCharacters: 16_000,
    maxReferences: 3,
    referenceRoles: ['reference'],
  },
  {
    ...COMMON,
    id: 'gemini-3-pro-image',
    kind: 'image',
    title: 'Gemini 3 Pro Image',
    description: 'Detailed images with legible writing, from a description and up to 14 images.',
    upstreamModel: 'gemini-3-pro-image-preview',
    endpoint: 'image',
    parameters: {
      aspect_ratio: SHAPE,
      resolution: { type: 'choice', label: 'Resolution', options: ['1K', '2K'], default: '1K' },
    },
    price: { unit: 'call', credits: 14 },
    maxPromptCharacters: 32_000,
    maxReferences: 14,
    referenceRoles: ['reference'],
  },
];
