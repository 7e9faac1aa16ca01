import { expect, it, vi } from 'vitest';
import type { AgentDecisionInput } from '#server/generation/agent/schemas.ts';
import { runDecision } from './agent-intents.ts';

const ID = '0190a0b0-0000-7000-8000-0000000000a1';

function makeForm(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries({ stepKey: 'call:1:0', ...fields })) form.append(name, value);
  return form;
}

const decideWith = (error?: unknown) =>
  vi.fn(async (_input: AgentDecisionInput) => {
    if (error) throw error;
    return { ok: true };
  });

it.each<[Record<string, string>, Partial<AgentDecisionInput>]>([
  [{ decision: 'approve', argumentsText: '{"changed":true}' }, { decision: 'approve' }],
  [
    { decision: 'edit', argumentsText: '{"a":1}' },
    { decision: 'edit', argumentsText: '{"a":1}' },
  ],
  [
    { decision: 'reject', reason: ' too dark ' },
    { decision: 'reject', reason: 'too dark' },
  ],
  [{ decision: 'reject' }, { decision: 'reject', reason: '' }],
  [
    { decision: 'answer', answer: 'Yes.' },
    { decision: 'answer', answer: 'Yes.' },
  ],
])('%j is that decision and nothing of the other fields', async (fields, input) => {
  const decide = decideWith();
  expect(await runDecision(ID, makeForm(fields), decide)).toEqual({ ok: true });
  expect(decide).toHaveBeenCalledExactlyOnceWith({ taskId: ID, stepKey: 'call:1:0', ...input });
});

it('an empty answer is told at its field and not sent', async () => {
  const decide = decideWith();
  const result = await runDecision(ID, makeForm({ decision: 'answer', answer: '  ' }), decide);
  expect(decide).not.toHaveBeenCalled();
  expect(result).toMatchObject({
    ok: false,
    status: 400,
    failure: { error: 'Write an answer.', field: 'answer', stepKey: 'call:1:0' },
  });
});

it('a form without a known decision does nothing', async () => {
  const decide = decideWith();
  expect(await runDecision(ID, makeForm({ decision: 'buy' }), decide)).toMatchObject({
    ok: false,
    failure: { error: 'Choose what to do with this step.' },
  });
  expect(decide).not.toHaveBeenCalled();
});

it('an error of the procedure comes back at its field with everything that was typed', async () => {
  const refusal = Object.assign(new Error('No such model.'), {
    name: 'TRPCError',
    code: 'BAD_REQUEST',
    cause: { code: 'bad_request', field: 'argumentsText' },
  });
  const form = makeForm({ decision: 'edit', argumentsText: '{"model":"x"}', reason: 'half a rea' });
  expect(await runDecision(ID, form, decideWith(refusal))).toEqual({
    ok: false,
    status: 400,
    failure: {
      error: 'No such model.',
      field: 'argumentsText',
      stepKey: 'call:1:0',
      typed: { argumentsText: '{"model":"x"}', reason: 'half a rea', answer: '' },
    },
  });
});

it('a fault of ours is kept for the log', async () => {
  const fault = new Error('socket hang up');
  expect(await runDecision(ID, makeForm({ decision: 'approve' }), decideWith(fault))).toMatchObject({
    ok: false,
    status: 500,
    unexpected: fault,
  });
});
