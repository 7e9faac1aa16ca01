import type { ModelTemplate } from '../schemas.ts';

/** Gateways set prices of their own: these are starting points, about one credit per US cent. */
const COMMON: Pick<
  ModelTemplate,
  'protocol' | 'chargedWhenCancelled' | 'createTimeoutSeconds' | 'deadlineSeconds'
> = {
  protocol: 'newapi',
  chargedWhenCancelled: false,
  createTimeoutSeconds: 120,
  deadlineSeconds: 3_600,
};

/** Ready-made definitions for New API and One API gateways: one for each route that OpenAI's protocol does not have. */
export const NEWAPI_TEMPLATES: readonly ModelTemplate[] = [
  {
    ...COMMON,
    id: 'kling-v2-1',
    kind: 'video',
    title: 'Kling 2.1',
    description: 'A video from a description, or from a first frame and a description.',
    upstreamModel: 'kling-v2-1',
    endpoint: 'video',
    parameters: {
      seconds: { type: 'choice', label: 'Seconds', options: ['5', '10'], default: '5' },
      size: {
        type: 'choice',
        label: 'Size',
        options: ['1280x720', '720x1280', '1024x1024'],
        default: '1280x720',
      },
      mode: { type: 'choice', label: 'Mode', options: ['std', 'pro'], default: 'std' },
      negative_prompt: { type: 'text', label: 'What to avoid', maxLength: 500, default: '' },
    },
    price: { unit: 'second', credits: 6 },
    maxPromptCharacters: 2_500,
    maxReferences: 1,
    referenceRoles: ['first_frame'],
  },
  {
    ...COMMON,
    id: 'suno-music',
    kind: 'audio',
    title: 'Suno',
    description: 'Two songs from a description.',
    upstreamModel: 'chirp-v4',
    endpoint: 'suno',
    parameters: {
      instrumental: { type: 'boolean', label: 'Without singing', default: false },
      tags: { type: 'text', label: 'Style (the prompt is then sung)', maxLength: 200, default: '' },
      title: { type: 'text', label: 'Title', maxLength: 80, default: '' },
    },
    price: { unit: 'call', credits: 10 },
    maxPromptCharacters: 3_000,
    maxReferences: 0,
    referenceRoles: ['reference'],
  },
  {
    ...COMMON,
    id: 'midjourney',
    kind: 'image',
    title: 'Midjourney',
    description: 'A grid of four pictures from a description and reference images.',
    upstreamModel: 'mj_imagine',
    endpoint: 'midjourney',
    parameters: {
      aspect_ratio: {
        type: 'choice',
        label: 'Shape',
        options: ['1:1', '16:9', '9:16', '3:2', '2:3'],
        default: '1:1',
      },
      version: { type: 'choice', label: 'Version', options: ['7', '6.1', '6'], default: '7' },
      seed: { type: 'seed', label: 'Seed', maximum: 4_294_967_295 },
    },
    price: { unit: 'call', credits: 8 },
    maxPromptCharacters: 4_000,
    maxReferences: 4,
    referenceRoles: ['reference'],
  },
];
