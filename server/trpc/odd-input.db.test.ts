import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSession } from '#server/auth/sessions.ts';
import { startTestApp, type TestApp } from '#server/http/test-app.ts';
import { procedureCaller } from '#server/http/test-client.ts';
import { newId } from '#server/lib/ids.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createUser } from '#server/testing/factories.ts';
import { appRouter } from './root.ts';

let t: TestDatabase;
let app: TestApp;
let call: ReturnType<typeof procedureCaller>;
/** An administrator may call nearly everything. */
let cookie: string;
beforeAll(async () => {
  t = await createTestDatabase();
  app = await startTestApp(t);
  call = procedureCaller(app.url);
  const { id } = await createUser(t.db, { role: 'admin' });
  const session = await openSession(app.deps, { userId: id, userAgent: 'Test browser' });
  cookie = session.cookie.split(';')[0] ?? '';
});
afterAll(async () => {
  await app.close();
  await t.close();
});

type Schema = { _zod: { def: { innerType?: Schema; shape?: object } } };

/** Names of an input's fields; none for what is no object. */
const fieldsOf = ({ _zod: { def } }: Schema): string[] =>
  def.innerType ? fieldsOf(def.innerType) : Object.keys(def.shape ?? {});

/** What tRPC keeps of a procedure, by its whole name. */
type Kept = { _def: { type: 'query' | 'mutation' | 'subscription'; inputs?: Schema[] } };

const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Kept>).map(
  ([name, { _def }]) => ({ name, type: _def.type, fields: (_def.inputs ?? []).flatMap(fieldsOf) }),
);
const queries = procedures.filter(({ type }) => type === 'query');

const farAway = '9'.repeat(18);
/** Fields of lists as they stand in addresses, with what nobody types. */
const ODD: readonly Record<string, unknown>[] = [
  ...['0000-01-01', '0001-01-01', '1969-12-31', '9999-12-31'].flatMap((day) => [{ from: day }, { to: day }]),
  ...[`-${farAway}.${newId()}`, `${farAway}.${newId()}`, `${newId()}.999999999`].map((cursor) => ({
    cursor,
  })),
  ...['%', '\\', "'", '_%_', '(', '\u202e', '😀'].flatMap((text) => [
    { search: text },
    { text },
    { user: text },
    { actor: text },
  ]),
];

/** Where a list can be sorted, each way: a tampered cursor means something else in each. */
const SORTS = [
  'submitted',
  'finished',
  'due',
  'held',
  'balance',
  'created',
  'joined',
  'amount',
  'credits',
  'paid',
];

describe('odd input', () => {
  it('of any list is an answer or a refusal, never a fault of ours', async () => {
    const inputs = [
      ...ODD,
      ...SORTS.flatMap((sort) =>
        [`-${farAway}.${newId()}`, `${farAway}.${newId()}`].map((cursor) => ({ sort, cursor })),
      ),
    ];
    const faults: string[] = [];
    let asked = 0;
    for (const { name, fields } of queries) {
      for (const input of inputs.filter((each) => Object.keys(each).every((key) => fields.includes(key)))) {
        asked += 1;
        const { status } = await call.query(name, { cookie }, input);
        if (status >= 500) faults.push(`${name} ${JSON.stringify(input)}: ${status}`);
      }
    }
    expect(asked).toBeGreaterThan(100);
    expect(faults).toEqual([]);
  });

  it.each([
    ['NUL', 'a\0b'],
    ['half of a character', 'a\ud800b'],
  ])('with %s in it is refused by every procedure, however deep it stands', async (_name, text) => {
    for (const { name, type } of procedures) {
      if (type === 'subscription') continue;
      const input = { name: 'x', list: [{ deep: text }] };
      const answer = await (type === 'query'
        ? call.query(name, { cookie }, input)
        : call.mutate(name, input, { cookie }));
      expect([name, answer.status, answer.error?.message]).toEqual([
        name,
        400,
        'This has characters that are not text. Type it anew.',
      ]);
    }
    const key = await call.query('library.list', { cookie }, { [text]: 1 });
    expect(key.status).toBe(400);
  });
});
