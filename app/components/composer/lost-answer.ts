import type { ComposerReply } from './composer-reply.ts';

/**
 * Runs the action in the browser and turns everything but an answer into a sentence in the form: a broken connection, a
 * proxy's error page. The form keeps its request key, so pressing again finds the task that was accepted meanwhile.
 */
export async function lostAnswer(run: () => Promise<ComposerReply>, words: string): Promise<ComposerReply> {
  try {
    return await run();
  } catch (error) {
    // Redirects are thrown: the way a success leaves.
    if (error instanceof Response) throw error;
    return { reply: { status: 'error', error: { '': [words] } }, lost: true };
  }
}
