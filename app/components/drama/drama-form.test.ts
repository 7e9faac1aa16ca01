import { describe, expect, it, vi } from 'vitest';
import { AppError } from '#server/lib/app-error.ts';
import { submitDramaForm } from './drama-form.ts';

const FIELDS = {
  source: 'script',
  text: '  MARA: It is for me.  ',
  storyboard: 'words',
  picture: 'paint',
  clip: '',
  voice: 'speak',
  ratio: '9:16',
  shots: '4',
  captions: 'soft',
  titleCard: 'on',
  startBelowCredits: '',
  requestKey: 'key-of-the-page',
};

function makeForm(overrides: Record<string, string> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...FIELDS, ...overrides })) form.set(name, value);
  return form;
}

function refused(code: string, cause: AppError): Error {
  return Object.assign(new Error(cause.message, { cause }), { name: 'TRPCError', code });
}

describe('the order of a drama', () => {
  it('sends what the form holds; what was left out is left out', async () => {
    const submit = vi.fn(async (_input: unknown) => ({ taskId: 't1' }));
    expect(await submitDramaForm(makeForm(), submit)).toEqual({ ok: true, taskId: 't1' });
    expect(submit.mock.lastCall?.[0]).toEqual({
      source: 'script',
      text: 'MARA: It is for me.',
      models: { storyboard: 'words', picture: 'paint', clip: undefined, voice: 'speak' },
      ratio: '9:16',
      shots: 4,
      captions: 'soft',
      titleCard: true,
      references: [],
      requestKey: 'key-of-the-page',
    });
  });

  it('sends uploads and the most that may start by itself', async () => {
    const submit = vi.fn(async (_input: unknown) => ({ taskId: 't1' }));
    const id = '0190a0b0-0000-7000-8000-000000000001';
    await submitDramaForm(makeForm({ 'references[0]': id, music: id, startBelowCredits: '40' }), submit);
    expect(submit.mock.lastCall?.[0]).toMatchObject({ references: [id], music: id, startBelowCredits: 40 });
  });

  it.each([
    ['text', { text: ' ' }, 'Write an idea, or paste a script.'],
    ['shots', { shots: '41' }, 'Ask for at most 40 shots.'],
    ['shots', { shots: 'many' }, 'Enter a number.'],
  ])('says at %s what is wrong, and keeps the rest', async (field, overrides, message) => {
    const submit = vi.fn();
    const result = await submitDramaForm(makeForm(overrides), submit);
    expect(result).toMatchObject({
      ok: false,
      status: 400,
      answer: { reply: { error: { [field]: [message] } } },
    });
    expect(result).toMatchObject({ answer: { reply: { initialValue: { picture: 'paint' } } } });
    expect(submit).not.toHaveBeenCalled();
  });

  it.each([
    ['models.clip', 'clip'],
    ['references', 'references'],
  ])('puts an error about %s where that is chosen', async (field, shown) => {
    const error = refused('BAD_REQUEST', new AppError('bad_request', 'Choose another.', { field }));
    const result = await submitDramaForm(makeForm(), () => Promise.reject(error));
    expect(result).toMatchObject({
      ok: false,
      status: 400,
      answer: { reply: { error: { [shown]: ['Choose another.'] } } },
    });
  });

  it('renews a key that belongs to another request, and keeps it after a failure of ours', async () => {
    const spent = refused('CONFLICT', new AppError('conflict', 'This key was used.'));
    const result = await submitDramaForm(makeForm(), () => Promise.reject(spent));
    expect(result).toMatchObject({ answer: { newRequestKey: expect.stringMatching(/^[0-9a-f]{32}$/) } });

    const broken = new Error('socket hang up');
    const lost = await submitDramaForm(makeForm(), () => Promise.reject(broken));
    expect(lost).toMatchObject({ status: 500, unexpected: broken });
    expect(lost).not.toHaveProperty('answer.newRequestKey');
  });

  it('loses nothing when the session has ended', async () => {
    const error = refused('UNAUTHORIZED', new AppError('unauthorized', 'Sign in.'));
    const result = await submitDramaForm(makeForm(), () => Promise.reject(error));
    expect(result).toMatchObject({ status: 401, answer: { reply: { initialValue: { text: FIELDS.text } } } });
  });
});
