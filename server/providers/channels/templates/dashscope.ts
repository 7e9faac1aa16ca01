import type { ModelTemplate } from '../schemas.ts';

/** Prices are starting points: about one credit per US cent of the list price, rounded up. */
const COMMON = {
  protocol: 'dashscope',
  maxReferences: 0,
  referenceRoles: ['reference'],
  chargedWhenCancelled: false,
  createTimeoutSeconds: 120,
  deadlineSeconds: 3_600,
  maxPromptCharacters: 2_000,
} satisfies Partial<ModelTemplate>;

const PROMPT_EXTEND: ModelTemplate['parameters'][string] = {
  type: 'boolean',
  label: 'Improve the prompt',
  default: true,
};

/** Ready-made definitions for Alibaba Cloud Model Studio. */
export const DASHSCOPE_TEMPLATES: readonly ModelTemplate[] = [
  {
    ...COMMON,
    id: 'wan2.6-t2v',
    kind: 'video',
    title: 'Wan 2.6',
    description: 'A video with sound from a description.',
    upstreamModel: 'wan2.6-t2v',
    endpoint: 'video',
    parameters: {
      seconds: { type: 'choice', label: 'Seconds', options: ['5', '10', '15'], default: '5' },
      size: {
        type: 'choice',
        label: 'Size',
        options: ['1280*720', '720*1280', '960*960', '1920*1080', '1080*1920'],
        default: '1280*720',
      },
      prompt_extend: PROMPT_EXTEND,
    },
    price: { unit: 'second', credits: 15 },
  },
  {
    ...COMMON,
    id: 'wan2.7-i2v',
    kind: 'video',
    title: 'Wan 2.7 from frames',
    description: 'A video that begins with your first frame, and ends with your last one if you like.',
    upstreamModel: 'wan2.7-i2v',
    endpoint: 'video',
    parameters: {
      seconds: { type: 'integer', label: 'Seconds', minimum: 2, maximum: 15, default: 5 },
      resolution: { type: 'choice', label: 'Resolution', options: ['720P', '1080P'], default: '720P' },
      prompt_extend: PROMPT_EXTEND,
    },
    price: { unit: 'second', credits: 15 },
    maxReferences: 2,
    referenceRoles: ['first_frame', 'last_frame'],
  },
  {
    ...COMMON,
    id: 'wan2.5-t2i',
    kind: 'image',
    title: 'Wan 2.5 Image',
    description: 'Images from a description.',
    upstreamModel: 'wan2.5-t2i-preview',
    endpoint: 'image',
    parameters: {
      n: { type: 'integer', label: 'Images', minimum: 1, maximum: 4, default: 1 },
      size: {
        type: 'choice',
        label: 'Size',
        options: ['1280*1280', '1280*720', '720*1280', '1024*1024'],
        default: '1280*1280',
      },
      prompt_extend: PROMPT_EXTEND,
    },
    price: { unit: 'output', credits: 3 },
  },
];
