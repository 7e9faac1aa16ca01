import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { setCrashHandler } from '#server/testing/crash-points.ts';
import { cancelTask } from '../cancel-task.ts';
import { stopComposite } from '../composite/control-composite.ts';
import { redoDrama } from './redo-drama.ts';
import { createDramaRig, type DramaRig, PRICES } from './testing/drama-rig.ts';
import { composer } from './testing/quick-composer.ts';

vi.mock('#server/composition/compose-film.ts', () => import('./testing/quick-composer.ts'));

let rig: DramaRig;
beforeAll(async () => {
  rig = await createDramaRig();
});
afterEach(() => {
  setCrashHandler(undefined);
  composer.answer = undefined;
});
afterAll(() => rig.close());

const mine = (taskId: string) => ({ userId: rig.user.id, taskId });
const cancel = (taskId: string) => cancelTask(rig.deps, mine(taskId));

const lastReason = async (taskId: string) => (await rig.view(taskId)).events.at(-1)?.text;

/** As if its deadline had passed, and its children had been waited for. */
async function passDeadline(taskId: string): Promise<void> {
  await rig.t.sql`
    update generation_tasks set waiting_until = now() - interval '1 second', next_poll_at = now()
    where id = ${taskId}`;
}

async function expectEnd(taskId: string, status: string, chargedCredits: number): Promise<void> {
  const drama = await rig.ended(taskId);
  expect(drama.task).toMatchObject({ status, money: { chargedCredits } });
  const live = (await rig.childrenOf(taskId)).filter(
    (child) => !['succeeded', 'failed', 'cancelled'].includes(child.status),
  );
  expect(live).toEqual([]);
  expect(drama.budget.freeCredits + drama.budget.spentCredits).toBe(drama.budget.heldCredits ?? 0);
  expect(await rig.audit()).toEqual([]);
}

