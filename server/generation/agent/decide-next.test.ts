import { describe, expect, it } from 'vitest';
import type { StepStatus } from '../composite/schemas.ts';
import type { Status } from '../status.ts';
import type { AgentStep, TurnResult } from './agent-step.ts';
import { type AgentState, decideNext } from './decide-next.ts';
import type { AgentMakes } from './schemas.ts';

const TOOL = { id: 'c', name: 'generate_image', argumentsText: '{}' };
const answered: TurnResult = { text: '', calls: [TOOL] };

function turn(number: number, status: StepStatus, result: TurnResult | null = answered): AgentStep<'turn'> {
  const childTaskId = status === 'planned' || status === 'awaiting' ? null : `turn-${number}`;
  const isOver = status === 'done' || status === 'failed';
  return {
    key: `model:${number}`,
    kind: 'turn',
    status,
    childTaskId,
    input: { number, attempt: 0 },
    result: isOver ? result : null,
  };
}
const base = (number: number, index: number) => ({
  turn: number,
  index,
  tool: 'x',
  hash: `${number}:${index}`,
});
function make(
  number: number,
  index: number,
  status: StepStatus,
  makes: AgentMakes = 'image',
): AgentStep<'make'> {
  return {
    key: `call:${number}:${index}`,
    kind: 'make',
    status,
    childTaskId: ['running', 'done', 'failed'].includes(status) ? `make-${number}-${index}` : null,
    input: {
      ...base(number, index),
      makes,
      order: { model: 'm', prompt: 'p', params: {}, images: [] },
      argumentsText: '{}',
      costCredits: 1,
    },
    result: null,
  };
}
const simple = <K extends 'ask' | 'read' | 'finish'>(
  kind: K,
  at: [number, number],
  status: StepStatus,
): AgentStep =>
  ({
    key: `call:${at[0]}:${at[1]}`,
    kind,
    status,
    childTaskId: null,
    input: { ...base(...at), question: 'q', what: 'w', summary: 's' },
    result: null,
  }) as AgentStep;
const refused = (number: number, reason: 'malformed' | 'repeat'): AgentStep<'refused'> => ({
  key: `call:${number}:1`,
  kind: 'refused',
  status: 'failed',
  childTaskId: null,
  input: { ...base(number, 1), problem: 'no', reason },
  result: { told: 'no' },
});

function next(steps: AgentStep[], children: Record<string, Status> = {}, more: Partial<AgentState> = {}) {
  return decideNext({
    approval: 'none',
    maxSteps: 20,
    steps,
    children: new Map(Object.entries(children)),
    childrenAtOnce: { image: 2, video: 1, audio: 1, text: 1 },
    ...more,
  });
}

describe('turns', () => {
  it('begins with one at once, whatever has to be approved', () => {
    for (const approval of ['none', 'paid', 'each'] as const) {
      expect(next([], {}, { approval })).toEqual({
        type: 'record_turn',
        number: 1,
        attempt: 0,
        key: 'model:1',
        status: 'planned',
      });
    }
  });

  it('starts what is planned, waits for it, reads it', () => {
    expect(next([turn(1, 'planned')])).toEqual({ type: 'start_turn', key: 'model:1' });
    expect(next([turn(1, 'running')], { 'turn-1': 'running' })).toEqual({ type: 'wait', for: 'children' });
    expect(next([turn(1, 'running')], { 'turn-1': 'uncertain' })).toEqual({ type: 'wait', for: 'children' });
    expect(next([turn(1, 'running')], { 'turn-1': 'failed' })).toEqual({
      type: 'read_answer',
      key: 'model:1',
    });
  });

  it('asks before every further turn where each step is approved', () => {
    const after = [turn(1, 'done'), make(1, 1, 'done')];
    expect(next(after, {}, { approval: 'each' })).toMatchObject({ key: 'model:2', status: 'awaiting' });
    expect(next(after, {}, { approval: 'paid' })).toMatchObject({ key: 'model:2', status: 'planned' });
    expect(next([...after, turn(2, 'awaiting')])).toEqual({ type: 'wait', for: 'user' });
    expect(next([...after, turn(2, 'rejected')])).toEqual({ type: 'end', why: { type: 'stopped' } });
  });

  it('tries a failed one twice more, and not where it may have been done', () => {
    const failure: TurnResult = { failure: 'failed', message: 'It broke.', retry: true };
    const first = turn(1, 'failed', failure);
    expect(next([first])).toMatchObject({ type: 'record_turn', number: 1, attempt: 1, key: 'model:1:1' });
    const third = { ...first, key: 'model:1:2', input: { number: 1, attempt: 2 } };
    const end = { type: 'end', why: { type: 'cut_short', code: 'step_failed', detail: 'It broke.' } };
    expect(next([first, third])).toEqual(end);
    expect(next([turn(1, 'failed', { ...failure, retry: false })])).toEqual(end);
  });

  it('ends when the budget does not pay for another', () => {
    const failure: TurnResult = { failure: 'over_budget', message: 'It costs 5.', retry: false };
    expect(next([turn(1, 'failed', failure)])).toMatchObject({ why: { code: 'budget_spent' } });
  });
});

