import { describe, expect, it, vi } from 'vitest';
import { makeModel } from '#app/testing/task-fixtures.ts';
import type { SubmitInput } from '#server/generation/schemas.ts';
import { submitForm } from './submit-form.ts';

const KEY = 'a-request-key';
const FILE = '0190a0b0-0000-4000-8000-000000000001';

function makeForm(fields: Record<string, string> = {}): FormData {
  const form = new FormData();
  const all = {
    kind: 'image',
    model: 'paint',
    requestKey: KEY,
    prompt: 'A harbour',
    'params.n': '2',
    'params.seed': '7',
  };
  for (const [name, value] of Object.entries({ ...all, 'params.size': '1024x1024', ...fields }))
    form.append(name, value);
  return form;
}

/** An error as a procedure throws it into an action. */
function trpcError(code: string, cause: Record<string, unknown>, message = 'No.'): Error {
  return Object.assign(new Error(message), { name: 'TRPCError', code, cause });
}

const run = (form: FormData, submit: (input: SubmitInput) => Promise<{ taskId: string }>) =>
  submitForm({ form, models: [makeModel()], submit });

describe('a form that is in order', () => {
  it('is one submit with typed parameters under the form’s key', async () => {
    const submit = vi.fn(async () => ({ taskId: 'new' }));
    const result = await run(makeForm({ 'references[0]': '0190a0b0-0000-4000-8000-000000000001' }), submit);
    expect(result).toMatchObject({ ok: true, taskId: 'new' });
    expect(submit).toHaveBeenCalledTimes(1);
    expect(submit).toHaveBeenCalledWith({
      kind: 'image',
      model: 'paint',
      requestKey: KEY,
      prompt: 'A harbour',
      // A box that is not ticked is false, an empty text a value.
      params: { n: 2, seed: 7, size: '1024x1024', sharpen: false, style: '' },
      references: ['0190a0b0-0000-4000-8000-000000000001'],
    });
  });

  it('may belong to a model without parameters', async () => {
    const submit = vi.fn(async () => ({ taskId: 'new' }));
    const form = new FormData();
    for (const [name, value] of Object.entries({
      kind: 'image',
      model: 'paint',
      requestKey: KEY,
      prompt: 'A',
    })) {
      form.append(name, value);
    }
    const result = await submitForm({ form, models: [makeModel({ parameters: {} })], submit });
    expect(result.ok).toBe(true);
    expect(submit).toHaveBeenCalledWith(expect.objectContaining({ params: {}, references: [] }));
  });
});

describe('a form that is not', () => {
  it.each([
    [{ prompt: '   ' }, 'prompt', 'Write a prompt.'],
    [{ prompt: 'x'.repeat(501) }, 'prompt', 'A prompt for Paint One has at most 500 characters.'],
    [{ 'params.seed': 'abc' }, 'params.seed', 'Seed is a whole number from 0 to 99999.'],
    [{ 'params.n': '9' }, 'params.n', 'Pictures is a whole number from 1 to 4.'],
    [{ 'params.size': '1x1' }, 'params.size', 'Size is one of: 1024x1024, 1536x1024.'],
    [{ 'references[0]': 'x' }, 'references[0]', 'This is not an upload id.'],
    // A place that was left out: the file behind it must not move up to another role.
    [{ 'references[0]': '', 'references[1]': FILE }, 'references[0]', 'This is not an upload id.'],
  ])('never reaches the procedure: %j', async (fields, field, message) => {
    const submit = vi.fn();
    const result = await run(makeForm(fields), submit);
    expect(submit).not.toHaveBeenCalled();
    if (result.ok) throw new Error('accepted');
    expect(result.status).toBe(400);
    expect(result.answer.reply.error?.[field]).toEqual([message]);
    // What was typed comes back for the form without JavaScript.
    expect(result.answer.reply.initialValue).toMatchObject({ model: 'paint' });
  });

  it('says that a model is gone and keeps what was typed', async () => {
    const result = await run(makeForm({ model: 'gone' }), vi.fn());
    if (result.ok) throw new Error('accepted');
    expect(result.status).toBe(422);
    expect(result.answer.reply.error?.['']).toEqual([
      'This model is not offered any more. Choose another one.',
    ]);
    expect(result.answer.reply.initialValue).toMatchObject({ prompt: 'A harbour' });
  });
});

describe('what a procedure refuses', () => {
  const refusal = async (error: unknown) => {
    const result = await run(makeForm(), () => Promise.reject(error));
    if (result.ok) throw new Error('accepted');
    return result;
  };

  it('stands beside the field that it names', async () => {
    const { status, answer } = await refusal(
      trpcError('BAD_REQUEST', { code: 'bad_request', field: 'params.size' }, 'Size: choose another.'),
    );
    expect(status).toBe(400);
    expect(answer.reply.error).toEqual({ 'params.size': ['Size: choose another.'] });
  });

  it('stands above the button when it names none of the form', async () => {
    const { status, answer } = await refusal(
      trpcError('PAYMENT_REQUIRED', { code: 'insufficient_credits' }, 'You have 1 credit, this needs 8.'),
    );
    expect(status).toBe(402);
    expect(answer.reply.error).toEqual({ '': ['You have 1 credit, this needs 8.'] });
    expect(answer.newRequestKey).toBeUndefined();
  });

  it('stands there too when it is about what no field shows', async () => {
    const message = 'A request key has at least 8 characters.';
    const issues = [{ code: 'too_small', path: ['requestKey'], message }];
    const { answer } = await refusal(trpcError('BAD_REQUEST', { name: 'ZodError', issues }));
    expect(answer.reply.error).toEqual({ '': [message] });
  });

  it('gives a new key only when the old one belongs to another task', async () => {
    const { answer } = await refusal(trpcError('CONFLICT', { code: 'conflict' }, 'Used before.'));
    expect(answer.newRequestKey).toMatch(/^[0-9a-f]{32}$/);
  });

  it('never loses the form to an ended session', async () => {
    const { status, answer } = await refusal(trpcError('UNAUTHORIZED', { code: 'unauthorized' }));
    expect(status).toBe(401);
    expect(answer.reply.error?.['']?.[0]).toMatch(/Sign in again in another tab/);
    expect(answer.reply.initialValue).toMatchObject({ prompt: 'A harbour' });
  });

  it('keeps the key when nobody knows what became of the submit', async () => {
    const error = new Error('connection reset while committing; secret=1');
    const { status, answer, unexpected } = await refusal(error);
    expect(status).toBe(500);
    expect(unexpected).toBe(error);
    expect(answer.lost).toBe(true);
    expect(answer.newRequestKey).toBeUndefined();
    expect(JSON.stringify(answer)).not.toContain('secret');
  });
});
