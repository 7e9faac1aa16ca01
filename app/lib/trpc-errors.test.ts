import { parseWithZod } from '@conform-to/zod/v4';
import { initTRPC, TRPCError } from '@trpc/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { APP_ERROR_CODES, AppError, type AppErrorCode } from '#server/lib/app-error.ts';
import { loadOrThrow, readTrpcError, toFormFailure } from './trpc-errors.ts';

function trpcError(code: AppErrorCode, message: string, field?: string) {
  const cause = new AppError(code, message, {
    field,
    retryAfterSeconds: code === 'too_many_requests' ? 30 : undefined,
  });
  return new TRPCError({ code: APP_ERROR_CODES[code].trpc, message, cause });
}

/** What a real caller throws for input that does not match. */
async function zodFailure(): Promise<unknown> {
  const t = initTRPC.create();
  const input = z.object({
    name: z.string().min(1, 'Name it.'),
    price: z.object({ credits: z.number('Enter a number.') }),
  });
  const router = t.router({ save: t.procedure.input(input).mutation(() => 1) });
  return router
    .createCaller({})
    .save({ name: '', price: { credits: 'x' } } as never)
    .catch((error: unknown) => error);
}

const request = (path: string) => new Request(`http://site.example${path}`);

const formOf = (values: Record<string, string>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) form.set(name, value);
  return parseWithZod(form, { schema: z.object({}) });
};

describe('readTrpcError', () => {
  it('gives every AppError the status of its own table', () => {
    for (const code of Object.keys(APP_ERROR_CODES) as AppErrorCode[]) {
      const view = readTrpcError(trpcError(code, 'Because.'));
      // Errors of our own are not for people.
      if (code === 'internal') expect(view).toBeUndefined();
      else expect(view).toMatchObject({ code, status: APP_ERROR_CODES[code].http, message: 'Because.' });
    }
  });

  it('knows nothing of other errors', () => {
    expect(readTrpcError(new Error('relation "x" does not exist'))).toBeUndefined();
    expect(readTrpcError('text')).toBeUndefined();
    expect(readTrpcError(undefined)).toBeUndefined();
  });

  it('reads the fields of input that does not match', async () => {
    expect(readTrpcError(await zodFailure())).toMatchObject({
      status: 400,
      fieldErrors: { name: ['Name it.'], 'price.credits': ['Enter a number.'] },
    });
  });
});

describe('loadOrThrow', () => {
  const thrown = (path: string, error: unknown) =>
    loadOrThrow(request(path), Promise.reject(error)).catch((reason: unknown) => reason);

  it('leads to sign in and back', async () => {
    const response = (await thrown('/credits?cursor=1', trpcError('unauthorized', 'Sign in.'))) as Response;
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe('/login?next=%2Fcredits%3Fcursor%3D1');
  });

  it('answers 404 with the sentence', async () => {
    const response = (await thrown('/x', trpcError('not_found', 'There is no such task.'))) as Response;
    expect(response.status).toBe(404);
    expect(await response.text()).toBe('There is no such task.');
  });

  it('passes on what was not expected, untouched', async () => {
    const error = new Error('boom');
    expect(await thrown('/x', error)).toBe(error);
  });
});

describe('toFormFailure', () => {
  const failure = (error: unknown, path = '/settings') =>
    toFormFailure(error, {
      request: request(path),
      submission: formOf({ email: 'ada@example.com', password: 'hunter2hunter2' }),
      fields: ['email', 'password'],
      secrets: ['password'],
    });

  it('puts the message beside the field that it names', () => {
    const { status, reply } = failure(trpcError('conflict', 'There is an account already.', 'email'));
    expect(status).toBe(409);
    expect(reply.error).toEqual({ email: ['There is an account already.'] });
  });

  it('puts it above the form when the form has no such field', () => {
    expect(failure(trpcError('conflict', 'Taken.', 'slug')).reply.error).toEqual({ '': ['Taken.'] });
    expect(failure(trpcError('insufficient_credits', 'Not enough.')).reply.error).toEqual({
      '': ['Not enough.'],
    });
  });

  it('never sends a secret back', () => {
    const { reply } = failure(trpcError('conflict', 'Taken.', 'email'));
    expect(JSON.stringify(reply)).not.toContain('hunter2hunter2');
    expect(reply.initialValue).toEqual({ email: 'ada@example.com' });
  });

  it('shows a wrong password in the form, but an ended session leads to sign in', () => {
    const error = trpcError('unauthorized', 'E-mail or password is wrong.');
    expect(failure(error, '/login').reply.error).toEqual({ '': ['E-mail or password is wrong.'] });
    expect(() => failure(error, '/settings')).toThrowError();
    try {
      failure(error, '/settings');
    } catch (response) {
      expect((response as Response).headers.get('location')).toBe('/login?next=%2Fsettings');
    }
  });

  it('throws what was not expected', () => {
    expect(() => failure(new Error('boom'))).toThrowError('boom');
  });
});
