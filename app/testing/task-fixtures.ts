import type { ModelView, MoneyView, OutputView, TaskView } from '#server/generation/schemas.ts';

/** Views as the procedures give them, for tests of components. */

const AT = new Date('2026-01-05T10:00:00Z');

export function makeTask(overrides: Partial<TaskView> = {}): TaskView {
  return {
    id: '0190a0b0-0000-7000-8000-000000000001',
    kind: 'image',
    parentId: null,
    status: 'running',
    version: 1,
    model: { slug: 'paint', title: 'Paint One' },
    prompt: 'A lighthouse at dusk',
    params: { n: 2, size: '1024x1024' },
    progress: null,
    cancelRequested: false,
    cancel: 'none',
    canRetry: false,
    failure: null,
    uncertain: null,
    waiting: null,
    waitingReason: null,
    expectedSeconds: null,
    queuePosition: null,
    outputs: [],
    orderedOutputs: 2,
    money: makeMoney(),
    retryOf: null,
    submittedAt: AT,
    finishedAt: null,
    ...overrides,
  };
}

export function makeMoney(overrides: Partial<MoneyView> = {}): MoneyView {
  return { heldCredits: 8, chargedCredits: 0, returnedCredits: 0, state: 'held', ...overrides };
}

export function makeOutput(overrides: Partial<OutputView> = {}): OutputView {
  const id = overrides.id ?? 'out-1';
  return {
    id,
    ordinal: 0,
    kind: 'image',
    mime: 'image/png',
    bytes: 1_400_000,
    width: 1024,
    height: 1024,
    durationMs: null,
    url: `/files/outputs/${id}`,
    previewUrl: null,
    late: false,
    removedAt: null,
    isTrashed: false,
    ...overrides,
  };
}

/** Pictures are taken in every role that a file can have, unless `takes` says otherwise. */
export function makeModel(overrides: Partial<ModelView> = {}): ModelView {
  const { maxReferences = 2, referenceRoles = ['reference'] } = overrides;
  const roles = referenceRoles.slice(0, maxReferences);
  return {
    slug: 'paint',
    kind: 'image',
    title: 'Paint One',
    description: 'Pictures in a few seconds.',
    parameters: {
      n: { type: 'integer', label: 'Pictures', minimum: 1, maximum: 4, default: 1 },
      size: { type: 'choice', label: 'Size', options: ['1024x1024', '1536x1024'], default: '1024x1024' },
      seed: { type: 'integer', label: 'Seed', minimum: 0, maximum: 99_999, default: 7 },
      style: { type: 'text', label: 'Style', maxLength: 40, default: '' },
      sharpen: { type: 'boolean', label: 'Sharpen', default: true },
    },
    price: { unit: 'output', credits: 4 },
    maxPromptCharacters: 500,
    maxReferences,
    referenceRoles,
    takes: Object.fromEntries(roles.map((role) => [role, ['image']])),
    chargedWhenCancelled: false,
    cancellable: true,
    converses: false,
    typicalSeconds: null,
    ...overrides,
  };
}
