import type { ModelTemplate } from '../schemas.ts';

const COMMON = {
  protocol: 'replicate',
  maxReferences: 0,
  referenceRoles: ['reference'],
  chargedWhenCancelled: false,
  createTimeoutSeconds: 60,
  deadlineSeconds: 3_600,
} satisfies Partial<ModelTemplate>;

/** Ready-made definitions for Replicate. Prices are about one credit per US cent of the list price, rounded up. */
export const REPLICATE_TEMPLATES: readonly ModelTemplate[] = [
  {
    ...COMMON,
    id: 'flux-schnell',
    kind: 'image',
    title: 'FLUX schnell',
    description: 'Images within seconds.',
    upstreamModel: 'black-forest-labs/flux-schnell',
    endpoint: 'image',
    parameters: {
      n: { type: 'integer', label: 'Images', minimum: 1, maximum: 4, default: 1 },
      ratio: {
        type: 'choice',
        label: 'Ratio',
        options: ['1:1', '16:9', '9:16', '3:2', '2:3', '4:5', '5:4', '21:9'],
        default: '1:1',
      },
      format: { type: 'choice', label: 'Format', options: ['png', 'webp', 'jpg'], default: 'png' },
    },
    price: { unit: 'output', credits: 1 },
    maxPromptCharacters: 4_000,
  },
  {
    ...COMMON,
    id: 'flux-kontext-pro',
    kind: 'image',
    title: 'FLUX Kontext pro',
    description: 'Changes an image as you describe it.',
    upstreamModel: 'black-forest-labs/flux-kontext-pro',
    endpoint: 'image',
    parameters: {
      ratio: {
        type: 'choice',
        label: 'Ratio',
        options: ['match_input_image', '1:1', '16:9', '9:16', '3:2', '2:3'],
        default: 'match_input_image',
      },
      format: { type: 'choice', label: 'Format', options: ['png', 'jpg'], default: 'png' },
    },
    price: { unit: 'call', credits: 4 },
    maxPromptCharacters: 4_000,
    maxReferences: 1,
  },
  {
    ...COMMON,
    id: 'seedance-1-pro',
    kind: 'video',
    title: 'Seedance 1 pro',
    description: 'A film from a description, with or without its first and last frame.',
    upstreamModel: 'bytedance/seedance-1-pro',
    endpoint: 'video',
    parameters: {
      seconds: { type: 'integer', label: 'Seconds', minimum: 2, maximum: 12, default: 5 },
      resolution: {
        type: 'choice',
        label: 'Resolution',
        options: ['480p', '720p', '1080p'],
        default: '1080p',
      },
      ratio: {
        type: 'choice',
        label: 'Ratio',
        options: ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9'],
        default: '16:9',
      },
    },
    price: { unit: 'second', credits: 15 },
    maxPromptCharacters: 4_000,
    maxReferences: 2,
    referenceRoles: ['first_frame', 'last_frame'],
  },
  {
    ...COMMON,
    id: 'minimax-speech-02-turbo',
    kind: 'audio',
    title: 'MiniMax Speech 02 turbo',
    description: 'Reads a text aloud in many languages.',
    upstreamModel: 'minimax/speech-02-turbo',
    endpoint: 'audio',
    parameters: {
      voice_id: {
        type: 'choice',
        label: 'Voice',
        options: ['Wise_Woman', 'Friendly_Person', 'Deep_Voice_Man', 'Calm_Woman', 'Casual_Guy'],
        default: 'Wise_Woman',
      },
      speed: { type: 'choice', label: 'Speed', options: ['0.75', '1', '1.25', '1.5'], default: '1' },
    },
    price: { unit: 'call', credits: 6 },
    maxPromptCharacters: 2_000,
  },
];
