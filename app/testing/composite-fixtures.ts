import type { AgentEntry, AgentView } from '#server/generation/agent/schemas.ts';
import type { BudgetView, ChildView, CompositeView } from '#server/generation/composite/schemas.ts';
import { makeTask } from './task-fixtures.ts';

/** Views of agents and their parts as the procedures give them, for tests of pages. */

export const COMPOSITE_ID = '0190a0b0-0000-7000-8000-0000000000a1';
const AT = new Date('2026-01-05T10:00:00Z');

export function makeBudget(overrides: Partial<BudgetView> = {}): BudgetView {
  return {
    estimateCredits: 30,
    heldCredits: 50,
    spentCredits: 12,
    openCredits: 8,
    freeCredits: 30,
    ...overrides,
  };
}

export function makeChildOutput(
  overrides: Partial<ChildView['outputs'][number]> = {},
): ChildView['outputs'][number] {
  const id = overrides.id ?? 'child-out-1';
  return {
    id,
    kind: 'image',
    mime: 'image/png',
    url: `/files/outputs/${id}`,
    previewUrl: null,
    width: 1024,
    height: 1024,
    durationMs: null,
    removedAt: null,
    isTrashed: false,
    ...overrides,
  };
}

export function makeChild(overrides: Partial<ChildView> = {}): ChildView {
  return {
    taskId: '0190a0b0-0000-7000-8000-0000000000c1',
    kind: 'image',
    status: 'succeeded',
    modelTitle: 'Paint One',
    progress: null,
    failure: null,
    uncertainUntil: null,
    heldCredits: 4,
    chargedCredits: 4,
    outputs: [makeChildOutput()],
    ...overrides,
  };
}

export function makeComposite(overrides: Partial<CompositeView> = {}): CompositeView {
  return {
    taskId: COMPOSITE_ID,
    waitingFor: 'children',
    waitingUntil: null,
    paused: false,
    stopRequested: false,
    can: { pause: true, resume: false, stop: true, cancel: true },
    budget: makeBudget(),
    revisionOf: null,
    versions: [{ taskId: COMPOSITE_ID, status: 'waiting', submittedAt: AT }],
    ...overrides,
  };
}

/** A part of an entry that all its types have. */
const STEP = { status: 'done', at: AT, endedAt: AT, child: null } as const;

export function makeTurn(overrides: Partial<Extract<AgentEntry, { type: 'turn' }>> = {}): AgentEntry {
  return {
    ...STEP,
    key: 'model:1',
    type: 'turn',
    number: 1,
    text: 'I begin with the lighthouse.',
    calls: 1,
    child: makeChild({
      taskId: '0190a0b0-0000-7000-8000-0000000000c0',
      kind: 'text',
      modelTitle: 'Words One',
      chargedCredits: 2,
      outputs: [],
    }),
    ...overrides,
  };
}

export function makeMake(overrides: Partial<Extract<AgentEntry, { type: 'make' }>> = {}): AgentEntry {
  return {
    ...STEP,
    key: 'call:1:0',
    type: 'make',
    makes: 'image',
    modelTitle: 'Paint One',
    prompt: 'A lighthouse in fog',
    argumentsText: '{"model":"paint","prompt":"A lighthouse in fog"}',
    costCredits: 4,
    problem: null,
    child: makeChild(),
    ...overrides,
  };
}

export function makeAsk(overrides: Partial<Extract<AgentEntry, { type: 'ask' }>> = {}): AgentEntry {
  return {
    ...STEP,
    key: 'call:2:0',
    status: 'awaiting',
    endedAt: null,
    type: 'ask',
    question: 'Shall the light be on?',
    answer: null,
    ...overrides,
  };
}

export function makeAgent(overrides: Partial<AgentView> = {}): AgentView {
  return {
    ...makeComposite(),
    task: makeTask({
      id: COMPOSITE_ID,
      kind: 'agent',
      status: 'waiting',
      model: { slug: 'words', title: 'Words One' },
      prompt: 'Make three pictures of a lighthouse',
      params: {},
      cancel: 'request',
      waiting: '1 of 3 parts is done.',
      orderedOutputs: 0,
    }),
    settings: {
      model: 'words',
      allowed: [{ kind: 'image', model: 'paint' }],
      budgetCredits: 50,
      maxSteps: 20,
      goal: 'Make three pictures of a lighthouse',
      references: [],
      approval: 'paid',
    },
    modelTitle: 'Words One',
    allowedTitles: { paint: 'Paint One' },
    references: [],
    stepsUsed: 2,
    transcript: [makeTurn(), makeMake()],
    awaiting: [],
    ...overrides,
  };
}
