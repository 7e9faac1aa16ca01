import { expect, it, vi } from 'vitest';
import { makeModel } from '#app/testing/task-fixtures.ts';
import type { AgentInput } from '#server/generation/agent/schemas.ts';
import { submitAgent } from './submit-agent.ts';

const KEY = 'a-request-key';
const REFERENCE = '0190a0b0-0000-4000-8000-000000000001';
const MODELS = [
  makeModel(),
  makeModel({ slug: 'clip', kind: 'video', title: 'Clip One' }),
  makeModel({ slug: 'words', kind: 'text', title: 'Words One', converses: true }),
];

function makeForm(fields: Record<string, string> = {}, allowed = ['paint', 'clip']): FormData {
  const form = new FormData();
  const all = {
    requestKey: KEY,
    goal: '  Three lighthouses ',
    model: 'words',
    budgetCredits: '60',
    maxSteps: '12',
    approval: 'paid',
    ...fields,
  };
  for (const [name, value] of Object.entries(all)) form.append(name, value);
  for (const slug of allowed) form.append('allowed', slug);
  return form;
}

/** An error as a procedure throws it into an action. */
function trpcError(code: string, cause: Record<string, unknown>, message = 'No.'): Error {
  return Object.assign(new Error(message), { name: 'TRPCError', code, cause });
}

const run = (form: FormData, submit: (input: AgentInput) => Promise<{ taskId: string }>) =>
  submitAgent({ form, models: MODELS, submit });
const refuse = (error: unknown) =>
  vi.fn<(input: AgentInput) => Promise<{ taskId: string }>>().mockRejectedValue(error);

it('a form in order is one submit, numbers as numbers and models with their kinds', async () => {
  const submit = vi.fn(async (_input: AgentInput) => ({ taskId: 'new' }));
  expect(await run(makeForm({ 'references[0]': REFERENCE }), submit)).toEqual({ ok: true, taskId: 'new' });
  expect(submit).toHaveBeenCalledExactlyOnceWith({
    requestKey: KEY,
    goal: 'Three lighthouses',
    model: 'words',
    allowed: [
      { kind: 'image', model: 'paint' },
      { kind: 'video', model: 'clip' },
    ],
    budgetCredits: 60,
    maxSteps: 12,
    approval: 'paid',
    references: [REFERENCE],
  });
});

it('one ticked model is a list of one', async () => {
  const submit = vi.fn(async (_input: AgentInput) => ({ taskId: 'new' }));
  await run(makeForm({}, ['clip']), submit);
  expect(submit.mock.lastCall?.[0].allowed).toEqual([{ kind: 'video', model: 'clip' }]);
});

it.each([
  ['no goal', makeForm({ goal: ' ' }), 'goal', /Write what the agent shall do|Fill this in/],
  ['nothing allowed', makeForm({}, []), 'allowed', /Allow at least one model/],
  ['no budget', makeForm({ budgetCredits: '' }), 'budgetCredits', /Enter a whole number|Fill this in/],
  ['a broken budget', makeForm({ budgetCredits: '1.5' }), 'budgetCredits', /whole number/],
  ['too many steps', makeForm({ maxSteps: '51' }), 'maxSteps', /at most 50 steps/],
])('says at its field what is wrong: %s', async (_case, form, field, words) => {
  const submit = refuse(new Error('unreachable'));
  const result = await run(form, submit);
  expect(submit).not.toHaveBeenCalled();
  if (result.ok) throw new Error('It went through');
  expect(result.status).toBe(400);
  expect(result.answer.reply.error?.[field]?.join(' ')).toMatch(words);
});

it('keeps everything that was typed when it is refused', async () => {
  const result = await run(
    makeForm(),
    refuse(trpcError('BAD_REQUEST', { field: 'budgetCredits' }, 'Too low.')),
  );
  if (result.ok) throw new Error('It went through');
  const { reply } = result.answer;
  expect(reply.error).toEqual({ budgetCredits: ['Too low.'] });
  expect(reply.initialValue).toMatchObject({
    goal: '  Three lighthouses ',
    allowed: ['paint', 'clip'],
    budgetCredits: '60',
    approval: 'paid',
  });
});

it('a model that is gone is told at the models, and nothing is submitted', async () => {
  const submit = refuse(new Error('unreachable'));
  const result = await run(makeForm({}, ['paint', 'gone']), submit);
  expect(submit).not.toHaveBeenCalled();
  expect(result).toMatchObject({
    status: 422,
    answer: { reply: { error: { allowed: [expect.stringMatching(/not offered/)] } } },
  });
});

it('too few credits are told above the button', async () => {
  const error = trpcError('PAYMENT_REQUIRED', { code: 'insufficient_credits' }, 'You have 3 credits.');
  expect(await run(makeForm(), refuse(error))).toMatchObject({
    status: 402,
    answer: { reply: { error: { '': ['You have 3 credits.'] } } },
  });
});

it('a key that belongs to another order is replaced; one whose fate is unknown is kept', async () => {
  const spent = await run(makeForm(), refuse(trpcError('CONFLICT', { code: 'conflict' })));
  if (spent.ok) throw new Error('It went through');
  expect(spent.answer.newRequestKey).toMatch(/^[0-9a-f]{32}$/);

  const fault = new Error('socket hang up');
  const unknown = await run(makeForm(), refuse(fault));
  if (unknown.ok) throw new Error('It went through');
  expect(unknown.answer.newRequestKey).toBeUndefined();
  expect(unknown).toMatchObject({ status: 500, unexpected: fault, answer: { lost: true } });
});
