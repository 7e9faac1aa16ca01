import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BehaviourInput } from '../rules.ts';
import { startTestSandbox, type TestSandbox } from '../test-client.ts';
import { DRIVERS, MEDIA_TYPES, speak } from './test-drivers.ts';

/** Polls, results and cancels: what holds in every wire format. */

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.control.reset());

const next = (...behaviours: BehaviourInput[]) =>
  sandbox.control.addRules({ match: { any: true }, behaviours });

describe.each(Object.values(DRIVERS))('$name', (driver) => {
  const { create, newId, made, madeId, look, poll } = speak(() => sandbox, driver);

  test('makes real media, with their addresses in the answer', async () => {
    const id = await newId('a lighthouse [[delay:1000000]]');
    const waiting = await look(id);
    expect(driver.words.working).toContain(waiting.status);
    expect(waiting.urls).toEqual([]);
    await sandbox.control.release({ jobId: id });
    await made(id);
    const done = await look(id);
    expect(done.status).toBe(driver.words.done);
    expect(done.urls).toHaveLength(driver.outputs);
    for (const url of done.urls) {
      const file = await fetch(String(url));
      expect(file.headers.get('content-type')).toBe(MEDIA_TYPES[driver.kind]);
      expect((await file.arrayBuffer()).byteLength).toBe(Number(file.headers.get('content-length')));
    }
    expect(new Set(done.urls).size).toBe(driver.outputs);
  });

  describe('polls', () => {
    test('faults come in their order, then the truth', async () => {
      const id = await madeId(
        { type: 'not_found', times: 1 },
        { type: 'rate_limit', on: 'poll', retryAfterSeconds: 7, as: 'date' },
        { type: 'server_error' },
        { type: 'unauthorized' },
        { type: 'html' },
        { type: 'empty_poll' },
      );
      const statuses: number[] = [];
      for (let index = 0; index < 7; index += 1) statuses.push((await poll(id)).status);
      expect(statuses).toEqual([driver.missingStatus, 429, 503, 401, 200, 200, 200]);
      expect((await look(id)).status).toBe(driver.words.done);
    });

    test('a reset and half of the JSON', async () => {
      const id = await madeId({ type: 'reset' }, { type: 'truncated' });
      await expect(poll(id)).rejects.toThrow();
      const half = await (await poll(id)).text();
      expect(() => JSON.parse(half)).toThrow();
      expect((await look(id)).status).toBe(driver.words.done);
    });

    test.each(['post_processing', '', null, 7])('unknown_status %j as it is', async (status) => {
      const id = await madeId({ type: 'unknown_status', status, times: 1 });
      expect((await look(id)).status).toBe(status);
      expect((await look(id)).status).toBe(driver.words.done);
    });

    test('another spelling of the end', async () => {
      const id = await madeId({ type: 'status_word', status: 'Success ' });
      expect((await look(id)).status).toBe('Success ');
    });

    test('contradict, in the words of the vendor', async () => {
      const id = await madeId({ type: 'contradict', statuses: ['completed', 'in_progress'] });
      const [first, second] = [await poll(id), await poll(id)];
      expect(await first.text()).toContain(`"${driver.words.done}"`);
      expect(await second.text()).toContain(`"${driver.words.working[1]}"`);
    });

    test('fail, moderate late, and a success that comes after a failure', async () => {
      const failed = await look(await newId('a fox [[fail:out_of_memory,The model ran out of memory.]]'));
      expect(failed).toEqual({
        status: driver.words.failed,
        urls: [],
        reason: 'The model ran out of memory.',
      });
      await next({ type: 'moderate' }, { type: 'delay', ms: 1_000_000 });
      const moderated = await newId();
      expect(driver.words.working).toContain((await look(moderated)).status);
      await sandbox.control.release({ jobId: moderated });
      expect(await look(moderated)).toMatchObject({
        status: driver.words.failed,
        reason: expect.stringContaining('safety system'),
      });
      await next({ type: 'late_success' });
      const late = await newId();
      expect((await look(late)).status).toBe(driver.words.failed);
      await sandbox.control.release({ jobId: late });
      await made(late);
      expect((await look(late)).status).toBe(driver.words.done);
    });

    test('stuck below the end', async () => {
      const id = await newId('a fox [[stuck:85]]');
      expect((await look(id)).status).toBe(driver.words.working[1]);
      expect(await (await poll(id)).text()).toContain('85');
    });

    test('success without an address, then with one', async () => {
      const id = await madeId({ type: 'no_artifact', times: 1 });
      expect(await look(id)).toMatchObject({ status: driver.words.done, urls: [] });
      expect((await look(id)).urls).toHaveLength(driver.outputs);
    });

    test('numeric_id is a JSON number digit for digit', async () => {
      await next({ type: 'numeric_id' });
      expect(await (await create()).text()).toContain(':9007199254740993');
      expect((await poll('9007199254740993')).status).toBeLessThan(300);
    });
  });

  describe('results', () => {
    test('an address that has expired, and the fresh one of the next poll', async () => {
      const id = await madeId({ type: 'expired', status: 403, fresh: true });
      const [old] = (await look(id)).urls;
      expect((await fetch(String(old))).status).toBe(403);
      expect((await fetch(String(old))).status).toBe(403);
      const [fresh] = (await look(id)).urls;
      expect(fresh).not.toBe(old);
      expect((await fetch(String(fresh))).status).toBe(200);
      expect((await fetch(String(old))).status).toBe(403);
    });

    test('JSON under the media type, nothing at all, and a redirect elsewhere', async () => {
      const urlOf = async (behaviour: BehaviourInput) =>
        String((await look(await madeId(behaviour))).urls[0]);
      const odd = await fetch(await urlOf({ type: 'wrong_body' }));
      expect([odd.headers.get('content-type'), await odd.text()]).toEqual([
        MEDIA_TYPES[driver.kind],
        expect.stringContaining('"error"'),
      ]);
      const empty = await fetch(await urlOf({ type: 'zero_bytes' }));
      expect((await empty.arrayBuffer()).byteLength).toBe(0);
      const to = 'http://169.254.169.254/latest';
      const moved = await fetch(await urlOf({ type: 'redirect', to }), { redirect: 'manual' });
      expect([moved.status, moved.headers.get('location')]).toEqual([302, to]);
      const plain = await fetch(await urlOf({ type: 'redirect' }));
      expect([plain.redirected, plain.status]).toEqual([true, 200]);
    });
  });
});

