import type { models } from '#server/db/schema/index.ts';

type SandboxModel = Omit<typeof models.$inferInsert, 'id' | 'channelId'>;

/** One model per kind over the sandbox upstream. */
export const SANDBOX_MODELS: readonly SandboxModel[] = [
  {
    slug: 'sandbox-image',
    kind: 'image',
    title: 'Sandbox image',
    description: 'Pictures made on this machine from the words of the prompt.',
    upstreamModel: 'gpt-image-1',
    endpoint: 'images',
    parameters: {
      n: { type: 'integer', label: 'Images', minimum: 1, maximum: 4, default: 1 },
      size: {
        type: 'choice',
        label: 'Size',
        options: ['1024x1024', '1536x1024', '1024x1536'],
        default: '1024x1024',
      },
    },
    price: { unit: 'output', credits: 4 },
    maxReferences: 2,
    sortOrder: 1,
  },
  {
    slug: 'sandbox-video',
    kind: 'video',
    title: 'Sandbox video',
    description: 'Short clips with sound, playable everywhere.',
    upstreamModel: 'sora-2',
    endpoint: 'videos',
    parameters: {
      seconds: { type: 'choice', label: 'Seconds', options: ['4', '8', '12'], default: '4' },
      size: { type: 'choice', label: 'Size', options: ['1280x720', '720x1280'], default: '1280x720' },
    },
    price: { unit: 'second', credits: 5 },
    maxReferences: 1,
    sortOrder: 2,
  },
  {
    slug: 'sandbox-speech',
    kind: 'audio',
    title: 'Sandbox speech',
    description: 'Tones in the rhythm of the text.',
    upstreamModel: 'gpt-4o-mini-tts',
    endpoint: 'speech',
    parameters: {
      voice: { type: 'choice', label: 'Voice', options: ['alloy', 'echo', 'nova'], default: 'alloy' },
      response_format: { type: 'choice', label: 'Format', options: ['mp3', 'wav'], default: 'mp3' },
    },
    price: { unit: 'call', credits: 3 },
    sortOrder: 3,
  },
  {
    slug: 'sandbox-text',
    kind: 'text',
    title: 'Sandbox text',
    description: 'Paragraphs written in the background.',
    upstreamModel: 'gpt-5-mini',
    endpoint: 'responses',
    parameters: {},
    price: { unit: 'call', credits: 1 },
    sortOrder: 4,
  },
];
