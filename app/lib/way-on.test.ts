import { describe, expect, it } from 'vitest';
import { lostReply } from '#app/components/composer/lost-reply.ts';
import { answerInPlace } from './way-on.ts';

const lost = () => lostReply('Press again: one task and one charge.');
const answer = (thrown: unknown) => answerInPlace(() => Promise.reject(thrown), lost);

describe('the answer of an action, for a fetcher', () => {
  it('is what the action answered', async () => {
    expect(await answerInPlace<unknown>(() => Promise.resolve({ error: 'No.' }), lost)).toEqual({
      error: 'No.',
    });
  });

  it('is the way on where the action leads elsewhere', async () => {
    const redirect = new Response(null, { status: 303, headers: { location: '/workbench?made=1' } });
    expect(await answer(redirect)).toEqual({ wayOn: '/workbench?made=1' });
  });

  it('is a sentence in the form where it never arrived: pressed again, there is one task', async () => {
    expect(await answer(new TypeError('Failed to fetch'))).toEqual({
      reply: { status: 'error', error: { '': ['Press again: one task and one charge.'] } },
      lost: true,
    });
  });

  it('is no success where the session has ended: the router goes to the sign-in, and the form keeps what it holds', async () => {
    const toLogin = new Response(null, { status: 302, headers: { location: '/login?next=%2Fworkbench' } });
    await expect(answer(toLogin)).rejects.toBe(toLogin);
  });

  it('leaves answers that are for the page as a whole', async () => {
    const notFound = new Response(null, { status: 404, headers: { location: '/elsewhere' } });
    await expect(answer(notFound)).rejects.toBe(notFound);
  });
});
