import type { CustomSettingsInput } from '#server/providers/custom/schemas.ts';

/** Descriptions to start from, each with answers to try it on. */

type Preset = {
  /** Its title is in the texts of the pages. */
  id: 'job' | 'answer';
  settings: CustomSettingsInput;
  samples: { params: string; created: string; polled?: string };
};

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

export const PRESETS: readonly [Preset, ...Preset[]] = [
  {
    id: 'job',
    settings: {
      auth: { style: 'bearer' },
      create: {
        path: '/jobs',
        template: pretty({
          model: '{{model}}',
          prompt: '{{prompt}}',
          size: '{{params.size}}',
          seconds: '{{params.seconds|number}}',
          image: '{{firstFrame}}',
        }),
      },
      poll: { path: '/jobs/{id}' },
      fields: {
        id: ['id'],
        status: ['status'],
        progress: ['progress'],
        result: ['output.*.url'],
        errorMessage: ['error.message'],
        errorCode: ['error.code'],
      },
    },
    samples: {
      params: '{"size":"1024x1024"}',
      created: pretty({ id: 'job-1', status: 'queued' }),
      polled: pretty({
        id: 'job-1',
        status: 'succeeded',
        output: [{ url: 'https://cdn.example.com/picture.png' }],
      }),
    },
  },
  {
    id: 'answer',
    settings: {
      auth: { style: 'bearer' },
      create: {
        path: '/generate',
        template: pretty({
          model: '{{model}}',
          prompt: '{{prompt}}',
          size: '{{params.size}}',
          count: '{{params.n}}',
        }),
      },
      fields: { result: ['images.*.base64'], encoding: 'base64', errorMessage: ['error.message'] },
    },
    samples: {
      params: '{"size":"1024x1024","n":2}',
      created: pretty({ images: [{ base64: 'iVBORw0KGgo=' }, { base64: 'iVBORw0KGgo=' }] }),
    },
  },
];
