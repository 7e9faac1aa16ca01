import type { ComposerReply } from './composer.tsx';

const LOST =
  'The answer did not arrive; your task may have been accepted. Press Generate again: it is the same request, so there will be one task and one charge.';

/**
 * Runs the action in the browser and turns everything but an answer into a sentence in the form: a broken connection, a
 * proxy's error page. The form keeps its request key, so pressing again finds the task that was accepted meanwhile.
 */
export async function lostAnswer(run: () => Promise<ComposerReply>): Promise<ComposerReply> {
  try {
    return await run();
  } catch (error) {
    // Redirects are thrown: the way a success leaves.
    if (error instanceof Response) throw error;
    return { reply: { status: 'error', error: { '': [LOST] } }, lost: true };
  }
}
