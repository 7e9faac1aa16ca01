import type { ModelTemplate } from '../schemas.ts';

/** Prices are starting points: about one credit per US cent of the list price, rounded up. */
const COMMON = {
  protocol: 'kling',
  maxReferences: 0,
  referenceRoles: ['reference'],
  chargedWhenCancelled: false,
  createTimeoutSeconds: 120,
  deadlineSeconds: 3_600,
  maxPromptCharacters: 2_500,
} satisfies Partial<ModelTemplate>;

const RATIO: ModelTemplate['parameters'][string] = {
  type: 'choice',
  label: 'Shape',
  options: ['16:9', '9:16', '1:1'],
  default: '16:9',
};

/** Ready-made definitions for Kling. */
export const KLING_TEMPLATES: readonly ModelTemplate[] = [
  {
    ...COMMON,
    id: 'kling-v2-6',
    kind: 'video',
    title: 'Kling 2.6',
    description: 'A video from a description, with a first and a last frame if you like.',
    upstreamModel: 'kling-v2-6',
    endpoint: 'video',
    parameters: {
      seconds: { type: 'choice', label: 'Seconds', options: ['5', '10'], default: '5' },
      aspect_ratio: RATIO,
      mode: { type: 'choice', label: 'Quality', options: ['std', 'pro'], default: 'pro' },
    },
    price: { unit: 'second', credits: 9 },
    maxReferences: 2,
    referenceRoles: ['first_frame', 'last_frame'],
  },
  {
    ...COMMON,
    id: 'kling-v2-5-turbo',
    kind: 'video',
    title: 'Kling 2.5 Turbo',
    description: 'A quick video from a description, with a first frame if you like.',
    upstreamModel: 'kling-v2-5-turbo',
    endpoint: 'video',
    parameters: {
      seconds: { type: 'choice', label: 'Seconds', options: ['5', '10'], default: '5' },
      aspect_ratio: RATIO,
      mode: { type: 'choice', label: 'Quality', options: ['std', 'pro'], default: 'std' },
    },
    price: { unit: 'second', credits: 7 },
    maxReferences: 1,
    referenceRoles: ['first_frame'],
  },
  {
    ...COMMON,
    id: 'kling-v2-1-image',
    kind: 'image',
    title: 'Kling Image 2.1',
    description: 'Images from a description.',
    upstreamModel: 'kling-v2-1',
    endpoint: 'image',
    parameters: {
      n: { type: 'integer', label: 'Images', minimum: 1, maximum: 9, default: 1 },
      aspect_ratio: {
        type: 'choice',
        label: 'Shape',
        options: ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3', '21:9'],
        default: '1:1',
      },
    },
    price: { unit: 'output', credits: 2 },
  },
];
