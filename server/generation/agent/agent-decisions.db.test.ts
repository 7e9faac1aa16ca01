import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { StorageError } from '#server/storage/asset-store.ts';
import { createUser } from '#server/testing/factories.ts';
import { cancelTask } from '../cancel-task.ts';
import { pauseComposite, resumeComposite, stopComposite } from '../composite/control-composite.ts';
import { type AgentRig, createAgentRig, expectMoneyAddsUp, labelsOf } from './testing/agent-rig.ts';

/** What a person may say to a run, and what it does then. */

let rig: AgentRig;
beforeAll(async () => {
  rig = await createAgentRig();
});
afterAll(() => rig.close());

describe('what the person decides', () => {
  it('nothing is made before a yes; then only what was approved, edited or not rejected', async () => {
    const taskId = await rig.start('A fox [[agent:many=3]]', { approval: 'paid' });
    const waiting = await rig.untilAwaiting(taskId);
    expect(waiting).toMatchObject({ waitingFor: 'user', budget: { openCredits: 0, spentCredits: 1 } });
    expect(waiting.awaiting).toEqual(['call:1:1', 'call:1:2', 'call:1:3']);
    expect(await rig.children(taskId)).toHaveLength(1);
    await expect(
      rig.decide(taskId, { stepKey: 'call:1:1', decision: 'edit', argumentsText: '{"model":"gold"}' }),
    ).rejects.toMatchObject({ code: 'bad_request', field: 'argumentsText' });
    const argumentsText = JSON.stringify({
      model: rig.models.image.slug,
      prompt: 'a red fox',
      params: { n: 2 },
    });
    await rig.decide(taskId, { stepKey: 'call:1:1', decision: 'edit', argumentsText });
    await rig.decide(taskId, { stepKey: 'call:1:2', decision: 'approve' });
    await rig.decide(taskId, { stepKey: 'call:1:3', decision: 'reject', reason: 'Too much fox.' });
    await expect(rig.decide(taskId, { stepKey: 'call:1:2', decision: 'approve' })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect((await rig.runToEnd(taskId)).status).toBe('succeeded');
    const view = await rig.agent(taskId);
    expect(view.transcript.slice(1, 4)).toMatchObject([
      { status: 'done', prompt: 'a red fox', costCredits: 6, argumentsText },
      { status: 'done', costCredits: 3 },
      { status: 'rejected', problem: 'Too much fox.', child: null },
    ]);
    expect(view.transcript[1]?.child?.outputs).toHaveLength(2);
    expect(view.task.money.chargedCredits).toBe(1 + 6 + 3 + 1);
    await expectMoneyAddsUp(rig, taskId);
  });

  it('a yes is one to the price that was shown: what costs more by now is not made', async () => {
    const taskId = await rig.start('A fox [[agent:one]]', { approval: 'paid' });
    const waiting = await rig.untilAwaiting(taskId);
    expect(waiting.transcript[1]).toMatchObject({ status: 'awaiting', costCredits: 3 });
    const price = (credits: number) =>
      rig.t.sql`update models set price = jsonb_set(price, '{credits}', ${credits}::text::jsonb)
        where id = ${rig.models.image.id}`;
    await price(30);
    try {
      await rig.decide(taskId, { stepKey: 'call:1:1', decision: 'approve' });
      await rig.runToEnd(taskId);
    } finally {
      await price(3);
    }
    expect((await rig.agent(taskId)).transcript[1]).toMatchObject({
      status: 'failed',
      child: null,
      problem: expect.stringContaining('costs 30 credits now, not the 3'),
    });
    await expectMoneyAddsUp(rig, taskId);
  });

  it('two words at once on one step have one effect', async () => {
    const taskId = await rig.start('A fox [[agent:one]]', { approval: 'paid' });
    await rig.untilAwaiting(taskId);
    const words = await Promise.allSettled([
      rig.decide(taskId, { stepKey: 'call:1:1', decision: 'approve' }),
      rig.decide(taskId, { stepKey: 'call:1:1', decision: 'reject', reason: 'No.' }),
      rig.decide(taskId, { stepKey: 'call:1:1', decision: 'approve' }),
    ]);
    expect(words.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await rig.runToEnd(taskId)).status).toBe('succeeded');
    await expectMoneyAddsUp(rig, taskId);
  });

  it('each further turn waits too, and a no to one is a stop', async () => {
    const taskId = await rig.start('A fox [[agent:one]]', { approval: 'each' });
    expect((await rig.untilAwaiting(taskId)).awaiting).toEqual(['call:1:1']);
    await rig.decide(taskId, { stepKey: 'call:1:1', decision: 'approve' });
    await rig.runUntil(taskId, (view) => view.events.filter(({ type }) => type === 'waiting').length > 2);
    expect((await rig.untilAwaiting(taskId)).awaiting).toEqual(['model:2']);
    await rig.decide(taskId, { stepKey: 'model:2', decision: 'reject', reason: '' });
    expect((await rig.runToEnd(taskId)).status).toBe('succeeded');
    expect(await rig.summary(taskId)).toMatch(/^Stopped with what is there\.\nThis was made:\n- image /);
    await expectMoneyAddsUp(rig, taskId);
  });

  it('an answer is told to the model', async () => {
    const taskId = await rig.start('A fox [[agent:one]] [[agent:ask=Which hat?]]');
    const waiting = await rig.untilAwaiting(taskId);
    const ask = waiting.transcript.find((entry) => entry.type === 'ask');
    expect(ask).toMatchObject({ question: 'Which hat?', status: 'awaiting', answer: null });
    await expect(rig.decide(taskId, { stepKey: ask?.key ?? '', decision: 'approve' })).rejects.toMatchObject({
      code: 'bad_request',
    });
    await rig.decide(taskId, { stepKey: ask?.key ?? '', decision: 'answer', answer: 'The blue one' });
    expect((await rig.runToEnd(taskId)).status).toBe('succeeded');
    const [row] = await rig.t.sql`
      select 1 from generation_task_details d join generation_tasks t on t.id = d.task_id
      where t.parent_id = ${taskId} and d.conversation::text like '%The person answers: The blue one%'`;
    expect(row).toBeDefined();
    await expectMoneyAddsUp(rig, taskId);
  });

  it('an answer in the last moment is heard', async () => {
    const taskId = await rig.start('A fox [[agent:one]]', { approval: 'paid' });
    await rig.untilAwaiting(taskId);
    // Its time is over, and nobody has looked at it yet.
    await rig.t
      .sql`update generation_tasks set waiting_until = now() - interval '1 second' where id = ${taskId}`;
    await rig.decide(taskId, { stepKey: 'call:1:1', decision: 'approve' });
    expect((await rig.runToEnd(taskId)).status).toBe('succeeded');
    expect(labelsOf(await rig.agent(taskId))).toContain('make done');
    await expectMoneyAddsUp(rig, taskId);
  });

  it('an answer that is gone from storage ends the run with a reason, and no further turn is paid', async () => {
    const taskId = await rig.start('A fox');
    const open = vi
      .spyOn(rig.deps.storage, 'open')
      .mockRejectedValue(new StorageError('missing', 'There is no such file.'));
    try {
      const view = await rig.runToEnd(taskId);
      expect(view.failure?.message).toContain('not in storage any more');
    } finally {
      open.mockRestore();
    }
    expect(await rig.children(taskId)).toHaveLength(1);
    await expectMoneyAddsUp(rig, taskId);
  });

  it('who does not answer in time gets what is there', async () => {
    const taskId = await rig.start('A fox [[agent:one]] [[agent:ask]]');
    const waiting = await rig.untilAwaiting(taskId);
    const days = ((waiting.waitingUntil?.getTime() ?? 0) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.9);
    await rig.t
      .sql`update generation_tasks set waiting_until = now() - interval '1 second', next_poll_at = now()
      where id = ${taskId}`;
    expect((await rig.runToEnd(taskId)).status).toBe('succeeded');
    expect(labelsOf(await rig.agent(taskId)).slice(-2)).toEqual(['ask skipped', 'finish done']);
    await expectMoneyAddsUp(rig, taskId);
  });

  it('is nobody else’s to decide or to see', async () => {
    const taskId = await rig.start('A fox', { approval: 'paid' });
    await rig.untilAwaiting(taskId);
    const stranger = await createUser(rig.db);
    await expect(rig.agent(taskId, stranger.id)).rejects.toMatchObject({ code: 'not_found' });
    await rig.decide(taskId, { stepKey: 'call:9:9', decision: 'approve' }).catch((error) => {
      expect(error).toMatchObject({ code: 'not_found' });
    });
    await cancelTask(rig.deps, { userId: rig.user.id, taskId });
    await expect(rig.decide(taskId, { stepKey: 'call:1:1', decision: 'approve' })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect((await rig.runToEnd(taskId)).status).toBe('cancelled');
  });
});

describe('stop, pause and cancel', () => {
  it('a stop before anything was made gives the rest back', async () => {
    const taskId = await rig.start('A fox', { approval: 'paid' });
    await rig.untilAwaiting(taskId);
    await stopComposite(rig.deps, { userId: rig.user.id, taskId });
    const task = await rig.runToEnd(taskId);
    expect(task).toMatchObject({ status: 'cancelled', money: { chargedCredits: 1, returnedCredits: 59 } });
    await expectMoneyAddsUp(rig, taskId);
  });

  it('a pause starts nothing until it is resumed', async () => {
    const taskId = await rig.start('A fox', { approval: 'paid' });
    await rig.untilAwaiting(taskId);
    await pauseComposite(rig.deps, { userId: rig.user.id, taskId });
    for (const stepKey of ['call:1:1', 'call:1:2'])
      await rig.decide(taskId, { stepKey, decision: 'approve' });
    await rig.runUntil(taskId, (view) => view.events.some(({ type }) => type === 'paused'));
    for (let knocks = 0; knocks < 5; knocks += 1) await rig.knock();
    expect(await rig.children(taskId)).toHaveLength(1);
    await resumeComposite(rig.deps, { userId: rig.user.id, taskId });
    expect((await rig.runToEnd(taskId)).status).toBe('succeeded');
    await expectMoneyAddsUp(rig, taskId);
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 8])(
    'a cancel after %i knocks ends, once what is under way has ended',
    async (knocks) => {
      const taskId = await rig.start('A fox [[agent:steps=2]]');
      for (let done = 0; done < knocks; done += 1) await rig.knock();
      await cancelTask(rig.deps, { userId: rig.user.id, taskId });
      const task = await rig.runToEnd(taskId);
      expect(['cancelled', 'succeeded']).toContain(task.status);
      for (const { status } of await rig.children(taskId))
        expect(['succeeded', 'cancelled']).toContain(status);
      await expectMoneyAddsUp(rig, taskId);
    },
  );
});
