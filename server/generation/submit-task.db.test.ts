import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { createUser } from '#server/testing/factories.ts';
import { createRig, type Rig } from '#server/testing/rig.ts';
import { quoteTask } from './read-tasks.ts';
import { retryTask } from './retry-task.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig.close());

const count = async (userId: string) =>
  Number((await rig.t.sql`select count(*) from generation_tasks where user_id = ${userId}`)[0]?.count);

describe('request keys', () => {
  it('the same key and body is one task and one hold, however often and at once (B07)', async () => {
    const user = await createUser(rig.db, { balanceCredits: 20 });
    const requestKey = newId();
    const submits = Array.from({ length: 8 }, () => rig.submit('image', { userId: user.id, requestKey }));
    const ids = new Set(await Promise.all(submits));
    expect(ids.size).toBe(1);
    expect(await rig.submit('image', { userId: user.id, requestKey })).toBe([...ids][0]);
    expect(await count(user.id)).toBe(1);
    expect(await rig.balance(user.id)).toEqual({ balanceCredits: 17, heldCredits: 3 });
  });

  it('another body under the same key is a conflict, and nothing is written', async () => {
    const user = await createUser(rig.db, { balanceCredits: 20 });
    const requestKey = newId();
    await rig.submit('image', { userId: user.id, requestKey });
    await expect(
      rig.submit('image', { userId: user.id, requestKey, prompt: 'something else' }),
    ).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await count(user.id)).toBe(1);
  });

  it('the same key answers with the same task after its end, and when a new one would be refused (B08)', async () => {
    const user = await createUser(rig.db, { balanceCredits: 3 });
    const requestKey = newId();
    const taskId = await rig.submit('image', { userId: user.id, requestKey });
    await rig.knock();
    await rig.t.sql`update models set enabled = false where id = ${rig.models.image.id}`;
    try {
      expect(await rig.submit('image', { userId: user.id, requestKey })).toBe(taskId);
    } finally {
      await rig.t.sql`update models set enabled = true where id = ${rig.models.image.id}`;
    }
    expect(await count(user.id)).toBe(1);
  });

  it('keys are scoped by user', async () => {
    const [a, b] = [await createUser(rig.db), await createUser(rig.db)];
    const requestKey = newId();
    const first = await rig.submit('image', { userId: a.id, requestKey });
    const second = await rig.submit('image', { userId: b.id, requestKey });
    expect(second).not.toBe(first);
  });
});

describe('credits', () => {
  it('20 parallel submits with credits for one: 1 accepted, 19 a clear refusal (B48)', async () => {
    const user = await createUser(rig.db, { balanceCredits: 3 });
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => rig.submit('image', { userId: user.id })),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    expect(refused).toHaveLength(19);
    for (const { reason } of refused) {
      expect(reason).toMatchObject({
        code: 'insufficient_credits',
        message: 'This costs 3 credits and you have 0. Choose a cheaper setting or add credits.',
      });
    }
    expect(await rig.balance(user.id)).toEqual({ balanceCredits: 0, heldCredits: 3 });
    expect(await count(user.id)).toBe(1);
    expect(await rig.audit()).toEqual([]);
  });

  it('a price raised after the quote is refused, not charged; the same request as before is the same task', async () => {
    const user = await createUser(rig.db, { balanceCredits: 20 });
    const requestKey = newId();
    const order = { userId: user.id, requestKey, quotedCredits: 2 };
    await expect(rig.submit('image', order)).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('costs 3 credits now, not 2'),
    });
    expect(await count(user.id)).toBe(0);
    const taskId = await rig.submit('image', { ...order, quotedCredits: 3 });
    expect(await rig.submit('image', order)).toBe(taskId);
    expect(await rig.balance(user.id)).toEqual({ balanceCredits: 17, heldCredits: 3 });
  });

  it('the quote is what is held', async () => {
    const user = await createUser(rig.db, { balanceCredits: 12 });
    const order = { kind: 'image' as const, model: rig.models.image.slug, params: { n: 4 } };
    expect(await quoteTask(rig.deps, { ...order, userId: user.id })).toEqual({
      credits: 12,
      balanceCredits: 12,
      affordable: true,
    });
    await rig.submit('image', { userId: user.id, params: { n: 4 } });
    expect((await rig.balance(user.id)).heldCredits).toBe(12);
  });
});

