import { eq } from 'drizzle-orm';
import { models } from '#server/db/schema/index.ts';
import type { Executor } from '#server/generation/executor.ts';
import { isTerminal } from '#server/generation/status.ts';
import { newId } from '#server/lib/ids.ts';
import { createRig, type RigOptions } from '#server/testing/rig.ts';
import { readDrama } from '../read-drama.ts';
import { type DramaInput, type DramaView, dramaInput } from '../schemas.ts';
import { submitDrama } from '../submit-drama.ts';

export type DramaRig = Awaited<ReturnType<typeof createDramaRig>>;

/** Prices of the rig's models, so that tests can say what they expect: picture 3, clip 5 per second, voice 2, storyboard 1. */
export const PRICES = { picture: 3, clipSecond: 5, voice: 2, storyboard: 1 };

/** A rig whose clips begin with a picture; its pictures take references only where the test asks for it. */
export async function createDramaRig(options: RigOptions & { characters?: boolean } = {}) {
  const rig = await createRig({
    ...options,
    sandbox: { delays: { image: 5, video: 20, audio: 5, text: 10 }, ...options.sandbox },
  });
  await rig.db.update(models).set({ maxReferences: 1 }).where(eq(models.id, rig.models.video.id));
  await rig.db
    .update(models)
    .set({ maxReferences: options.characters ? 2 : 0 })
    .where(eq(models.id, rig.models.image.id));
  await rig.db.update(models).set({ maxPromptCharacters: 30_000 }).where(eq(models.id, rig.models.text.id));
  const { image, video, audio, text } = rig.models;

  const view = (taskId: string, userId = rig.user.id): Promise<DramaView> =>
    readDrama(rig.deps, { userId, taskId });

  /** Knocks until a condition holds. @throws Error after a while, with what the drama says */
  async function until(
    taskId: string,
    done: (drama: DramaView) => boolean,
    by: Executor = rig.executor,
    userId = rig.user.id,
  ): Promise<DramaView> {
    const end = Date.now() + 500_000;
    for (;;) {
      const drama = await view(taskId, userId);
      if (done(drama)) return drama;
      if (Date.now() > end) {
        const { events } = await rig.view(taskId);
        throw new Error(
          `The drama is ${drama.task.status}/${drama.phase}: ${JSON.stringify(events, null, 1)}`,
        );
      }
      await rig.knock(by);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  return {
    ...rig,
    drama: view,
    until,
    order(overrides: Partial<DramaInput> = {}): Promise<string> {
      const input = dramaInput.parse({
        source: 'idea',
        text: 'A lamplighter waits for the last ship [[shots=3]] [[seconds=1]]',
        models: { storyboard: text.slug, picture: image.slug, clip: video.slug, voice: audio.slug },
        shots: 3,
        titleCard: false,
        requestKey: newId(),
        ...overrides,
      });
      return submitDrama(rig.deps, { ...input, userId: rig.user.id }).then(({ taskId }) => taskId);
    },
    /** A film of still pictures, one second each: what it is about does not need clips and voices. */
    orderPictures(shots: number, directives = '', overrides: Partial<DramaInput> = {}): Promise<string> {
      return this.order({
        text: `A lamp [[shots=${shots}]] [[seconds=1]] ${directives}`,
        models: { storyboard: text.slug, picture: image.slug },
        shots,
        startBelowCredits: 1_000,
        ...overrides,
      });
    },
    review: (taskId: string) =>
      until(taskId, ({ phase, waitingFor }) => phase === 'review' && waitingFor === 'user'),
    /** Until it has ended and its refund, if there is one, is posted. */
    async ended(taskId: string, by: Executor = rig.executor): Promise<DramaView> {
      await until(taskId, ({ task }) => isTerminal(task.status), by);
      return until(taskId, ({ task }) => task.money.state !== 'refund_pending', by);
    },
    /** Children that a drama has started itself, by kind. */
    async childrenOf(taskId: string): Promise<{ id: string; kind: string; status: string }[]> {
      return rig.t.sql<{ id: string; kind: string; status: string }[]>`
        select id, kind, status from generation_tasks where parent_id = ${taskId} order by id`;
    },
    /** Creates that upstream received for everything of a drama. */
    async createsOf(taskId: string): Promise<number> {
      const children = await this.childrenOf(taskId);
      const creates = await Promise.all(children.map(({ id }) => rig.creates(id)));
      return creates.flat().reduce((sum, { received }) => sum + received, 0);
    },
  };
}
