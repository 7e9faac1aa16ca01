import { expect, it } from 'vitest';
import { BUILT_IN_ADAPTERS } from './adapters.ts';
import { STUDIO } from './custom/testing/descriptions.ts';
import type {
  CallContext,
  CreateRequest,
  ProviderAdapter,
  ReferenceFile,
  ReferenceRole,
} from './provider.ts';

/** Models whose material differs from that of the others of their protocol. */
const MODELS: Readonly<Record<string, readonly string[]>> = {
  dashscope: ['wan2.5-i2v-preview', 'wan2.7-i2v', 'wan2.1-kf2v-plus'],
  minimax: ['MiniMax-Hailuo-02', 'MiniMax-H3', 'S2V-01'],
  fal: ['fal-ai/flux/dev', 'fal-ai/kling-video/v2', 'fal-ai/flux-2'],
  replicate: ['black-forest-labs/flux-kontext-pro', 'kwaivgi/kling-v2'],
};
const SETTINGS: Readonly<Record<string, unknown>> = {
  custom: STUDIO,
  fal: { inputs: { 'fal-ai/flux/dev': { reference: 'audio_url' } } },
};
const MIMES = ['image/png', 'video/mp4', 'audio/mpeg'];
const ROLES: readonly ReferenceRole[] = ['reference', 'first_frame', 'last_frame'];

const file = (role: ReferenceRole, mime: string): ReferenceFile => ({
  id: `${role} ${mime}`,
  role,
  fileName: 'file',
  mime,
  bytes: 3,
  read: async () => Buffer.from('abc'),
});

class Sent extends Error {}

/** Whether the adapter would send this file, with a first frame before a last one. */
async function sends(adapter: ProviderAdapter, request: Omit<CreateRequest, 'prompt' | 'params'>) {
  const ctx = {
    baseUrl: 'https://upstream.example',
    apiKey: 'one:two',
    settings: SETTINGS[adapter.protocol],
    webhookUrl: undefined,
    now: () => new Date(0),
    clientRef: 'dispatch-1',
    request: () => Promise.reject(new Sent()),
    keep: () => Promise.reject(new Sent()),
  } satisfies CallContext;
  try {
    const outcome = await adapter.create({ ...request, prompt: 'a boat', params: {} }, ctx);
    return !(outcome.type === 'rejected' && outcome.code === 'unsupported_reference');
  } catch (error) {
    if (error instanceof Sent) return true;
    throw error;
  }
}

const cases = BUILT_IN_ADAPTERS.flatMap((adapter) =>
  Object.entries(adapter.endpoints).flatMap(([endpoint, { kind }]) =>
    (MODELS[adapter.protocol] ?? ['model']).map((model) => ({ adapter, endpoint, kind, model })),
  ),
);

it.each(cases)('$adapter.protocol/$endpoint sends what it says it takes: $model', async (each) => {
  const { adapter, endpoint, kind, model } = each;
  // Of names and templates that an administrator writes, only the kind of file that they tell of is known.
  const isDescribed = ['custom', 'fal', 'replicate'].includes(adapter.protocol);
  for (const role of ROLES) {
    for (const mime of MIMES) {
      const query = { endpoint, model, role, mime, settings: SETTINGS[adapter.protocol] };
      const says = adapter.takesFile?.(query) ?? mime.startsWith('image/');
      const references = [
        ...(role === 'last_frame' ? [file('first_frame', 'image/png')] : []),
        file(role, mime),
      ];
      const does = await sends(adapter, { kind, endpoint, model, references });
      if (says || !isDescribed) expect([role, mime, does]).toEqual([role, mime, says]);
    }
  }
});

it('offers sound where an input says that it is for sound', () => {
  const fal = BUILT_IN_ADAPTERS.find(({ protocol }) => protocol === 'fal');
  const query = {
    endpoint: 'video',
    model: 'fal-ai/flux/dev',
    role: 'reference',
    settings: SETTINGS.fal,
  } as const;
  expect(MIMES.map((mime) => fal?.takesFile?.({ ...query, mime }))).toEqual([false, false, true]);
});
