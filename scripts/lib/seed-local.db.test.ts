import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningSandbox, startSandbox } from '#scripts/sandbox/server.ts';
import { testChannel } from '#server/providers/channels/manage-keys.ts';
import { createRig, type Rig } from '#server/testing/rig.ts';
import { FAL_MODELS, NEWAPI_MODELS, OPENAI_MODELS, REPLICATE_MODELS } from './sandbox-models.ts';
import { seedLocal } from './seed-local.ts';

const MODELS = [...OPENAI_MODELS, ...NEWAPI_MODELS, ...REPLICATE_MODELS, ...FAL_MODELS];
const CHANNELS = ['Sandbox', 'Sandbox New API', 'Sandbox Replicate', 'Sandbox fal'];
/** The key of the rig. */
const ENCRYPTION_KEY = '0f'.repeat(32);

let rig: Rig;
let moved: RunningSandbox;

beforeAll(async () => {
  moved = await startSandbox();
  rig = await createRig({ allowHosts: [new URL(moved.url).host] });
  // The rig has a channel of this name, which would be taken for a seeded one.
  await rig.t.sql`update provider_channels set name = 'Rig'`;
  await seed(rig.sandbox);
});
afterAll(async () => {
  await rig?.close();
  await moved?.close();
});

const seed = (sandbox: RunningSandbox) =>
  seedLocal({
    databaseUrl: rig.t.url,
    encryptionKey: ENCRYPTION_KEY,
    sandboxUrl: sandbox.url,
    sandboxKey: sandbox.apiKey,
    storageDir: rig.storageDir,
    email: 'demo@example.com',
  });

const channels = () => rig.t.sql<{ id: string; name: string; base_url: string; settings: unknown }[]>`
  select id, name, base_url, settings from provider_channels where name <> 'Rig' order by name collate "C"`;

/** The webhook secret of the Replicate channel, opened. */
async function storedSecret(): Promise<string> {
  const [row] = await rig.t.sql<{ id: string; sealed: Parameters<Rig['deps']['keyRing']['open']>[0] }[]>`
    select id, webhook_secret as sealed from provider_channels where name = 'Sandbox Replicate'`;
  if (!row) throw new Error('There is no such channel');
  return rig.deps.keyRing.open(row.sealed, `webhook:${row.id}`);
}

async function secretOf(sandbox: RunningSandbox): Promise<string> {
  const answer = await fetch(`${sandbox.url}/replicate/v1/webhooks/default/secret`, {
    headers: { authorization: `Bearer ${sandbox.apiKey}` },
  });
  return ((await answer.json()) as { key: string }).key;
}

describe('a seeded model', () => {
  it.each(MODELS.map(({ slug, kind, endpoint }) => ({ slug, kind, endpoint })))(
    '$slug makes what it promises, by one create',
    async ({ slug, kind, endpoint }) => {
      const taskId = await rig.submit(kind, { model: slug, prompt: `seeded ${slug}` });
      // Replicate's results are told by webhooks; a rig has no address for them, and polls seldom.
      await rig.t
        .sql`update generation_task_details set snapshot = snapshot - 'pollPace' where task_id = ${taskId}`;
      const view = await rig.runToEnd(taskId);
      expect(view.status).toBe('succeeded');
      expect(view.outputs.map((output) => output.kind)).toEqual(
        Array.from({ length: endpoint === 'suno' ? 2 : 1 }, () => kind),
      );
      expect((await rig.creates(taskId)).map((create) => create.received)).toEqual([1]);
    },
  );
});

it('a second seed follows the sandbox to its address and webhook keys, and adds nothing twice', async () => {
  const first = await rig.t.sql`select id, slug from models order by id`;
  const packs = await rig.t.sql`select id, title, credits from credit_packs order by position`;
  expect(packs.map(({ title }) => title)).toEqual(['Small', 'Medium', 'Large']);
  const login = await seed(moved);

  const after = await channels();
  expect(after.map(({ name }) => name)).toEqual(CHANNELS);
  for (const { base_url } of after) expect(base_url.startsWith(`${moved.url}/`)).toBe(true);
  expect(after.at(-1)?.settings).toEqual({ jwksUrl: `${moved.url}/fal/.well-known/jwks.json` });
  expect(await rig.t.sql`select id, slug from models order by id`).toEqual(first);
  expect(await rig.t.sql`select id, title, credits from credit_packs order by position`).toEqual(packs);
  expect(await storedSecret()).toBe(await secretOf(moved));
  const test = (channelId: string) => testChannel(rig.deps, { channelId, actorId: login.userId });
  for (const { id } of after) expect(await test(id)).toMatchObject({ ok: true });
  // Credits are granted once, whatever the number of seeds.
  expect(await rig.balance(login.userId)).toMatchObject({ balanceCredits: 1_000 });
});