describe('a cancel', () => {
  it('before anything was sent is free', async () => {
    const before = await rig.balance();
    const taskId = await rig.orderPictures(1);
    await cancel(taskId);
    await expectEnd(taskId, 'cancelled', 0);
    expect(await rig.balance()).toEqual(before);
  });

  it('while the storyboard is written waits for its end, and charges that call alone', async () => {
    const taskId = await rig.orderPictures(1, '[[delay:3600000]]');
    await rig.until(taskId, ({ storyboard }) => storyboard.child?.status === 'running');
    await cancel(taskId);
    await rig.sandbox.control.release();
    await expectEnd(taskId, 'cancelled', 0);
    expect(await rig.childrenOf(taskId)).toHaveLength(1);
  });

  it('in review gives nothing back, because nothing is held', async () => {
    const taskId = await rig.orderPictures(1, '', { startBelowCredits: undefined });
    await rig.review(taskId);
    await cancel(taskId);
    await expectEnd(taskId, 'cancelled', 0);
  });

  it('while shots are made keeps and charges what is finished, and starts nothing more', async () => {
    const caps = { image: 1, video: 1, audio: 1, text: 1 };
    const { deps, executor } = rig.anotherProcess({
      composites: { ...rig.deps.config.composites, childrenAtOnce: caps },
    });
    const taskId = await rig.orderPictures(4);
    await rig.until(taskId, ({ budget }) => budget.spentCredits > 0, executor);
    await cancelTask(deps, mine(taskId));
    const drama = await rig.ended(taskId, executor);
    const images = (await rig.childrenOf(taskId)).filter(({ kind }) => kind === 'image');
    const finished = images.filter(({ status }) => status === 'succeeded').length;
    expect(images.length).toBeLessThan(4);
    await expectEnd(taskId, 'cancelled', finished * PRICES.picture);
    expect(drama.shots.some(({ picture }) => picture?.child?.outputs.length === 1)).toBe(true);
  });

  it('keeps what came while it was being cancelled: in the zip, and for the next version', async () => {
    const { text, image, video } = rig.models;
    const models = { storyboard: text.slug, picture: image.slug, clip: video.slug };
    const taskId = await rig.orderPictures(1, '[[child:*.clip delay:3600000]]', { models });
    await rig.until(taskId, ({ shots }) => shots[0]?.clip?.child?.status === 'running');
    await cancel(taskId);
    await rig.sandbox.control.release();
    await expectEnd(taskId, 'cancelled', PRICES.picture + PRICES.clipSecond);
    const drama = await rig.drama(taskId);
    expect(drama.shots[0]).toMatchObject({ picture: { status: 'done' }, clip: { status: 'done' } });
    expect(drama.zipUrl).toContain(taskId);
    const before = await rig.balance();
    const again = await redoDrama(rig.deps, { ...mine(taskId), redo: [], requestKey: newId() });
    const next = await rig.ended(again.taskId);
    expect(next.task.status).toBe('succeeded');
    expect(next.shots[0]).toMatchObject({ picture: { takenOver: true }, clip: { takenOver: true } });
    expect(await rig.balance()).toEqual(before);
  });

  it('while it waits for a decision about failed parts', async () => {
    const taskId = await rig.orderPictures(2, '[[child:2 fail]]');
    await rig.until(taskId, ({ phase, waitingFor }) => phase === 'failed_parts' && waitingFor === 'user');
    await cancel(taskId);
    await expectEnd(taskId, 'cancelled', PRICES.picture);
  });

  it('while the film is put together stops that', async () => {
    composer.answer = (_order, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    const taskId = await rig.orderPictures(1);
    await rig.until(taskId, ({ task }) => task.status === 'archiving' && composer.orders.length > 0);
    await cancel(taskId);
    await expectEnd(taskId, 'cancelled', PRICES.picture);
    expect((await rig.drama(taskId)).film).toBeNull();
    expect((await rig.drama(taskId)).zipUrl).toContain(taskId);
  });
});

describe('a stop', () => {
  it('in review ends it without a charge', async () => {
    const taskId = await rig.orderPictures(1, '', { startBelowCredits: undefined });
    await rig.review(taskId);
    await stopComposite(rig.deps, mine(taskId));
    await expectEnd(taskId, 'cancelled', 0);
    expect(await lastReason(taskId)).toMatch(/^Stopped before the shots were started\./);
  });

  it('while shots are made puts together what is there', async () => {
    const caps = { image: 1, video: 1, audio: 1, text: 1 };
    const { deps, executor } = rig.anotherProcess({
      composites: { ...rig.deps.config.composites, childrenAtOnce: caps },
    });
    const taskId = await rig.orderPictures(4);
    await rig.until(taskId, ({ budget }) => budget.spentCredits > 0, executor);
    await stopComposite(deps, mine(taskId));
    const drama = await rig.ended(taskId, executor);
    const shown = composer.orders.at(-1)?.shots.length ?? 0;
    expect(shown).toBeGreaterThan(0);
    expect(shown).toBeLessThan(4);
    expect(drama.task.status).toBe('succeeded');
    await expectEnd(taskId, 'succeeded', shown * PRICES.picture);
    expect(drama.shots.at(-1)?.picture?.status).toBe('skipped');
  });
});

describe('a deadline that passes', () => {
  it('in review says that nobody started the shots, not that somebody stopped', async () => {
    const taskId = await rig.orderPictures(1, '', { startBelowCredits: undefined });
    await rig.review(taskId);
    await passDeadline(taskId);
    await expectEnd(taskId, 'cancelled', 0);
    expect(await lastReason(taskId)).toMatch(/^The shots were not started in time\./);
  });

  it('before a shot is finished says so, too, and gives the budget back', async () => {
    const caps = { image: 0, video: 1, audio: 1, text: 1 };
    const { executor } = rig.anotherProcess({
      composites: { ...rig.deps.config.composites, childrenAtOnce: caps },
    });
    const taskId = await rig.orderPictures(1);
    await rig.until(taskId, ({ phase }) => phase === 'shots', executor);
    await passDeadline(taskId);
    const drama = await rig.ended(taskId, executor);
    expect(drama.shots[0]?.picture?.problem).toBe('Its time was up before it was made.');
    expect(await lastReason(taskId)).toContain('Its time was up before a shot was finished.');
    await expectEnd(taskId, 'cancelled', 0);
  });
});
