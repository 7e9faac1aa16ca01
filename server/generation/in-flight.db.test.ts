import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type CrashPointName, setCrashHandler } from '#server/testing/crash-points.ts';
import { createUser } from '#server/testing/factories.ts';
import { createRig, type Rig } from '#server/testing/rig.ts';
import { isTerminal } from './status.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ config: { userInFlight: 3 } });
});
afterEach(() => setCrashHandler(undefined));
afterAll(() => rig.close());

/** A place where everybody waits until it is opened. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const countOf = async (userId: string) => {
  const [row] = await rig.t.sql<{ underWay: number; held: number }[]>`
    select count(*) filter (where status = 'dispatching')::int as "underWay",
      count(*) filter (where status = 'queued' and lease_until is not null)::int as held
    from generation_tasks where user_id = ${userId}`;
  return row ?? { underWay: 0, held: 0 };
};

it.each([
  ['the general limit', null, 3],
  ['a limit of their own', 2, 2],
])('%s of a person holds when several processes claim at the same moment', async (_name, own, most) => {
  const { id: userId } = await createUser(rig.db, { balanceCredits: 1_000, inFlightLimit: own });
  const taskIds: string[] = [];
  for (let n = 0; n < 9; n += 1) taskIds.push(await rig.submit('image', { userId }));
  const processes = [rig, rig.anotherProcess(), rig.anotherProcess()].map(({ executor }) => executor);

  // Every process has claimed, on the same counts, before any of them moves a row; nothing is answered until all was seen.
  const claimed = gate();
  const answered = gate();
  let claims = 0;
  setCrashHandler(async (name: CrashPointName) => {
    if (name === 'claim.after') {
      claims += 1;
      if (claims >= processes.length) claimed.open();
      await claimed.opened;
    }
    if (name === 'dispatch.before-sent') await answered.opened;
  });
  // Each its own rows: what one has leased the others cannot claim.
  processes.forEach((executor, index) => {
    executor.kick(taskIds.slice(index * 3, index * 3 + 3));
  });
  await claimed.opened;
  await expect.poll(async () => (await countOf(userId)).held).toBe(0);
  expect((await countOf(userId)).underWay).toBe(most);

  answered.open();
  setCrashHandler(undefined);
  const ended = async () => {
    await rig.knock();
    const rows = await rig.t.sql<{ status: 'queued' }[]>`
      select status from generation_tasks where user_id = ${userId}`;
    return rows.every(({ status }) => isTerminal(status));
  };
  await expect.poll(ended).toBe(true);
  const rows = await rig.t.sql`select status, create_tries from generation_tasks where user_id = ${userId}`;
  expect(new Set(rows.map(({ status, create_tries }) => `${status} ${create_tries}`))).toEqual(
    new Set(['succeeded 1']),
  );
  expect(await rig.audit()).toEqual([]);
});
