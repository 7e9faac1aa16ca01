import { TRPCError } from '@trpc/server';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { AppError } from '#server/lib/app-error.ts';
import { runForm } from './form.ts';
import { replyFor } from './form-reply.ts';

const schema = z.object({
  email: z.string('Enter an e-mail address.'),
  password: z.string('Enter your password.'),
});

function run(values: Record<string, string>, call: (input: z.infer<typeof schema>) => Promise<unknown>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) form.set(name, value);
  const request = new Request('http://site.example/settings', { method: 'POST' });
  return runForm(request, form, { name: 'account', schema, secrets: ['password'], run: call });
}

describe('runForm', () => {
  it('calls the procedure with the parsed values and returns its answer', async () => {
    const call = vi.fn(async () => ({ saved: true }));
    await expect(run({ email: 'ada@example.com', password: 'x' }, call)).resolves.toEqual({ saved: true });
    expect(call).toHaveBeenCalledWith({ email: 'ada@example.com', password: 'x' });
  });

  it('does not call it with values that do not fit, and keeps what was typed but the secret', async () => {
    const call = vi.fn(async () => null);
    const answer = (await run({ password: 'secret-words' }, call)) as {
      data: unknown;
      init: { status: number };
    };
    expect(call).not.toHaveBeenCalled();
    expect(answer.init.status ?? answer.init).toBe(400);
    expect(replyFor(answer.data, 'account')?.error).toEqual({ email: ['Enter an e-mail address.'] });
    expect(JSON.stringify(answer.data)).not.toContain('secret-words');
  });

  it('answers with the status and the sentence of the procedure', async () => {
    const cause = new AppError('conflict', 'Taken.', { field: 'email' });
    const answer = (await run({ email: 'ada@example.com', password: 'x' }, async () => {
      throw new TRPCError({ code: 'CONFLICT', message: 'Taken.', cause });
    })) as { data: unknown; init: { status: number } };
    expect(answer.init.status ?? answer.init).toBe(409);
    expect(replyFor(answer.data, 'account')?.error).toEqual({ email: ['Taken.'] });
    expect(replyFor(answer.data, 'another form')).toBeUndefined();
  });

  it('lets redirects through', async () => {
    const redirect = new Response(null, { status: 302 });
    const thrown = run({ email: 'a@example.com', password: 'x' }, async () => {
      throw redirect;
    });
    await expect(thrown).rejects.toBe(redirect);
  });
});
