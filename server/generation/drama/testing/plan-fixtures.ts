import type { StepRow } from '../../composite/queries.ts';
import type { StepStatus } from '../../composite/schemas.ts';
import type { Order } from '../../submit-task.ts';
import type { DramaPlan, DramaShot } from '../schemas.ts';

/** Plans, models and steps without a database. */

export function aShot(id: string, overrides: Partial<DramaShot> = {}): DramaShot {
  return {
    id,
    sceneId: 'harbour',
    characterIds: ['mara'],
    seconds: 3,
    picturePrompt: 'a lamp in the fog',
    motionPrompt: 'slowly forward',
    narration: 'Nobody came.',
    speakerId: '',
    ...overrides,
  };
}

export function aPlan(overrides: Partial<DramaPlan> = {}): DramaPlan {
  return {
    title: 'The last ship',
    style: 'watercolour',
    characters: [{ id: 'mara', name: 'Mara', look: 'a yellow raincoat', voice: 'echo' }],
    scenes: [{ id: 'harbour', title: 'Harbour', place: 'wooden boats' }],
    shots: [aShot('shot-1'), aShot('shot-2', { characterIds: [], narration: '' })],
    ...overrides,
  };
}

type Model = Order['model'];

/** A model's row with what these tests look at. */
export function aModel(overrides: Partial<Model> = {}): Model {
  return {
    slug: 'model',
    title: 'Model',
    parameters: {},
    price: { unit: 'call', credits: 1 },
    maxPromptCharacters: 4_000,
    maxReferences: 0,
    ...overrides,
  } as Model;
}

export function aStep(key: string, status: StepStatus, overrides: Partial<StepRow> = {}): StepRow {
  return {
    id: key,
    taskId: 'task',
    seq: 1,
    key,
    kind: 'picture',
    status,
    childTaskId: null,
    input: {},
    result: null,
    createdAt: new Date(0),
    endedAt: null,
    ...overrides,
  };
}