describe('calls', () => {
  it('starts as many side by side as the caps allow, by kind', () => {
    const steps = [
      turn(1, 'done'),
      make(1, 1, 'running'),
      make(1, 2, 'planned'),
      make(1, 3, 'planned'),
      make(1, 4, 'planned', 'audio'),
      make(1, 5, 'planned', 'audio'),
    ];
    expect(next(steps, { 'make-1-1': 'running' })).toEqual({
      type: 'start_makes',
      keys: ['call:1:2', 'call:1:4'],
    });
  });

  it('waits for children before it waits for the user', () => {
    const steps = [turn(1, 'done'), make(1, 1, 'running'), simple('ask', [1, 2], 'awaiting')];
    expect(next(steps, { 'make-1-1': 'uncertain' })).toEqual({ type: 'wait', for: 'children' });
    expect(next(steps, { 'make-1-1': 'failed' })).toEqual({ type: 'close_makes', keys: ['call:1:1'] });
    const over = [turn(1, 'done'), make(1, 1, 'failed'), simple('ask', [1, 2], 'awaiting')];
    expect(next(over)).toEqual({ type: 'wait', for: 'user' });
  });

  it('goes on when every call of the turn has its result', () => {
    const steps = [
      turn(1, 'done'),
      make(1, 1, 'failed'),
      make(1, 2, 'rejected'),
      simple('read', [1, 3], 'done'),
    ];
    expect(next(steps)).toMatchObject({ type: 'record_turn', number: 2 });
    expect(next([turn(1, 'done'), simple('read', [1, 1], 'planned')])).toMatchObject({
      type: 'read_outputs',
    });
  });
});

describe('the end', () => {
  it('is the finish of the model, once the rest of its answer has ended well', () => {
    const finish = simple('finish', [1, 2], 'planned');
    const end = { type: 'end', why: { type: 'finished', key: 'call:1:2', summary: 's' } };
    expect(next([turn(1, 'done'), make(1, 1, 'done'), finish])).toEqual(end);
    expect(next([turn(1, 'done'), make(1, 1, 'failed'), finish])).toEqual({
      type: 'put_off_finish',
      key: 'call:1:2',
    });
    expect(next([turn(1, 'done'), make(1, 1, 'done'), { ...finish, status: 'done' } as AgentStep])).toEqual(
      end,
    );
  });

  it('is the second text in a row', () => {
    const said = (number: number) => turn(number, 'done', { text: `Well ${number}.`, calls: [] });
    expect(next([said(1)])).toMatchObject({ type: 'record_turn' });
    expect(next([said(1), said(2)])).toEqual({ type: 'end', why: { type: 'said', summary: 'Well 2.' } });
    expect(next([said(1), turn(2, 'done'), make(2, 1, 'done'), said(3)])).toMatchObject({
      type: 'record_turn',
    });
  });

  it('is the third answer in a row of which nothing could be used', () => {
    const bad = (number: number) => [turn(number, 'done'), refused(number, 'malformed')];
    expect(next([...bad(1), ...bad(2)])).toMatchObject({ type: 'record_turn', number: 3 });
    expect(next([...bad(1), ...bad(2), ...bad(3)])).toMatchObject({ why: { code: 'step_failed' } });
    expect(next([...bad(1), ...bad(2), turn(3, 'done'), make(3, 1, 'done'), ...bad(4)])).toMatchObject({
      type: 'record_turn',
    });
    const empty = (number: number) => turn(number, 'done', { text: '', calls: [] });
    expect(next([empty(1), empty(2), empty(3)])).toMatchObject({ why: { code: 'step_failed' } });
  });

  it('is the third call that was made before', () => {
    const again = (number: number) => [turn(number, 'done'), refused(number, 'repeat')];
    const steps = [turn(1, 'done'), make(1, 1, 'done'), ...again(2), ...again(3)];
    expect(next(steps)).toMatchObject({ type: 'record_turn' });
    expect(next([...steps, ...again(4)])).toMatchObject({ why: { code: 'step_failed' } });
  });

  it('is the last step allowed; what was refused is none', () => {
    const steps = [turn(1, 'done'), make(1, 1, 'done'), make(1, 2, 'rejected')];
    expect(next(steps, {}, { maxSteps: 2 })).toMatchObject({ why: { code: 'steps_used_up' } });
    expect(next(steps, {}, { maxSteps: 3 })).toMatchObject({ type: 'record_turn' });
  });
});
