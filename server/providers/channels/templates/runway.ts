import type { ModelTemplate } from '../schemas.ts';

/** Prices are starting points: about one credit per US cent of the list price, rounded up. */
const COMMON = {
  protocol: 'runway',
  maxReferences: 0,
  referenceRoles: ['reference'],
  chargedWhenCancelled: false,
  createTimeoutSeconds: 120,
  deadlineSeconds: 3_600,
} satisfies Partial<ModelTemplate>;

/** Ready-made definitions for Runway. */
export const RUNWAY_TEMPLATES: readonly ModelTemplate[] = [
  {
    ...COMMON,
    id: 'runway-gen4.5',
    kind: 'video',
    title: 'Runway Gen-4.5',
    description: 'A video from a description, with a first frame if you like.',
    upstreamModel: 'gen4.5',
    endpoint: 'video',
    parameters: {
      seconds: { type: 'choice', label: 'Seconds', options: ['5', '8', '10'], default: '5' },
      ratio: { type: 'choice', label: 'Size', options: ['1280:720', '720:1280'], default: '1280:720' },
    },
    price: { unit: 'second', credits: 12 },
    maxPromptCharacters: 1_000,
    maxReferences: 1,
    referenceRoles: ['first_frame'],
  },
  {
    ...COMMON,
    id: 'runway-gen4-image',
    kind: 'image',
    title: 'Runway Gen-4 Image',
    description: 'An image from a description, with up to three images to follow.',
    upstreamModel: 'gen4_image',
    endpoint: 'image',
    parameters: {
      ratio: {
        type: 'choice',
        label: 'Size',
        options: ['1920:1080', '1080:1920', '1080:1080', '1440:1080', '1080:1440', '1280:720', '720:1280'],
        default: '1920:1080',
      },
    },
    price: { unit: 'call', credits: 8 },
    maxPromptCharacters: 1_000,
    maxReferences: 3,
  },
  {
    ...COMMON,
    id: 'runway-eleven-multilingual-v2',
    kind: 'audio',
    title: 'Eleven Multilingual v2 (Runway)',
    description: 'Reads a text aloud.',
    upstreamModel: 'eleven_multilingual_v2',
    endpoint: 'speech',
    parameters: {
      voice: {
        type: 'choice',
        label: 'Voice',
        options: [
          'Maya',
          'Arjun',
          'Serene',
          'Bernard',
          'Eleanor',
          'Elias',
          'Katie',
          'Noah',
          'James',
          'Rachel',
        ],
        default: 'Maya',
      },
    },
    price: { unit: 'call', credits: 20 },
    maxPromptCharacters: 1_000,
  },
  {
    ...COMMON,
    id: 'runway-eleven-sound-v2',
    kind: 'audio',
    title: 'Eleven Sound Effects v2 (Runway)',
    description: 'A sound from a description.',
    upstreamModel: 'eleven_text_to_sound_v2',
    endpoint: 'sound',
    parameters: {
      seconds: { type: 'choice', label: 'Seconds', options: ['3', '6', '12', '18', '30'], default: '6' },
      loop: { type: 'boolean', label: 'Repeats without a seam', default: false },
    },
    price: { unit: 'call', credits: 5 },
    maxPromptCharacters: 450,
  },
];
