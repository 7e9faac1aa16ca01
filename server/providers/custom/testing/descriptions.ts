import type { CustomSettingsInput } from '../schemas.ts';

/** An invented vendor: jobs with polling, its own status words and a key in a header of its own. */
export const STUDIO = {
  auth: { style: 'header', name: 'X-Studio-Key' },
  create: {
    method: 'POST',
    path: '/renders',
    body: 'json',
    template: JSON.stringify({
      input: {
        text: '{{prompt}}',
        model: '{{model}}',
        size: '{{params.size}}',
        seconds: '{{params.seconds|number}}',
        count: '{{params.n}}',
        images: ['{{firstFrame}}', '{{references.0}}'],
      },
      ref: '{{ref}}',
      callback: '{{webhookUrl}}',
    }),
  },
  poll: { method: 'GET', path: '/renders/{id}' },
  cancel: { method: 'DELETE', path: '/renders/{id}' },
  lookup: { path: '/refs/{ref}', id: ['render.no'], reliable: true },
  check: { path: '/ping' },
  fields: {
    id: ['ticket.no'],
    status: ['render.phase'],
    progress: ['render.percent'],
    result: ['render.files.*.href'],
    errorMessage: ['render.problem.text', 'problem.text'],
    errorCode: ['render.problem.kind', 'problem.kind'],
    retryAfter: ['render.wait'],
  },
  words: [
    { word: 'painting', meaning: 'running' },
    { word: 'Ready', meaning: 'succeeded' },
    { word: 'broken', meaning: 'failed' },
    { word: 'stopped', meaning: 'cancelled' },
  ],
  refused: { path: 'verdict', values: ['refused'] },
  webhook: { id: ['about.no'] },
} as const satisfies CustomSettingsInput;

/** An invented vendor whose create answers with the result. */
export const DIRECT = {
  create: {
    path: '/paint/{model}',
    template: '{"text":"{{prompt}}","count":"{{params.n}}"}',
  },
  fields: { result: ['pictures.*.data'], encoding: 'base64', errorMessage: ['why'], errorCode: ['what'] },
} as const satisfies CustomSettingsInput;
