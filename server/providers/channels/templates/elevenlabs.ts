import type { ModelTemplate } from '../schemas.ts';

const COMMON = {
  protocol: 'elevenlabs',
  maxReferences: 0,
  referenceRoles: ['reference'],
  chargedWhenCancelled: false,
  createTimeoutSeconds: 300,
  deadlineSeconds: 3_600,
} satisfies Partial<ModelTemplate>;

/** Voices that every account has; the id in brackets is what is sent. */
const VOICES = [
  'Sarah (EXAVITQu4vr4xnSDxMaL)',
  'Alice (Xb7hH8MSUJpSbSDYk0k2)',
  'Lily (pFZP5JQG7iQjIQuC4Bku)',
  'George (JBFqnCBsd6RMkjVDRZzb)',
  'Brian (nPczCjzI2devNBz1zQrb)',
  'Daniel (onwK4e9ZLuTAKqWW03F9)',
];

/** Ready-made definitions for ElevenLabs. Prices are about one credit per US cent of the list price, rounded up. */
export const ELEVENLABS_TEMPLATES: readonly ModelTemplate[] = [
  {
    ...COMMON,
    id: 'eleven-multilingual-v2',
    kind: 'audio',
    title: 'Eleven Multilingual v2',
    description: 'Reads a text aloud with feeling, in 29 languages.',
    upstreamModel: 'eleven_multilingual_v2',
    endpoint: 'speech',
    parameters: {
      voice: { type: 'choice', label: 'Voice', options: VOICES, default: 'Sarah (EXAVITQu4vr4xnSDxMaL)' },
      format: { type: 'choice', label: 'Format', options: ['mp3', 'opus'], default: 'mp3' },
      stability: {
        type: 'choice',
        label: 'Stability',
        options: ['0.3', '0.5', '0.7', '0.9'],
        default: '0.5',
      },
    },
    price: { unit: 'call', credits: 20 },
    maxPromptCharacters: 2_000,
  },
  {
    ...COMMON,
    id: 'eleven-sound-effects',
    kind: 'audio',
    title: 'Eleven Sound Effects',
    description: 'A sound from a description.',
    upstreamModel: 'eleven_text_to_sound_v2',
    endpoint: 'sound',
    parameters: {
      seconds: { type: 'integer', label: 'Seconds', minimum: 1, maximum: 30, default: 5 },
      loop: { type: 'boolean', label: 'Loops without a seam', default: false },
    },
    price: { unit: 'call', credits: 10 },
    maxPromptCharacters: 450,
  },
  {
    ...COMMON,
    id: 'eleven-music',
    kind: 'audio',
    title: 'Eleven Music',
    description: 'A piece of music from a description.',
    upstreamModel: 'music_v1',
    endpoint: 'music',
    parameters: {
      seconds: { type: 'integer', label: 'Seconds', minimum: 10, maximum: 300, default: 30 },
      force_instrumental: { type: 'boolean', label: 'Without singing', default: false },
    },
    price: { unit: 'second', credits: 1 },
    maxPromptCharacters: 4_100,
    createTimeoutSeconds: 600,
  },
];
