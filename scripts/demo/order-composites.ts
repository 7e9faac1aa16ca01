import { newId } from '#server/lib/ids.ts';
import type { SidelaneClient } from '#server/trpc/client.ts';

export type CompositeIds = { agent: string; drama: string };

/** One agent that has two things made, and one film of three shots that starts without a review; then the page closes. */
export async function orderComposites(client: SidelaneClient): Promise<CompositeIds> {
  const agent = await client.agents.submit.mutate({
    goal: 'A picture and a sound for the opening of a harbour museum',
    model: 'sandbox-text',
    allowed: [
      { kind: 'image', model: 'sandbox-image' },
      { kind: 'audio', model: 'sandbox-speech' },
    ],
    budgetCredits: 60,
    maxSteps: 10,
    approval: 'none',
    requestKey: newId(),
  });
  const drama = await client.dramas.submit.mutate({
    source: 'idea',
    text: 'A lamplighter finds the last ship in the fog [[shots=3]]',
    models: {
      storyboard: 'sandbox-text',
      picture: 'sandbox-image',
      clip: 'sandbox-video',
      voice: 'sandbox-speech',
    },
    ratio: '16:9',
    shots: 3,
    captions: 'burnt',
    startBelowCredits: 300,
    requestKey: newId(),
  });
  return { agent: agent.taskId, drama: drama.taskId };
}
