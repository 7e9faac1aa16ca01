import { expect, it } from 'vitest';
import type { StepStatus } from '../composite/schemas.ts';
import { decideShots, type PartEnd } from './decide-next.ts';
import { newestParts } from './parts.ts';
import { aPlan, aShot, aStep } from './testing/plan-fixtures.ts';

const CAPS = { image: 2, video: 1, audio: 1, text: 1 };

/** `steps`: key → status. */
function decide(
  steps: Record<string, StepStatus>,
  options: { ends?: Record<string, PartEnd>; shots?: number; caps?: typeof CAPS } = {},
) {
  const shots = Array.from({ length: options.shots ?? 1 }, (_, index) => aShot(`s${index + 1}`));
  const rows = Object.entries(steps).map(([key, status]) => aStep(key, status));
  const decision = decideShots({
    plan: aPlan({ shots }),
    parts: newestParts(rows),
    endOf: ({ step }) => options.ends?.[step.key] ?? null,
    caps: options.caps ?? CAPS,
  });
  return decision.type === 'start' ? decision.parts.map(({ step }) => step.key) : decision;
}

it('makes characters first, then pictures, then clip and voice side by side', () => {
  const planned = {
    'character:mara:1': 'planned',
    'shot:s1:picture:1': 'planned',
    'shot:s1:clip:1': 'planned',
    'shot:s1:voice:1': 'planned',
  } as const;
  expect(decide(planned)).toEqual(['character:mara:1']);
  expect(decide({ ...planned, 'character:mara:1': 'running' })).toEqual({ type: 'wait' });
  expect(decide({ ...planned, 'character:mara:1': 'done' })).toEqual(['shot:s1:picture:1']);
  expect(decide({ ...planned, 'character:mara:1': 'done', 'shot:s1:picture:1': 'running' })).toEqual({
    type: 'wait',
  });
  expect(decide({ ...planned, 'character:mara:1': 'done', 'shot:s1:picture:1': 'done' })).toEqual([
    'shot:s1:clip:1',
    'shot:s1:voice:1',
  ]);
});

it('draws a shot though the picture of its character failed', () => {
  expect(decide({ 'character:mara:1': 'failed', 'shot:s1:picture:1': 'planned' })).toEqual([
    'shot:s1:picture:1',
  ]);
  expect(decide({ 'character:mara:1': 'failed', 'shot:s1:picture:1': 'done' })).toEqual({ type: 'compose' });
});

it('starts no more than the caps allow, counting what is under way', () => {
  const pictures = (first: StepStatus) => ({
    'shot:s1:picture:1': first,
    'shot:s2:picture:1': 'planned' as const,
    'shot:s3:picture:1': 'planned' as const,
  });
  expect(decide(pictures('planned'), { shots: 3 })).toEqual(['shot:s1:picture:1', 'shot:s2:picture:1']);
  expect(decide(pictures('running'), { shots: 3 })).toEqual(['shot:s2:picture:1']);
});

it('writes down what children came to before anything else', () => {
  expect(
    decide(
      { 'shot:s1:picture:1': 'running', 'shot:s2:picture:1': 'running', 'shot:s3:picture:1': 'planned' },
      {
        shots: 3,
        ends: {
          'shot:s1:picture:1': { delivered: true, problem: '' },
          'shot:s2:picture:1': { delivered: false, problem: 'Refused.' },
        },
      },
    ),
  ).toEqual({
    type: 'record',
    changes: [
      { key: 'shot:s1:picture:1', to: 'done' },
      { key: 'shot:s2:picture:1', to: 'failed', problem: 'Refused.' },
    ],
  });
});

it('leaves out what is made of a picture that failed, and goes on with the other shots', () => {
  const steps = {
    'shot:s1:picture:1': 'failed',
    'shot:s1:clip:1': 'planned',
    'shot:s1:voice:1': 'planned',
    'shot:s2:picture:1': 'planned',
  } as const;
  expect(decide(steps, { shots: 2 })).toEqual({
    type: 'record',
    changes: ['clip', 'voice'].map((part) => ({
      key: `shot:s1:${part}:1`,
      to: 'skipped',
      problem: 'The picture of this shot is missing.',
    })),
  });
  const skipped = { ...steps, 'shot:s1:clip:1': 'skipped', 'shot:s1:voice:1': 'skipped' } as const;
  expect(decide(skipped, { shots: 2 })).toEqual(['shot:s2:picture:1']);
  expect(decide({ ...skipped, 'shot:s2:picture:1': 'done' }, { shots: 2 })).toEqual({ type: 'failed_parts' });
});

it('looks at the newest try of a part only', () => {
  const steps = { 'shot:s1:picture:1': 'done', 'shot:s1:clip:1': 'failed' } as const;
  expect(decide(steps)).toEqual({ type: 'failed_parts' });
  expect(decide({ ...steps, 'shot:s1:clip:2': 'planned' })).toEqual(['shot:s1:clip:2']);
  expect(decide({ ...steps, 'shot:s1:clip:2': 'done' })).toEqual({ type: 'compose' });
});
