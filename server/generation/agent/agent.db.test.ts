import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stopComposite } from '../composite/control-composite.ts';
import { type AgentRig, createAgentRig, expectMoneyAddsUp, labelsOf } from './testing/agent-rig.ts';

/** Whole runs: the usual one, those of a model that is wrong, and those on which something goes wrong. */

let rig: AgentRig;
beforeAll(async () => {
  rig = await createAgentRig();
});
afterAll(() => rig.close());

it('a usual run has two things made and ends with its summary; it costs what its children cost', async () => {
  const before = await rig.balance();
  const taskId = await rig.start('Two postcards of a harbour');
  const task = await rig.runToEnd(taskId);
  const view = await rig.agent(taskId);
  expect(task).toMatchObject({ status: 'succeeded', failure: null, progress: 100 });
  expect(labelsOf(view)).toEqual(['turn done', 'make done', 'make done', 'turn done', 'finish done']);
  expect(view).toMatchObject({ stepsUsed: 4, awaiting: [], budget: { heldCredits: 60, openCredits: 0 } });
  const children = await rig.children(taskId);
  expect(children.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
    'text succeeded',
    'image succeeded',
    'audio succeeded',
    'text succeeded',
  ]);
  expect(await rig.createsOfChildren(taskId)).toEqual([1, 1, 1, 1]);
  expect(await rig.summary(taskId)).toBe('Done: 2 outputs are ready.');
  expect(await rig.hold(taskId)).toEqual({ status: 'captured', held: 60, captured: 7, returned: 53 });
  expect((await rig.balance()).balanceCredits).toBe(before.balanceCredits - 7);
  await expectMoneyAddsUp(rig, taskId);
});

describe('what a model gets wrong is told to it, and it goes on', () => {
  it.each([
    ['[[agent:malformed]]', 'not valid JSON'],
    ['[[agent:unknown-tool]]', 'no tool named "paint_everything"'],
    ['[[agent:bad-arguments]]', 'prompt'],
  ])('%s', async (directive, problem) => {
    const taskId = await rig.start(`A fox ${directive} [[agent:one]]`);
    expect((await rig.runToEnd(taskId)).status).toBe('succeeded');
    const view = await rig.agent(taskId);
    expect(labelsOf(view)).toEqual([
      'turn done',
      'refused failed',
      'turn done',
      'make done',
      'turn done',
      'finish done',
    ]);
    const refused = view.transcript.find((entry) => entry.type === 'refused');
    expect(refused?.type === 'refused' && refused.problem).toContain(problem);
    expect(await sentTo(taskId)).toContain(problem);
    await expectMoneyAddsUp(rig, taskId);
  });

  /** Everything that the last turn was sent. */
  async function sentTo(taskId: string): Promise<string> {
    const [row] = await rig.t.sql<{ sent: string }[]>`
      select d.conversation::text as sent from generation_task_details d
      join generation_tasks t on t.id = d.task_id
      where t.parent_id = ${taskId} and t.kind = 'text' order by t.id desc limit 1`;
    return JSON.stringify(JSON.parse(row?.sent ?? '{}')).replaceAll('\\"', '"');
  }
});

describe('a model that leads nowhere', () => {
  it('which asks for the same again is told, and ended with what is there', async () => {
    const taskId = await rig.start('A fox [[agent:repeat]]');
    expect((await rig.runToEnd(taskId)).status).toBe('succeeded');
    const view = await rig.agent(taskId);
    expect(view.transcript.filter(({ type }) => type === 'make')).toHaveLength(1);
    expect(view.transcript.filter(({ type }) => type === 'refused')).toHaveLength(3);
    expect(await rig.summary(taskId)).toMatch(/same thing again and again[\s\S]*image [0-9a-f-]{36}/);
    await expectMoneyAddsUp(rig, taskId);
  });

  it('which only talks is told once; then its text is the end', async () => {
    const taskId = await rig.start('A fox [[agent:chatter]]');
    expect((await rig.runToEnd(taskId)).status).toBe('succeeded');
    expect(labelsOf(await rig.agent(taskId))).toEqual(['turn done', 'turn done', 'finish done']);
    expect(await rig.summary(taskId)).toBe('I am still thinking (2).');
    await expectMoneyAddsUp(rig, taskId);
  });

  it('which is wrong three times ends with a reason and costs its turns', async () => {
    const wrong = '[[agent:call=generate_image {"model":"gold"}]]';
    const calls = [1, 2, 3].map((at) => `[[agent:call=paint_${at} {}]]`).join(' ');
    const taskId = await rig.start(`A fox [[agent:one]] ${calls} ${wrong}`, { approval: 'paid' });
    const waiting = await rig.untilAwaiting(taskId);
    await rig.decide(taskId, { stepKey: waiting.awaiting[0] ?? '', decision: 'reject', reason: 'No.' });
    const task = await rig.runToEnd(taskId);
    expect(task).toMatchObject({ status: 'failed', failure: { code: 'step_failed' } });
    expect(task.failure?.message).toContain('3 answers in a row');
    expect(task.money).toMatchObject({ chargedCredits: 4, returnedCredits: 56 });
    await expectMoneyAddsUp(rig, taskId);
  });

  it('which goes on and on ends at the most steps, with what is there', async () => {
    const taskId = await rig.start('A fox [[agent:steps=9]]', { maxSteps: 4 });
    expect((await rig.runToEnd(taskId)).status).toBe('succeeded');
    expect(await rig.agent(taskId)).toMatchObject({ stepsUsed: 4 });
    expect(await rig.summary(taskId)).toContain('All 4 steps were used.');
    await expectMoneyAddsUp(rig, taskId);
  });

  it('with one step makes nothing and says why', async () => {
    const task = await rig.runToEnd(await rig.start('A fox', { maxSteps: 1 }));
    expect(task).toMatchObject({ status: 'failed', failure: { code: 'steps_used_up' } });
    await expectMoneyAddsUp(rig, task.id);
  });
});

