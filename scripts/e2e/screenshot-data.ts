import { eq, sql } from 'drizzle-orm';
import { v7 } from 'uuid';
import { openDb } from '#server/db/client.ts';
import { models, outputs } from '#server/db/schema/index.ts';
import { newId } from '#server/lib/ids.ts';
import { createTask, createUser } from '#server/testing/factories.ts';
import { createPaidOrder } from '#server/testing/order-factories.ts';
import { createClient } from '#server/trpc/client.ts';

/** What is seen in the pictures of the documentation. */

/** Oldest first: lists show the newest on top. */
const ORDERS = [
  { kind: 'image', model: 'sandbox-image', prompt: 'Tulips in a garden, seen from above', params: { n: 3 } },
  { kind: 'image', model: 'sandbox-image', prompt: 'Paper boats on a pond at noon', params: { n: 4 } },
  {
    kind: 'video',
    model: 'sandbox-video',
    prompt: 'A storm at sea, seen from the bridge [[fail]]',
    params: { seconds: '4' },
  },
  {
    kind: 'image',
    model: 'sandbox-image',
    prompt: 'Street lamps of a harbour city after rain',
    params: { n: 2 },
  },
  {
    kind: 'audio',
    model: 'sandbox-speech',
    prompt: 'Good evening, and welcome aboard the night train.',
    params: {},
  },
  { kind: 'text', model: 'sandbox-text', prompt: 'Three short paragraphs about tides', params: {} },
  {
    kind: 'video',
    model: 'sandbox-video',
    prompt: 'Clouds drifting over a valley at first light',
    params: { seconds: '8' },
  },
  {
    kind: 'image',
    model: 'sandbox-image',
    prompt: 'A lighthouse above a calm sea at dusk',
    params: { n: 2 },
  },
] as const;

export const ORDER_COUNT = ORDERS.length;

/** Orders real work of the sandbox: what is shown of it was submitted, polled, stored and paid like any other. */
export async function orderWork(input: { webUrl: string; token: string }): Promise<void> {
  const client = createClient({ url: input.webUrl, token: input.token });
  for (const order of ORDERS) await client.generation.submit.mutate({ ...order, requestKey: newId() });
}

const HOUR_MS = 3_600_000;
/** Tasks in each of the last 24 hours, the oldest first: a quiet night, a busy day. */
const BUSY = [5, 3, 2, 1, 1, 2, 4, 9, 16, 22, 27, 24, 19, 23, 31, 34, 29, 25, 21, 24, 28, 22, 15, 11];

/** Models of the sandbox with the seconds that a task of theirs takes here and what it costs. */
const WORK = [
  { slug: 'sandbox-image', seconds: 14, credits: 8 },
  { slug: 'sandbox-image', seconds: 17, credits: 4 },
  { slug: 'sandbox-video', seconds: 96, credits: 40 },
  { slug: 'sandbox-replicate-image', seconds: 22, credits: 6 },
  { slug: 'sandbox-text', seconds: 6, credits: 1 },
  { slug: 'sandbox-newapi-music', seconds: 61, credits: 6 },
  { slug: 'sandbox-fal-video', seconds: 71, credits: 25 },
] as const;

/**
 * A day of other people's tasks and orders, so that the back office has something to count. The sandbox never saw it:
 * a day cannot be waited for. Rows are as the product leaves them behind, and the books add up. For an empty database.
 */
export async function writeYesterday(databaseUrl: string): Promise<void> {
  const { db, close } = openDb({ url: databaseUrl, max: 2, applicationName: 'sidelane-screenshots' });
  try {
    const people = [];
    for (let count = 1; count <= 12; count += 1) {
      const person = { email: `person-${count}@example.com`, displayName: `Person ${count}` };
      people.push(await createUser(db, { ...person, balanceCredits: 2_000 }));
    }
    const ids = new Map<string, string>();
    for (const { slug } of WORK) {
      const [model] = await db.select({ id: models.id }).from(models).where(eq(models.slug, slug));
      if (!model) throw new Error(`The sandbox has no model ${slug}.`);
      ids.set(slug, model.id);
    }
    const thisHour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    let number = 0;
    for (const [hour, tasks] of BUSY.entries()) {
      const from = thisHour - (BUSY.length - hour) * HOUR_MS;
      for (let place = 0; place < tasks; place += 1) {
        number += 1;
        const work = WORK[number % WORK.length] ?? WORK[0];
        const submittedAt = new Date(from + ((place + 0.5) / tasks) * HOUR_MS);
        await createTask(db, {
          id: v7({ msecs: submittedAt.getTime() }),
          userId: people[(number * 5) % people.length]?.id,
          modelId: ids.get(work.slug),
          holdCredits: work.credits,
          submittedAt,
          finishedAt: new Date(submittedAt.getTime() + work.seconds * (0.7 + (number % 9) / 12) * 1_000),
          ...endOf(number),
        });
      }
      if (hour % 5 === 2) {
        const buyer = people[hour % people.length];
        if (buyer) await createPaidOrder(db, { userId: buyer.id, credits: 500, paidAt: new Date(from) });
      }
    }
    // Nobody looks at these files, and there are none to make a preview of.
    await db.update(outputs).set({ previewTriedAt: sql`now()` });
  } finally {
    await close();
  }
}

/** Most succeed; some fail at upstream, a few are cancelled. */
function endOf(number: number) {
  if (number % 17 === 5) return { status: 'failed', failureCode: 'upstream_failed' } as const;
  if (number % 29 === 7) return { status: 'failed', failureCode: 'rejected' } as const;
  if (number % 23 === 11) return { status: 'cancelled' } as const;
  return { status: 'succeeded' } as const;
}
