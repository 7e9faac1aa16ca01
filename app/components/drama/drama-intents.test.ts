import { describe, expect, it, vi } from 'vitest';
import { makePlan } from '#app/testing/drama-fixtures.ts';
import { AppError } from '#server/lib/app-error.ts';
import { runDramaIntent } from './drama-intents.ts';

function makeForm(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

function makeProcedures() {
  return {
    savePlan: vi.fn(async (_input: unknown) => ({ planVersion: 3 })),
    start: vi.fn(async (_input: unknown) => ({ heldCredits: 52 })),
    failedParts: vi.fn(async (_input: unknown) => undefined),
    redo: vi.fn(async (_input: unknown) => ({ taskId: 't2' })),
  };
}

const run = (fields: Record<string, string>, procedures = makeProcedures()) =>
  runDramaIntent('t1', makeForm(fields), procedures);

function conflict(message: string): Error {
  const cause = new AppError('conflict', message);
  return Object.assign(new Error(message, { cause }), { name: 'TRPCError', code: 'CONFLICT' });
}

describe('the forms of a drama', () => {
  it('saves the whole plan as the version after the one that was edited', async () => {
    const procedures = makeProcedures();
    const result = await run(
      { intent: 'save', planVersion: '2', plan: JSON.stringify(makePlan()) },
      procedures,
    );
    expect(procedures.savePlan.mock.lastCall?.[0]).toEqual({
      taskId: 't1',
      planVersion: 2,
      plan: makePlan(),
    });
    expect(result).toEqual({ answer: { intent: 'save', saved: { planVersion: 3 } }, status: 200 });
  });

  it('tells a conflict from other refusals', async () => {
    const procedures = makeProcedures();
    procedures.savePlan.mockRejectedValueOnce(conflict('It was changed in another window.'));
    const result = await run({ intent: 'save', planVersion: '2', plan: '{}' }, procedures);
    expect(result).toMatchObject({ status: 409, answer: { conflict: true, intent: 'save' } });
  });

  it('shows what the procedure says of a plan at its place', async () => {
    const procedures = makeProcedures();
    const cause = Object.assign(new Error('bad'), {
      issues: [{ path: ['plan', 'shots', 1, 'seconds'], message: 'Enter whole seconds.' }],
    });
    procedures.savePlan.mockRejectedValueOnce(
      Object.assign(new Error('bad', { cause }), { name: 'TRPCError', code: 'BAD_REQUEST' }),
    );
    const result = await run({ intent: 'save', planVersion: '2', plan: 'no json' }, procedures);
    expect(result).toMatchObject({ answer: { planErrors: { 'shots.1.seconds': 'Enter whole seconds.' } } });
  });

  it('starts at the price that was shown', async () => {
    const procedures = makeProcedures();
    const result = await run({ intent: 'start', planVersion: '2', quotedCredits: '52' }, procedures);
    expect(procedures.start.mock.lastCall?.[0]).toEqual({ taskId: 't1', planVersion: 2, quotedCredits: 52 });
    expect(result).toEqual({ redirectTo: '/workbench/dramas/t1' });
  });

  it('retries one part or all that failed', async () => {
    const procedures = makeProcedures();
    await run({ intent: 'retry', shotId: 's1', part: 'clip' }, procedures);
    await run({ intent: 'retry' }, procedures);
    await run({ intent: 'finish_without' }, procedures);
    expect(procedures.failedParts.mock.calls.map(([input]) => input)).toEqual([
      { taskId: 't1', decision: 'retry', shotId: 's1', part: 'clip' },
      { taskId: 't1', decision: 'retry', shotId: undefined, part: undefined },
      { taskId: 't1', decision: 'finish_without', shotId: undefined, part: undefined },
    ]);
  });

  it('makes only what is ticked anew, and leads to the new version', async () => {
    const procedures = makeProcedures();
    const result = await run(
      {
        intent: 'redo',
        shotId: 's1',
        'redo.picture': 'on',
        'words.picture': 'A lighthouse at noon',
        'words.voice': 'not ticked',
        quotedCredits: '4',
        requestKey: 'key-12345',
      },
      procedures,
    );
    expect(procedures.redo.mock.lastCall?.[0]).toEqual({
      taskId: 't1',
      redo: [{ shotId: 's1', part: 'picture', words: 'A lighthouse at noon' }],
      captions: undefined,
      quotedCredits: 4,
      requestKey: 'key-12345',
    });
    expect(result).toEqual({ redirectTo: '/workbench/dramas/t2' });
  });

  it('puts the film together again without making anything', async () => {
    const procedures = makeProcedures();
    await run({ intent: 'redo', captions: 'none', requestKey: 'key-12345' }, procedures);
    expect(procedures.redo.mock.lastCall?.[0]).toMatchObject({ redo: [], captions: 'none' });
  });

  it('does not take a form in which nothing is ticked for putting it together again', async () => {
    const procedures = makeProcedures();
    const result = await run({ intent: 'redo', shotId: 's1', requestKey: 'key-12345' }, procedures);
    expect(result).toMatchObject({ status: 400, answer: { shotId: 's1' } });
    expect(procedures.redo).not.toHaveBeenCalled();
  });

  it('reports what was not expected, and asks for another press', async () => {
    const procedures = makeProcedures();
    const broken = new Error('socket hang up');
    procedures.start.mockRejectedValueOnce(broken);
    expect(await run({ intent: 'start', planVersion: '2' }, procedures)).toMatchObject({
      status: 500,
      unexpected: broken,
    });
    expect(await run({ intent: 'sing' })).toMatchObject({ status: 400 });
  });
});
