import type { ModelTemplate } from '../schemas.ts';

/** Prices are starting points: about one credit per US cent of the list price, rounded up. */
const COMMON = {
  protocol: 'minimax',
  maxReferences: 0,
  referenceRoles: ['reference'],
  chargedWhenCancelled: false,
  createTimeoutSeconds: 120,
  deadlineSeconds: 3_600,
} satisfies Partial<ModelTemplate>;

/** Ready-made definitions for MiniMax. */
export const MINIMAX_TEMPLATES: readonly ModelTemplate[] = [
  {
    ...COMMON,
    id: 'minimax-hailuo-02',
    kind: 'video',
    title: 'MiniMax Hailuo 02',
    description: 'A video from a description, with a first and a last frame if you like.',
    upstreamModel: 'MiniMax-Hailuo-02',
    endpoint: 'video',
    parameters: {
      seconds: { type: 'choice', label: 'Seconds', options: ['6', '10'], default: '6' },
      resolution: { type: 'choice', label: 'Resolution', options: ['768P'], default: '768P' },
      prompt_optimizer: { type: 'boolean', label: 'Improve the prompt', default: true },
    },
    price: { unit: 'second', credits: 5 },
    maxPromptCharacters: 2_000,
    maxReferences: 2,
    referenceRoles: ['first_frame', 'last_frame'],
  },
  {
    ...COMMON,
    id: 'minimax-h3',
    kind: 'video',
    title: 'MiniMax H3',
    description: 'A video with sound from a description, with a first and a last frame if you like.',
    upstreamModel: 'MiniMax-H3',
    endpoint: 'video',
    parameters: {
      seconds: { type: 'integer', label: 'Seconds', minimum: 5, maximum: 15, default: 5 },
      resolution: { type: 'choice', label: 'Resolution', options: ['768P', '2K'], default: '768P' },
      ratio: {
        type: 'choice',
        label: 'Shape',
        options: ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'],
        default: '16:9',
      },
    },
    price: { unit: 'second', credits: 15 },
    maxPromptCharacters: 7_000,
    maxReferences: 2,
    referenceRoles: ['first_frame', 'last_frame'],
  },
  {
    ...COMMON,
    id: 'minimax-speech-2.8-hd',
    kind: 'audio',
    title: 'MiniMax Speech 2.8 HD',
    description: 'Reads a text aloud.',
    upstreamModel: 'speech-2.8-hd',
    endpoint: 'speech',
    parameters: {
      voice: {
        type: 'choice',
        label: 'Voice',
        options: ['English_Graceful_Lady', 'English_Insightful_Speaker', 'English_expressive_narrator'],
        default: 'English_Graceful_Lady',
      },
      speed: {
        type: 'choice',
        label: 'Speed',
        options: ['0.5', '0.75', '1', '1.25', '1.5', '2'],
        default: '1',
      },
      format: { type: 'choice', label: 'Format', options: ['mp3', 'wav', 'flac'], default: 'mp3' },
    },
    price: { unit: 'call', credits: 10 },
    maxPromptCharacters: 10_000,
    createTimeoutSeconds: 300,
  },
  {
    ...COMMON,
    id: 'minimax-music-2.6',
    kind: 'audio',
    title: 'MiniMax Music 2.6',
    description: 'A song from a description, with your own lyrics or none.',
    upstreamModel: 'music-2.6',
    endpoint: 'music',
    parameters: {
      lyrics: { type: 'text', label: 'Lyrics', maxLength: 3_500, default: '' },
      lyrics_optimizer: { type: 'boolean', label: 'Write the lyrics for me', default: true },
      format: { type: 'choice', label: 'Format', options: ['mp3', 'wav'], default: 'mp3' },
    },
    price: { unit: 'call', credits: 15 },
    maxPromptCharacters: 2_000,
    createTimeoutSeconds: 600,
  },
];
