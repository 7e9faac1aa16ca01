import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findBroken } from './testing/matrix-checks.ts';
import { createMatrixRig, type Fate, type MatrixRig } from './testing/matrix-rig.ts';

vi.mock('#server/composition/compose-film.ts', () => import('../drama/testing/quick-composer.ts'));

/**
 * CASES section 8 for agents and dramas: what can become of a child, by what upstream answers to its create and its
 * polls, by what it delivers, and by who is beside the executor. After each the promises hold, of the child and of what
 * it is a part of.
 */

let rig: MatrixRig;
beforeAll(async () => {
  rig = await createMatrixRig();
});
afterAll(() => rig.close());

const DONE = ['succeeded'] as const;
const FAILED = ['failed'] as const;

const FATES: readonly Fate[] = [
  // Creates
  { name: 'answered at once', child: 'image', upstream: '', race: 'one', ends: DONE },
  { name: 'accepted', child: 'video', upstream: '', race: 'two', ends: DONE },
  { name: 'refused', child: 'image', upstream: 'reject:400', race: 'one', ends: FAILED },
  { name: 'refused as a job', child: 'video', upstream: 'reject:400', race: 'two', ends: FAILED },
  { name: 'not sent, then sent', child: 'image', upstream: 'refused', race: 'two', ends: DONE },
  { name: 'lost answer', child: 'image', upstream: 'drop', race: 'two', ends: FAILED },
  { name: 'lost answer of a job', child: 'video', upstream: 'drop', race: 'one', ends: FAILED },
  { name: 'no id', child: 'video', upstream: 'no_id', race: 'two', ends: FAILED },
  // Polls
  {
    name: 'two faults on the way',
    child: 'video',
    upstream: 'server_error:503,times=2',
    race: 'two',
    ends: DONE,
  },
  {
    name: 'an unknown word',
    child: 'video',
    upstream: 'unknown_status:odd,times=3',
    race: 'one',
    ends: DONE,
  },
  { name: 'a verdict', child: 'video', upstream: 'fail', race: 'two', ends: FAILED },
  { name: 'success without a file', child: 'video', upstream: 'no_artifact', race: 'one', ends: FAILED },
  { name: 'a failure that was none', child: 'video', upstream: 'late_success', race: 'one', ends: FAILED },
  {
    name: 'a contradiction',
    child: 'video',
    upstream: 'contradict:completed|in_progress|failed',
    race: 'two',
    ends: DONE,
  },
  // Artefacts
  { name: 'no bytes', child: 'video', upstream: 'zero_bytes', race: 'one', ends: FAILED },
  {
    name: 'a page in place of a file',
    child: 'video',
    upstream: 'wrong_body:html',
    race: 'two',
    ends: FAILED,
  },
  {
    name: 'an address that has expired',
    child: 'video',
    upstream: 'expired:410,times=1',
    race: 'one',
    ends: DONE,
  },
  // People
  { name: 'cancelled under way', child: 'video', upstream: 'stuck', race: 'cancel', ends: DONE },
  { name: 'cancelled while nobody knows', child: 'video', upstream: 'drop', race: 'cancel', ends: FAILED },
  {
    name: 'cancelled while a picture is unknown',
    child: 'image',
    upstream: 'drop',
    race: 'cancel',
    ends: FAILED,
  },
  { name: 'account closed under way', child: 'video', upstream: 'stuck', race: 'close', ends: DONE },
  {
    name: 'account closed while nobody knows',
    child: 'video',
    upstream: 'drop',
    race: 'close',
    ends: FAILED,
  },
];

describe.each(['agent', 'drama'] as const)('an %s with a child that is', (kind) => {
  it.concurrent.each(FATES)('$name ($child, $race)', async (fate) => {
    const run = await rig.start(kind, fate);
    await rig.drive(run);
    await rig.goOnAfterwards(run);
    expect(await findBroken(rig, run)).toEqual([]);
    expect(run.wasUncertain).toBe(fate.upstream === 'drop' || fate.upstream === 'no_id');
  });
});

describe('after all of them', () => {
  it('the books are right, and nothing is left that comes due', async () => {
    expect(await rig.audit()).toEqual([]);
    expect(await rig.t.sql`select id, kind, status from generation_tasks where finished_at is null`).toEqual(
      [],
    );
    expect(await rig.t.sql`select task_id from credit_refunds where status <> 'settled'`).toEqual([]);
  });
});
