import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runRefundBatch } from '#server/billing/run-refund-batch.ts';
import { setCrashHandler } from '#server/testing/crash-points.ts';
import { createRig, type Rig } from '#server/testing/rig.ts';
import { STEP_CRASH_POINTS } from '#server/testing/step-crash-points.ts';
import { type Kind, VOID_OUTCOMES } from './status.ts';

/** An exception at every await of a step, once and at random: upstream sees at most one job, money adds up, it ends. */

let rig: Rig;

beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig.close());
afterEach(() => setCrashHandler(undefined));

/** Leases of stopped holders run out, and the time of the uncertain is up. */
async function letTimePass(taskId: string): Promise<void> {
  await rig.t.sql`update generation_tasks set lease_until = now() - interval '1 second', next_poll_at = now()
    where id = ${taskId} and finished_at is null and lease_until is not null`;
  await rig.t.sql`update generation_tasks set uncertain_until = now(), next_poll_at = now()
    where id = ${taskId} and status = 'uncertain'`;
  await rig.t.sql`update credit_refunds set lease_until = null, leased_by = null, next_attempt_at = now()
    where task_id = ${taskId} and status = 'pending'`;
}

async function endAndCheck(taskId: string): Promise<void> {
  await rig.runUntil(taskId, (view) => view.status === 'uncertain' || view.finishedAt !== null);
  await letTimePass(taskId);
  const task = await rig.runToEnd(taskId);
  await letTimePass(taskId);
  setCrashHandler(undefined);
  await runRefundBatch(rig.deps, { limit: 100, workerId: null });

  const creates = await rig.creates(taskId);
  for (const create of creates) expect(create.received).toBeLessThanOrEqual(1);
  const open = await rig.t.sql<{ id: string }[]>`
    select id from dispatches where task_id = ${taskId} and (outcome is null or outcome <> all(${[...VOID_OUTCOMES]}))`;
  expect(open.length).toBeLessThanOrEqual(1);
  expect(creates.reduce((sum, create) => sum + create.recorded, 0)).toBeLessThanOrEqual(1);
  const end = (await rig.view(taskId)).money.state;
  expect(task.status === 'succeeded' ? ['charged'] : ['refunded']).toContain(end);
  expect(await rig.audit()).toEqual([]);
}

describe.each<[Kind, string]>([
  ['image', 'a lamp'],
  ['video', 'a lamp'],
  ['video', 'a lamp [[fail]]'],
])('%s, "%s"', (kind, prompt) => {
  it.each(STEP_CRASH_POINTS)('an exception at %s', async (point) => {
    let thrown = 0;
    setCrashHandler((name) => {
      if (name === point && thrown === 0) {
        thrown += 1;
        throw new Error(`crash at ${name}`);
      }
    });
    await endAndCheck(await rig.submit(kind, { prompt }));
  });
});

it('exceptions at random, several per task', async () => {
  // A linear congruential generator: the same crashes in every run.
  let seed = 20_261_129;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  const ids: string[] = [];
  for (let index = 0; index < 24; index += 1) {
    const kind = (['image', 'video', 'audio', 'text'] as const)[index % 4] ?? 'image';
    ids.push(await rig.submit(kind, { prompt: index % 6 === 1 ? 'a lamp [[fail]]' : 'a lamp' }));
  }
  let crashes = 0;
  setCrashHandler((name) => {
    if (random() < 0.15) {
      crashes += 1;
      throw new Error(`crash at ${name}`);
    }
  });
  for (let round = 0; round < 12; round += 1) {
    await rig.knock().catch(() => undefined);
    await rig.t
      .sql`update generation_tasks set lease_until = now() - interval '1 second', next_poll_at = now()
      where finished_at is null and lease_until is not null and lease_until > now() and id = any(${ids})
      and updated_at < now() - interval '100 milliseconds'`;
  }
  setCrashHandler(undefined);
  expect(crashes).toBeGreaterThan(10);
  // So many failures in a row may have made the channel cool down for minutes, which pass.
  await rig.t.sql`update provider_channels set cool_down_until = null`;
  for (const id of ids) await endAndCheck(id);
});
