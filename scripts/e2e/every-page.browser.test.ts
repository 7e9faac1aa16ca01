import { expect, test } from 'vitest';
import { newId } from '#server/lib/ids.ts';
import { createClient } from '#server/trpc/client.ts';
import { expectAccessible, expectNoSidewaysScroll } from './accessibility.ts';
import { pageRoutes } from './page-paths.ts';
import { prepareStage } from './stage.ts';
import { callProcedure, enterQuietly, waitForScripts } from './visitor.ts';

/** Each page, wide and light in English, narrow and dark in Chinese: nothing that axe finds, nothing to scroll sideways for. */

const stage = prepareStage();

const LOOKS = [
  { name: 'wide, light, English', width: 1440, colorScheme: 'light', locale: 'en-GB' },
  { name: 'narrow, dark, Chinese', width: 390, colorScheme: 'dark', locale: 'zh-CN' },
] as const;

/** Pages that send somebody who is signed in elsewhere. */
const FOR_STRANGERS = new Set(['_auth.login', '_auth.signup', '_index']);

/** Something to look at for each parameter, by route. */
async function makeExamples(): Promise<Record<string, string>> {
  const { site, sql } = stage;
  const admin = await stage.visit();
  await enterQuietly(admin, { email: site.adminEmail, password: site.adminPassword });
  const { secret } = (await callProcedure(admin, 'auth.tokens.create', {
    name: 'every page',
    scopes: ['read', 'submit'],
  })) as { secret: string };
  const client = createClient({ url: site.webUrl, token: secret });
  const order = { prompt: 'A lantern on a pier', params: {}, requestKey: newId() };
  const image = await client.generation.submit.mutate({ kind: 'image', model: 'sandbox-image', ...order });
  const agent = await client.agents.submit.mutate({
    goal: 'Two postcards from the coast',
    model: 'sandbox-text',
    allowed: [{ kind: 'image', model: 'sandbox-image' }],
    budgetCredits: 40,
    approval: 'paid',
    requestKey: newId(),
  });
  const drama = await client.dramas.submit.mutate({
    source: 'idea',
    text: 'A lamplighter waits for the last ship [[shots=2]]',
    models: { storyboard: 'sandbox-text', picture: 'sandbox-image' },
    shots: 2,
    requestKey: newId(),
  });
  await stage.startDaemon();
  const until = async (query: string): Promise<string> => {
    await expect.poll(async () => (await sql.unsafe(query)).length, { timeout: 300_000 }).toBeGreaterThan(0);
    return String((await sql.unsafe(query))[0]?.id);
  };
  const outputId = await until(`select id from outputs where task_id = '${image.taskId}'`);
  await until(`select id from generation_tasks where id = '${drama.taskId}' and waiting_for = 'user'`);
  await callProcedure(admin, 'adminRedeem.create', {
    title: 'Every page',
    credits: 5,
    codeCount: 2,
    key: newId(),
  });
  const share = (await callProcedure(admin, 'shares.create', { outputId })) as { path: string };
  const userId = await until(`select id from users where email = '${site.adminEmail}'`);
  const orderId = newId();
  await sql`
    insert into orders (id, user_id, title, credits, amount_minor, currency, request_key, provider, expires_at)
    values (${orderId}, ${userId}, 'Pack', 10, 900, 'EUR', ${orderId}, 'sandbox', now() + interval '1 hour')`;
  const endpointId = newId();
  await sql`
    insert into webhook_endpoints (id, user_id, url, secret, events)
    values (${endpointId}, ${userId}, 'https://hooks.example.com/sidelane',
      ${sql.json({ sealedWith: 1, nonce: '', ciphertext: '' })}, ${['task.succeeded']})`;
  // What the server says in sentences of its own: how a channel's test went, and why a delivery is not believed.
  const channelId = await until("select id from provider_channels where protocol = 'replicate' limit 1");
  await callProcedure(admin, 'channels.test', { channelId });
  await fetch(`${site.webUrl}/webhooks/${channelId}`, { method: 'POST', body: '{}' });
  await until("select id from webhook_inbox where status = 'refused'");
  // Its first visit makes a person's code.
  await admin.open('/invites');
  const [code] = await sql`select code from invite_codes where user_id = ${userId}`;
  return {
    'workbench.tasks.$taskId': image.taskId,
    'workbench.agents.$taskId': agent.taskId,
    'workbench.dramas.$taskId': drama.taskId,
    'admin.tasks.$taskId': image.taskId,
    userId,
    orderId,
    channelId,
    modelId: await until('select id from models order by id limit 1'),
    batchId: await until('select id from redeem_batches order by id desc limit 1'),
    outputId,
    endpointId,
    token: share.path.split('/').at(-1) ?? '',
    code: String(code?.code ?? ''),
  };
}

test('no page has anything that axe finds or that is wider than its window', async () => {
  const examples = await makeExamples();
  const problems: string[] = [];
  for (const { name, width, colorScheme, locale } of LOOKS) {
    const look = { viewport: { width, height: 900 }, colorScheme, locale } as const;
    const admin = await stage.visit(look);
    const stranger = await stage.visit(look);
    await enterQuietly(admin, { email: stage.site.adminEmail, password: stage.site.adminPassword });
    for (const { route, path } of pageRoutes()) {
      const address = path.replace(/:(\w+)/, (_all, parameter) => {
        const example = examples[route] ?? examples[parameter];
        if (!example) throw new Error(`Give ${route} an example of :${parameter}.`);
        return example;
      });
      const { page } = FOR_STRANGERS.has(route) ? stranger : admin;
      const answer = await page.goto(address);
      await waitForScripts(page);
      const expectations = [
        () => expect(answer?.status()).toBe(200),
        () => expectAccessible(page),
        () => expectNoSidewaysScroll(page),
      ];
      for (const expectation of expectations) {
        await Promise.resolve()
          .then(expectation)
          .catch((error: Error) => problems.push(`${address} (${name}): ${error.message}`));
      }
    }
  }
  expect(problems).toEqual([]);
});
