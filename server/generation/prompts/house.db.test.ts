import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSession } from '#server/auth/sessions.ts';
import { startTestApp, type TestApp } from '#server/http/test-app.ts';
import { procedureCaller } from '#server/http/test-client.ts';
import type { AuditEntryView } from '#server/operations/schemas.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { createUser } from '#server/testing/factories.ts';
import type { HouseTemplateView, TemplatesView } from './schemas.ts';

let t: TestDatabase;
let app: TestApp;
let call: ReturnType<typeof procedureCaller>;
let admin: { cookie: string };
let member: { cookie: string };

beforeAll(async () => {
  t = await createTestDatabase();
  app = await startTestApp(t);
  call = procedureCaller(app.url);
  admin = await signIn('admin');
  member = await signIn('user');
});
afterAll(async () => {
  await app.close();
  await t.close();
});

async function signIn(role: 'admin' | 'user') {
  const { id } = await createUser(t.db, { role });
  const session = await openSession(app.deps, { userId: id, userAgent: 'Test browser' });
  return { cookie: session.cookie.split(';')[0] ?? '' };
}

const add = (...templates: object[]) =>
  call.mutate<{ ids: string[] }>('prompts.house.add', { templates }, admin);
const offered = async (kind: string, language?: string) =>
  (await call.query<TemplatesView>('prompts.templates', member, { kind, language })).data?.house;
const namesOf = async (kind: string, language?: string) =>
  (await offered(kind, language))?.map(({ name }) => name);

it('what the house offers is seen by everybody in their language, and is theirs alone to change', async () => {
  expect(await offered('image')).toBeNull();
  const { data } = await add(
    { kind: 'image', name: 'Poster', prompt: 'A poster for [event]' },
    { kind: 'image', language: 'en', name: 'Portrait', prompt: 'A portrait of [person]' },
    { kind: 'image', language: 'zh-CN', name: '人像', prompt: '[人物]的人像' },
  );
  expect(data?.ids).toHaveLength(3);
  expect(await namesOf('image', 'en')).toEqual(['Portrait', 'Poster']);
  expect(await namesOf('image', 'zh-CN')).toEqual(['Poster', '人像']);
  expect(await namesOf('image')).toHaveLength(3);
  // Another kind has none yet: pages offer their own.
  expect(await offered('video')).toBeNull();

  const [id = ''] = data?.ids ?? [];
  for (const [name, input] of [
    ['prompts.removeTemplate', { id }],
    ['prompts.renameTemplate', { id, name: 'Mine' }],
    ['prompts.house.change', { id, kind: 'image', name: 'Mine', prompt: 'x' }],
    ['prompts.house.remove', { id }],
    ['prompts.house.add', { templates: [{ kind: 'image', name: 'Mine', prompt: 'x' }] }],
  ] as const)
    await call.mutate(name, input, member);
  expect((await call.query('prompts.house.list', member)).error?.data?.code).toBe('NOT_FOUND');
  expect(await namesOf('image', 'en')).toEqual(['Portrait', 'Poster']);
});

it('a name is taken once per kind and language; a change and a removal are noted', async () => {
  const first = await add({ kind: 'text', name: 'Letter', prompt: 'A letter' });
  const id = first.data?.ids[0] ?? '';
  // None of them is added when one cannot be.
  const second = await add(
    { kind: 'text', name: 'Speech', prompt: 'A speech' },
    { kind: 'text', name: 'LETTER', prompt: 'Another letter' },
  );
  expect(second.error?.data).toMatchObject({ code: 'CONFLICT' });
  expect(await namesOf('text')).toEqual(['Letter']);
  expect(
    (await add({ kind: 'text', language: 'en', name: 'Letter', prompt: 'In English' })).error,
  ).toBeUndefined();

  const change = { id, kind: 'text', name: 'Long letter', prompt: 'A long letter' };
  expect((await call.mutate('prompts.house.change', change, admin)).error).toBeUndefined();
  expect(
    (await call.mutate('prompts.house.change', { ...change, id: first.data?.ids[0], name: ' ' }, admin))
      .error,
  ).toBeDefined();
  expect((await call.mutate('prompts.house.remove', { id }, admin)).error).toBeUndefined();
  expect((await call.mutate('prompts.house.remove', { id }, admin)).error?.data?.code).toBe('NOT_FOUND');
  expect((await call.mutate('prompts.house.change', change, admin)).error?.data?.code).toBe('NOT_FOUND');
  const { data: listed } = await call.query<HouseTemplateView[]>('prompts.house.list', admin);
  expect(listed?.filter(({ kind }) => kind === 'text').map(({ name, language }) => [name, language])).toEqual(
    [['Letter', 'en']],
  );
  const { data: audit } = await call.query<{ items: AuditEntryView[] }>('operations.auditLog', admin, {
    subject: 'template',
    limit: 30,
  });
  const ofThis = audit?.items.filter(({ subjectId }) => subjectId === id).map(({ action }) => action);
  expect(ofThis).toEqual(['template.delete', 'template.update', 'template.create']);
});
