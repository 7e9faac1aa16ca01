import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { models } from '#server/db/schema/index.ts';
import type { ParameterSpec } from '#server/generation/schemas.ts';
import { newId } from '#server/lib/ids.ts';
import { savePlan, startShots } from './edit-plan.ts';
import { quoteDrama } from './quote-drama.ts';
import type { DramaPlan, DramaView } from './schemas.ts';
import { createDramaRig, type DramaRig, PRICES } from './testing/drama-rig.ts';

vi.mock('#server/composition/compose-film.ts', () => import('./testing/quick-composer.ts'));

let rig: DramaRig;
beforeAll(async () => {
  rig = await createDramaRig();
});
afterAll(() => rig.close());

const mine = (taskId: string) => ({ userId: rig.user.id, taskId });
const planOf = ({ plan }: DramaView): DramaPlan => {
  if (!plan) throw new Error('There is no plan');
  return plan;
};

describe('the review', () => {
  it('holds nothing while it waits for the user, and says until when', async () => {
    const before = await rig.balance();
    const taskId = await rig.order();
    const drama = await rig.review(taskId);
    expect(drama.budget.heldCredits).toBeNull();
    expect(await rig.balance()).toEqual({
      balanceCredits: before.balanceCredits - PRICES.storyboard,
      heldCredits: before.heldCredits,
    });
    const days = ((drama.waitingUntil?.getTime() ?? 0) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.9);
    expect(days).toBeLessThan(7.1);
    const shot = PRICES.picture + PRICES.clipSecond + PRICES.voice;
    expect(drama.quote).toMatchObject({ totalCredits: 3 * shot, seconds: 3, affordable: true });
    expect(await rig.childrenOf(taskId)).toHaveLength(1);
  });

  it('makes the film of the shots as they were edited, reordered, added and removed', async () => {
    const taskId = await rig.order();
    const plan = planOf(await rig.review(taskId));
    const [first, second] = plan.shots;
    if (!first || !second) throw new Error('Too few shots');
    const edited: DramaPlan = {
      ...plan,
      title: 'My film',
      shots: [
        { ...second, picturePrompt: 'a red lamp' },
        { ...first, id: 'mine', narration: '' },
      ],
    };
    const quote = await quoteDrama(rig.deps, { ...mine(taskId), plan: edited });
    expect(quote.totalCredits).toBe(2 * (PRICES.picture + PRICES.clipSecond) + PRICES.voice);
    const saved = await savePlan(rig.deps, { ...mine(taskId), planVersion: 1, plan: edited });
    expect(saved).toEqual({ planVersion: 2 });
    const started = await startShots(rig.deps, {
      ...mine(taskId),
      planVersion: 2,
      quotedCredits: quote.totalCredits,
    });
    expect(started).toEqual({ heldCredits: quote.totalCredits });
    const drama = await rig.ended(taskId);
    expect(drama.task.status).toBe('succeeded');
    expect(drama.shots.map(({ id, voice }) => [id, voice?.status])).toEqual([
      [second.id, 'done'],
      ['mine', undefined],
    ]);
    const prompts = await rig.t.sql<{ prompt: string }[]>`select prompt from generation_task_details d
      join generation_tasks t on t.id = d.task_id where t.parent_id = ${taskId} and t.kind = 'image' order by t.id`;
    expect(prompts.map(({ prompt }) => prompt).join('\n')).toContain('Picture: a red lamp');
    expect(await rig.audit()).toEqual([]);
  });

  it('keeps a locked shot as it is until it is unlocked, whoever saves', async () => {
    const taskId = await rig.order({ text: 'Two doors [[shots=2]] [[seconds=1]]', shots: 2 });
    const plan = planOf(await rig.review(taskId));
    const [first, second] = plan.shots;
    if (!first || !second) throw new Error('Too few shots');
    const save = (planVersion: number, shots: DramaPlan['shots']) =>
      savePlan(rig.deps, { ...mine(taskId), planVersion, plan: { ...plan, shots } });
    const locked = { ...first, locked: true };
    await save(1, [locked, second]);
    const refused = { code: 'conflict', message: expect.stringContaining('Shot 1 is locked') };
    await expect(save(2, [second])).rejects.toMatchObject(refused);
    await expect(save(2, [{ ...locked, narration: 'Other words.' }, second])).rejects.toMatchObject(refused);
    await save(2, [{ ...second, narration: 'Free to change.' }, locked]);
    await save(3, [{ ...first, narration: 'Unlocked.' }, second]);
    expect(planOf(await rig.drama(taskId)).shots[0]?.narration).toBe('Unlocked.');
  });

  it('refuses an edit of another version, and both an edit and a second start once it has started', async () => {
    const taskId = await rig.order({ text: 'Two windows [[shots=1]] [[seconds=1]]' });
    const plan = planOf(await rig.review(taskId));
    await savePlan(rig.deps, { ...mine(taskId), planVersion: 1, plan: { ...plan, title: 'One' } });
    const late = savePlan(rig.deps, { ...mine(taskId), planVersion: 1, plan: { ...plan, title: 'Two' } });
    await expect(late).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('Reload'),
    });
    expect(planOf(await rig.drama(taskId)).title).toBe('One');
    const stale = startShots(rig.deps, { ...mine(taskId), planVersion: 1 });
    await expect(stale).rejects.toMatchObject({ code: 'conflict' });

    const starts = await Promise.allSettled(
      [1, 2, 3].map(() => startShots(rig.deps, { ...mine(taskId), planVersion: 2 })),
    );
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const edit = savePlan(rig.deps, { ...mine(taskId), planVersion: 2, plan });
    await expect(edit).rejects.toMatchObject({ code: 'conflict' });
    expect((await rig.ended(taskId)).task.status).toBe('succeeded');
    expect(await rig.audit()).toEqual([]);
  });

  it('refuses strangers as if there were nothing', async () => {
    const taskId = await rig.order();
    const plan = planOf(await rig.review(taskId));
    const stranger = { userId: newId(), taskId };
    const attempts = [
      () => savePlan(rig.deps, { ...stranger, planVersion: 1, plan }),
      () => startShots(rig.deps, { ...stranger, planVersion: 1 }),
      () => quoteDrama(rig.deps, stranger),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 'not_found' });
  });

  it('checks the whole plan before anything is charged', async () => {
    const taskId = await rig.order();
    const plan = planOf(await rig.review(taskId));
    const shots = plan.shots.map((shot, index) => (index === 1 ? { ...shot, seconds: 13 } : shot));
    await savePlan(rig.deps, { ...mine(taskId), planVersion: 1, plan: { ...plan, shots } });
    const before = await rig.balance();
    // What cannot be made has no price, instead of the price of the rest.
    expect((await rig.drama(taskId)).quote).toBeNull();
    await expect(quoteDrama(rig.deps, mine(taskId))).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('Shot 2, clip'),
    });
    await expect(startShots(rig.deps, { ...mine(taskId), planVersion: 2 })).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('Shot 2, clip'),
    });
    await savePlan(rig.deps, { ...mine(taskId), planVersion: 2, plan });
    await expect(
      startShots(rig.deps, { ...mine(taskId), planVersion: 3, quotedCredits: 29 }),
    ).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('30 credits now, not 29'),
    });
    expect(await rig.balance()).toEqual(before);
    expect((await rig.drama(taskId)).phase).toBe('review');
  });

  it('takes the smallest length that the model offers, and its price', async () => {
    const video = rig.models.video.id;
    const [{ parameters } = { parameters: {} }] = await rig.db
      .select({ parameters: models.parameters })
      .from(models)
      .where(eq(models.id, video));
    const taskId = await rig.order();
    await rig.review(taskId);
    const seconds: ParameterSpec = { type: 'choice', label: 'Seconds', options: ['4', '8'], default: '8' };
    await rig.db
      .update(models)
      .set({ parameters: { ...parameters, seconds } })
      .where(eq(models.id, video));
    const quote = await quoteDrama(rig.deps, mine(taskId));
    await rig.db.update(models).set({ parameters }).where(eq(models.id, video));
    expect(quote.shots['shot-1']?.clipCredits).toBe(4 * PRICES.clipSecond);
  });

  it('ends without a charge when nobody starts it in time', async () => {
    const taskId = await rig.order();
    await rig.review(taskId);
    await rig.t
      .sql`update generation_tasks set waiting_until = now() - interval '1 second', next_poll_at = now()
      where id = ${taskId}`;
    const drama = await rig.ended(taskId);
    expect(drama.task).toMatchObject({ status: 'cancelled', money: { chargedCredits: 0 } });
    expect(await rig.audit()).toEqual([]);
  });
});

describe('a start without a review', () => {
  it('is left to the user when the shots cost more than allowed', async () => {
    const taskId = await rig.order({ startBelowCredits: 29 });
    const { storyboard, budget } = await rig.review(taskId);
    expect(storyboard.problem).toContain('they cost 30 credits, more than the 29 that you allowed');
    expect(budget.heldCredits).toBeNull();
  });

  it('is left to the user when the balance does not reach', async () => {
    const { balanceCredits } = await rig.balance();
    const taskId = await rig.order({
      startBelowCredits: 1_000_000,
      text: `A long film [[shots=40]] [[seconds=12]]`,
      shots: 40,
    });
    const drama = await rig.review(taskId);
    expect(drama.quote?.totalCredits).toBeGreaterThan(balanceCredits);
    expect(drama.storyboard.problem).toContain('The shots did not start by themselves');
    expect(drama.quote?.affordable).toBe(false);
    expect(await rig.audit()).toEqual([]);
  });
});
