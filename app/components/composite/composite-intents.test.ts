import { expect, it, vi } from 'vitest';
import { runCompositeIntent } from './composite-intents.ts';

const ID = '0190a0b0-0000-7000-8000-0000000000a1';
type Answer = 'cancelled' | 'requested' | 'unsupported' | 'finished';

function makeForm(intent: string): FormData {
  const form = new FormData();
  form.append('intent', intent);
  return form;
}

function procedures(answer: Answer = 'requested') {
  const done = () => vi.fn(async (_input: { taskId: string }) => ({ ok: true }));
  return {
    composites: { pause: done(), resume: done(), stop: done() },
    generation: { cancel: vi.fn(async (_input: { taskId: string }) => ({ answer })) },
  };
}

it.each(['pause', 'resume', 'stop'] as const)('%s calls that procedure and no other', async (intent) => {
  const calls = procedures();
  expect(await runCompositeIntent(ID, makeForm(intent), calls)).toEqual({ ok: true });
  const { pause, resume, stop } = calls.composites;
  const used = Object.entries({ pause, resume, stop, cancel: calls.generation.cancel }).filter(
    ([, call]) => call.mock.calls.length > 0,
  );
  expect(used.map(([name]) => name)).toEqual([intent]);
  expect(calls.composites[intent]).toHaveBeenCalledExactlyOnceWith({ taskId: ID });
});

it.each<[Answer, boolean]>([
  ['cancelled', true],
  ['requested', true],
  ['finished', false],
])('a cancel that is answered %s says so', async (answer, ok) => {
  const calls = procedures(answer);
  expect(await runCompositeIntent(ID, makeForm('cancel'), calls)).toMatchObject({ ok });
  expect(calls.generation.cancel).toHaveBeenCalledExactlyOnceWith({ taskId: ID });
});

it('leaves forms of other intents to the page', async () => {
  const calls = procedures();
  expect(await runCompositeIntent(ID, makeForm('start'), calls)).toBeNull();
  expect(calls.composites.stop).not.toHaveBeenCalled();
});

it('tells an expected error in its words, and keeps another one for the log', async () => {
  const calls = procedures();
  const conflict = Object.assign(new Error('This has ended already.'), {
    name: 'TRPCError',
    code: 'CONFLICT',
  });
  calls.composites.pause.mockRejectedValueOnce(conflict);
  expect(await runCompositeIntent(ID, makeForm('pause'), calls)).toEqual({
    ok: false,
    error: 'This has ended already.',
    status: 409,
  });
  const fault = new Error('socket hang up');
  calls.composites.pause.mockRejectedValueOnce(fault);
  expect(await runCompositeIntent(ID, makeForm('pause'), calls)).toMatchObject({
    ok: false,
    status: 500,
    error: expect.stringMatching(/Press again: nothing is done twice/),
    unexpected: fault,
  });
});