test.each(Object.values(DRIVERS).filter(({ outputs }) => outputs > 1))(
  '$name: fewer outputs than ordered, also as empty places',
  async (driver) => {
    const { look, madeId } = speak(() => sandbox, driver);
    const some = await look(await madeId({ type: 'partial' }));
    expect([some.status, some.urls.length]).toEqual([driver.words.done, driver.outputs - 1]);
    const holes = await look(await madeId({ type: 'partial', nulls: true }));
    expect(holes.urls).toHaveLength(driver.outputs);
    expect(holes.urls.at(-1) ?? null).toBeNull();
  },
);

const cancels = Object.values(DRIVERS).flatMap(({ cancel, ...driver }) =>
  cancel ? [{ ...driver, cancel }] : [],
);

describe.each(cancels)('$name: cancel', (driver) => {
  const { newId, made, madeId, look } = speak(() => sandbox, driver);
  const cancel = (id: string) => driver.cancel(sandbox, id);

  test('ends a job at work; one that is over stays as it is', async () => {
    const id = await newId('long [[delay:1000000]]');
    expect((await cancel(id)).ok).toBe(true);
    expect((await look(id)).status).toBe(driver.words.cancelled);
    const over = await madeId({ type: 'delay', ms: 0 });
    await cancel(over);
    expect((await look(over)).status).toBe(driver.words.done);
  });

  test('is answered and ignored', async () => {
    const id = await newId('long [[delay:1000000]][[ignore_cancel]]');
    expect((await cancel(id)).ok).toBe(true);
    await sandbox.control.release({ jobId: id });
    await made(id);
    expect((await look(id)).status).toBe(driver.words.done);
  });

  test('meets a fault of its own', async () => {
    const id = await newId('long [[delay:1000000]][[server_error:502,on=cancel]]');
    expect((await cancel(id)).status).toBe(502);
    expect(driver.words.working).toContain((await look(id)).status);
  });
});