describe('bad input is refused before any charge', () => {
  it.each([
    [
      'unknown model',
      { model: 'no-such-model' },
      'not_found',
      'There is no image model named "no-such-model". Choose one of the list.',
    ],
    ['out of schema', { params: { n: 9 } }, 'bad_request', 'Images: choose a whole number from 1 to 4.'],
    [
      'unknown parameter',
      { params: { sie: 1 } },
      'bad_request',
      'This model has no parameter "sie". It has: n, size.',
    ],
    [
      'prompt too long',
      { prompt: 'x'.repeat(4_001) },
      'bad_request',
      'This model takes at most 4000 characters of prompt.',
    ],
    [
      'too many references',
      { references: [newId(), newId()] },
      'bad_request',
      'This model takes at most 1 reference files.',
    ],
    [
      'a foreign reference',
      { references: [newId()] },
      'bad_request',
      'A reference file is not there any more. Upload it again.',
    ],
  ])('%s', async (_name, overrides, code, message) => {
    const user = await createUser(rig.db, { balanceCredits: 50 });
    await expect(rig.submit('image', { userId: user.id, ...overrides })).rejects.toMatchObject({
      code,
      message,
    });
    expect(await rig.balance(user.id)).toEqual({ balanceCredits: 50, heldCredits: 0 });
  });

  it.each([
    ['last_frame,first_frame', 'A last frame needs a first one. Add the first frame, too.'],
    // Takes a last frame alone: the next check is the one that refuses.
    ['last_frame', 'A reference file is not there any more. Upload it again.'],
  ])('a last frame alone, of a model whose files are %s', async (roles, message) => {
    const { slug } = rig.models.image;
    const setRoles = (list: readonly string[]) =>
      rig.t
        .sql`update models set reference_roles = ${JSON.stringify(list)}::text::jsonb where slug = ${slug}`;
    await setRoles(roles.split(','));
    await expect(rig.submit('image', { references: [newId()] })).rejects.toMatchObject({
      code: 'bad_request',
      message,
      field: 'references',
    });
    await setRoles(['reference']);
  });

  it('a crash before the commit leaves nothing', async () => {
    const { setCrashHandler } = await import('#server/testing/crash-points.ts');
    const user = await createUser(rig.db, { balanceCredits: 50 });
    setCrashHandler((name) => {
      if (name === 'submit.before-commit') throw new Error('crash');
    });
    await expect(rig.submit('image', { userId: user.id })).rejects.toThrow('crash');
    setCrashHandler(undefined);
    expect(await count(user.id)).toBe(0);
    expect(await rig.balance(user.id)).toEqual({ balanceCredits: 50, heldCredits: 0 });
  });
});

describe('retry', () => {
  it('makes a new linked task with a new hold, once per key, and only of a finished one', async () => {
    const taskId = await rig.submit('video', { prompt: 'a boat [[fail]]' });
    const input = { userId: rig.user.id, taskId, requestKey: newId() };
    await expect(retryTask(rig.deps, input)).rejects.toMatchObject({ code: 'conflict' });
    await rig.runToEnd(taskId);
    const retried = await retryTask(rig.deps, input);
    expect(await retryTask(rig.deps, input)).toEqual({ taskId: retried.taskId, created: false });
    expect(await rig.view(retried.taskId)).toMatchObject({
      status: 'queued',
      retryOf: taskId,
      money: { state: 'held' },
    });
    expect(await rig.view(taskId)).toMatchObject({ status: 'failed', money: { state: 'refunded' } });
    await expect(retryTask(rig.deps, { ...input, taskId: newId() })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
