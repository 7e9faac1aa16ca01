import type { ParameterSchema } from '#server/generation/schemas.ts';
import type { ModelTemplate } from '../schemas.ts';

/** Prices are starting points: about one credit per US cent of the list price, rounded up. */
const COMMON: Pick<
  ModelTemplate,
  | 'protocol'
  | 'maxReferences'
  | 'referenceRoles'
  | 'chargedWhenCancelled'
  | 'createTimeoutSeconds'
  | 'deadlineSeconds'
> = {
  protocol: 'openai',
  maxReferences: 0,
  referenceRoles: ['reference'],
  chargedWhenCancelled: false,
  createTimeoutSeconds: 300,
  deadlineSeconds: 3_600,
};

const IMAGE_COUNT: ParameterSchema[string] = {
  type: 'integer',
  label: 'Images',
  minimum: 1,
  maximum: 10,
  default: 1,
};

const SPEECH: ParameterSchema = {
  voice: {
    type: 'choice',
    label: 'Voice',
    options: ['alloy', 'ash', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer'],
    default: 'alloy',
  },
  response_format: {
    type: 'choice',
    label: 'Format',
    options: ['mp3', 'wav', 'opus', 'aac', 'flac'],
    default: 'mp3',
  },
};

const SPEED: ParameterSchema[string] = {
  type: 'choice',
  label: 'Speed',
  options: ['0.5', '0.75', '1', '1.25', '1.5', '2'],
  default: '1',
};

/** Ready-made definitions for the OpenAI protocol. */
export const OPENAI_TEMPLATES: readonly ModelTemplate[] = [
  {
    ...COMMON,
    id: 'gpt-image-1',
    kind: 'image',
    title: 'GPT Image 1',
    description: 'Images from a description, or from reference images and a description.',
    upstreamModel: 'gpt-image-1',
    endpoint: 'images',
    parameters: {
      n: IMAGE_COUNT,
      size: {
        type: 'choice',
        label: 'Size',
        options: ['auto', '1024x1024', '1536x1024', '1024x1536'],
        default: '1024x1024',
      },
      quality: {
        type: 'choice',
        label: 'Quality',
        options: ['auto', 'low', 'medium', 'high'],
        default: 'medium',
      },
      background: {
        type: 'choice',
        label: 'Background',
        options: ['auto', 'opaque', 'transparent'],
        default: 'auto',
      },
      output_format: { type: 'choice', label: 'Format', options: ['png', 'jpeg', 'webp'], default: 'png' },
    },
    price: { unit: 'output', credits: 7 },
    maxPromptCharacters: 32_000,
    maxReferences: 16,
  },
  {
    ...COMMON,
    id: 'dall-e-3',
    kind: 'image',
    title: 'DALL·E 3',
    description: 'One image from a description.',
    upstreamModel: 'dall-e-3',
    endpoint: 'images',
    parameters: {
      size: {
        type: 'choice',
        label: 'Size',
        options: ['1024x1024', '1792x1024', '1024x1792'],
        default: '1024x1024',
      },
      quality: { type: 'choice', label: 'Quality', options: ['standard', 'hd'], default: 'standard' },
      style: { type: 'choice', label: 'Style', options: ['vivid', 'natural'], default: 'vivid' },
    },
    price: { unit: 'call', credits: 8 },
    maxPromptCharacters: 4_000,
  },
  {
    ...COMMON,
    id: 'sora-2',
    kind: 'video',
    title: 'Sora 2 (compatible)',
    description: 'A short video from a description, for services that speak the OpenAI Videos format.',
    upstreamModel: 'sora-2',
    endpoint: 'videos',
    parameters: {
      seconds: { type: 'choice', label: 'Seconds', options: ['4', '8', '12'], default: '4' },
      size: { type: 'choice', label: 'Size', options: ['720x1280', '1280x720'], default: '1280x720' },
    },
    price: { unit: 'second', credits: 10 },
    maxPromptCharacters: 4_000,
    maxReferences: 1,
  },
  {
    ...COMMON,
    id: 'tts-1',
    kind: 'audio',
    title: 'TTS 1',
    description: 'Reads a text aloud.',
    upstreamModel: 'tts-1',
    endpoint: 'speech',
    parameters: { ...SPEECH, speed: SPEED },
    price: { unit: 'call', credits: 6 },
    maxPromptCharacters: 4_096,
  },
  {
    ...COMMON,
    id: 'gpt-4o-mini-tts',
    kind: 'audio',
    title: 'GPT-4o mini TTS',
    description: 'Reads a text aloud in the manner you describe.',
    upstreamModel: 'gpt-4o-mini-tts',
    endpoint: 'speech',
    parameters: {
      ...SPEECH,
      instructions: { type: 'text', label: 'Manner of speaking', maxLength: 1_000, default: '' },
    },
    price: { unit: 'call', credits: 6 },
    maxPromptCharacters: 4_096,
  },
  {
    ...COMMON,
    id: 'gpt-5-mini',
    kind: 'text',
    title: 'GPT-5 mini',
    description: 'Thorough answers that are worked out in the background.',
    upstreamModel: 'gpt-5-mini',
    endpoint: 'responses',
    parameters: {
      instructions: { type: 'text', label: 'Instructions', maxLength: 4_000, default: '' },
      reasoning_effort: {
        type: 'choice',
        label: 'Effort',
        options: ['minimal', 'low', 'medium', 'high'],
        default: 'medium',
      },
      max_output_tokens: {
        type: 'integer',
        label: 'Longest answer (tokens)',
        minimum: 16,
        maximum: 32_000,
        default: 8_000,
      },
    },
    price: { unit: 'call', credits: 3 },
    maxPromptCharacters: 32_000,
    maxReferences: 4,
    // Tokens already spent are billed upstream when a running answer is cancelled.
    chargedWhenCancelled: true,
  },
  {
    ...COMMON,
    id: 'gpt-4o-mini',
    kind: 'text',
    title: 'GPT-4o mini',
    description: 'Quick answers.',
    upstreamModel: 'gpt-4o-mini',
    endpoint: 'chat',
    parameters: {
      instructions: { type: 'text', label: 'Instructions', maxLength: 4_000, default: '' },
      temperature: {
        type: 'choice',
        label: 'Temperature',
        options: ['0', '0.3', '0.7', '1', '1.3'],
        default: '1',
      },
      max_tokens: {
        type: 'integer',
        label: 'Longest answer (tokens)',
        minimum: 16,
        maximum: 16_000,
        default: 4_000,
      },
    },
    price: { unit: 'call', credits: 1 },
    maxPromptCharacters: 32_000,
    maxReferences: 4,
  },
];