describe('when something goes wrong', () => {
  it('a child that fails is told, and the run goes on', async () => {
    const taskId = await rig.start('A fox [[child:1 fail]]');
    expect((await rig.runToEnd(taskId)).status).toBe('succeeded');
    const view = await rig.agent(taskId);
    expect(labelsOf(view)).toEqual(['turn done', 'make failed', 'make done', 'turn done', 'finish done']);
    expect(view.task.money.chargedCredits).toBe(1 + 2 + 1);
    await expectMoneyAddsUp(rig, taskId);
  });

  it('a budget that is used up midway ends it with what is there', async () => {
    const taskId = await rig.start('A fox [[agent:steps=5]]', { budgetCredits: 9 });
    expect((await rig.runToEnd(taskId)).status).toBe('succeeded');
    const view = await rig.agent(taskId);
    expect(labelsOf(view)).toContain('make failed');
    expect(view.task.money).toMatchObject({ chargedCredits: 9, returnedCredits: 0 });
    expect(await rig.summary(taskId)).toContain('0 are left of the budget');
    await expectMoneyAddsUp(rig, taskId);
  });

  it('an uncertain child is waited for; its own policy ends it, and the run goes on', async () => {
    const taskId = await rig.start('A fox [[child:1 drop]]');
    await rig.runUntil(taskId, () => true);
    let uncertain: string | undefined;
    for (let looks = 0; looks < 300 && !uncertain; looks += 1) {
      await rig.knock();
      uncertain = (await rig.children(taskId)).find(({ status }) => status === 'uncertain')?.id;
    }
    expect((await rig.agent(taskId)).waitingFor).toBe('children');
    await stopComposite(rig.deps, { userId: rig.user.id, taskId });
    for (let knocks = 0; knocks < 5; knocks += 1) await rig.knock();
    expect((await rig.view(taskId)).status).toBe('waiting');
    await rig.t
      .sql`update generation_tasks set uncertain_until = now() - interval '1 second', next_poll_at = now()
      where id = ${uncertain ?? null} and status = 'uncertain'`;
    const task = await rig.runToEnd(taskId);
    expect(task.status).toBe('succeeded');
    await expectMoneyAddsUp(rig, taskId);
  });

  it('a turn that fails is tried twice more; nothing was made, so it fails and is refunded', async () => {
    const taskId = await rig.start('A fox [[fail]]');
    const task = await rig.runToEnd(taskId);
    expect(task).toMatchObject({ status: 'failed', failure: { code: 'step_failed' } });
    expect(task.money).toMatchObject({ state: 'refunded', chargedCredits: 0 });
    expect((await rig.children(taskId)).map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
    await expectMoneyAddsUp(rig, taskId);
  });

  it('a turn that may have been done is not tried again', async () => {
    const taskId = await rig.start('A fox [[drop]]');
    let children: readonly { status: string }[] = [];
    for (let looks = 0; looks < 300 && children[0]?.status !== 'uncertain'; looks += 1) {
      await rig.knock();
      children = await rig.children(taskId);
    }
    await rig.t
      .sql`update generation_tasks set uncertain_until = now() - interval '1 second', next_poll_at = now()
      where parent_id = ${taskId} and status = 'uncertain'`;
    expect(await rig.runToEnd(taskId)).toMatchObject({ status: 'failed', failure: { code: 'step_failed' } });
    expect(await rig.children(taskId)).toHaveLength(1);
    await expectMoneyAddsUp(rig, taskId);
  });
});
