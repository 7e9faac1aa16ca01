import type { ParameterSchema } from '#server/generation/schemas.ts';
import type { ModelTemplate } from '../schemas.ts';

/** Prices are starting points: about one credit per US cent of the list price, rounded up. */
const COMMON = {
  protocol: 'luma',
  maxPromptCharacters: 5_000,
  maxReferences: 0,
  referenceRoles: ['reference'],
  chargedWhenCancelled: false,
  createTimeoutSeconds: 120,
  deadlineSeconds: 3_600,
} satisfies Partial<ModelTemplate>;

const SHAPE: ParameterSchema[string] = {
  type: 'choice',
  label: 'Shape',
  options: ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9', '9:21'],
  default: '16:9',
};

const RAY = {
  ...COMMON,
  kind: 'video',
  endpoint: 'video',
  parameters: {
    seconds: { type: 'choice', label: 'Seconds', options: ['5', '9'], default: '5' },
    aspect_ratio: SHAPE,
    resolution: { type: 'choice', label: 'Resolution', options: ['540p', '720p'], default: '720p' },
    loop: { type: 'boolean', label: 'Repeats without a seam', default: false },
  },
} satisfies Partial<ModelTemplate>;

/** Ready-made definitions for Luma's Dream Machine. */
export const LUMA_TEMPLATES: readonly ModelTemplate[] = [
  {
    ...RAY,
    id: 'luma-ray-2',
    title: 'Luma Ray 2',
    description: 'A video from a description.',
    upstreamModel: 'ray-2',
    price: { unit: 'second', credits: 15 },
  },
  {
    ...RAY,
    id: 'luma-ray-flash-2',
    title: 'Luma Ray Flash 2',
    description: 'A video from a description, made faster and at a lower price.',
    upstreamModel: 'ray-flash-2',
    price: { unit: 'second', credits: 5 },
  },
  {
    ...COMMON,
    id: 'luma-photon-1',
    kind: 'image',
    title: 'Luma Photon',
    description: 'An image from a description.',
    upstreamModel: 'photon-1',
    endpoint: 'image',
    parameters: { aspect_ratio: SHAPE },
    price: { unit: 'call', credits: 2 },
  },
];
