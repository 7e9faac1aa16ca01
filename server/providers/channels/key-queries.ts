import { and, desc, eq, gt, isNull, ne, type SQL, sql } from 'drizzle-orm';
import type { DbOrTx } from '#server/db/client.ts';
import { providerChannels, providerKeys, type SealedSecret } from '#server/db/schema/channels.ts';
import { webhookEndpoints } from '#server/db/schema/notifications.ts';
import type { KeyRing } from '#server/deps.ts';

/** Retires the current key, if any, and makes `key` the current one. Locks the channel, so two replacements queue up. */
export async function replaceCurrentKey(tx: DbOrTx, key: typeof providerKeys.$inferInsert): Promise<void> {
  await tx
    .select({ id: providerChannels.id })
    .from(providerChannels)
    .where(eq(providerChannels.id, key.channelId))
    .for('no key update');
  await tx
    .update(providerKeys)
    .set({ retiredAt: sql`now()` })
    .where(and(eq(providerKeys.channelId, key.channelId), isNull(providerKeys.retiredAt)));
  await tx.insert(providerKeys).values(key);
}

/** Id of the key that new tasks of a channel use. */
export async function currentKey(db: DbOrTx, channelId: string): Promise<string | undefined> {
  const [row] = await db
    .select({ id: providerKeys.id })
    .from(providerKeys)
    .where(and(eq(providerKeys.channelId, channelId), isNull(providerKeys.retiredAt)))
    .orderBy(desc(providerKeys.createdAt))
    .limit(1);
  return row?.id;
}

/**
 * Opens a key, also a retired one: tasks are polled with the key that created them.
 *
 * @throws Error without any secret in it when the key is not there or does not open
 */
export async function getKeyAccess(db: DbOrTx, keyRing: KeyRing, keyId: string): Promise<string> {
  const [row] = await db.select().from(providerKeys).where(eq(providerKeys.id, keyId));
  if (!row) throw new Error(`There is no channel key ${keyId}.`);
  return keyRing.open(row, row.channelId);
}

/** A sealed text with what names it: a key of a channel, or a channel's webhook secret (without `keyId`). */
export type SealedRow = { channelId: string; channelName: string; keyId?: string; sealed: SealedSecret };

/** Keys that another version than this one sealed, retired ones too, by id from behind `after`. */
export async function listKeysSealedOtherwise(
  db: DbOrTx,
  input: { version: number; after: string; limit: number },
): Promise<(SealedRow & { keyId: string })[]> {
  const rows = await db
    .select({ key: providerKeys, channelName: providerChannels.name })
    .from(providerKeys)
    .innerJoin(providerChannels, eq(providerChannels.id, providerKeys.channelId))
    .where(and(ne(providerKeys.sealedWith, input.version), gt(providerKeys.id, input.after)))
    .orderBy(providerKeys.id)
    .limit(input.limit);
  return rows.map(({ key: { id, channelId, sealedWith, nonce, ciphertext }, channelName }) => ({
    keyId: id,
    channelId,
    channelName,
    sealed: { sealedWith, nonce, ciphertext },
  }));
}

/** False when the key is not sealed as it was any more. */
export async function resealKey(
  db: DbOrTx,
  keyId: string,
  from: SealedSecret,
  to: SealedSecret,
): Promise<boolean> {
  const rows = await db
    .update(providerKeys)
    .set(to)
    .where(
      and(
        eq(providerKeys.id, keyId),
        eq(providerKeys.sealedWith, from.sealedWith),
        eq(providerKeys.ciphertext, from.ciphertext),
      ),
    )
    .returning({ id: providerKeys.id });
  return rows.length > 0;
}

/** Webhook secrets that another version than this one sealed, by the channel's id from behind `after`. */
export async function listSecretsSealedOtherwise(
  db: DbOrTx,
  input: { version: number; after: string; limit: number },
): Promise<SealedRow[]> {
  const { id, name, webhookSecret } = providerChannels;
  const rows = await db
    .select({ channelId: id, channelName: name, sealed: webhookSecret })
    .from(providerChannels)
    .where(and(sql`(${webhookSecret} ->> 'sealedWith')::int <> ${input.version}`, gt(id, input.after)))
    .orderBy(id)
    .limit(input.limit);
  return rows.flatMap(({ sealed, ...row }) => (sealed ? [{ ...row, sealed }] : []));
}

/** False when the secret is not sealed as it was any more. */
export async function resealWebhookSecret(
  db: DbOrTx,
  channelId: string,
  from: SealedSecret,
  to: SealedSecret,
): Promise<boolean> {
  const { id, webhookSecret } = providerChannels;
  const rows = await db
    .update(providerChannels)
    .set({ webhookSecret: to })
    .where(and(eq(id, channelId), sql`${webhookSecret} ->> 'ciphertext' = ${from.ciphertext}`))
    .returning({ id });
  return rows.length > 0;
}

/** Secrets of people's webhook endpoints that another version than this one sealed, by id from behind `after`. */
export async function listEndpointsSealedOtherwise(
  db: DbOrTx,
  input: { version: number; after: string; limit: number },
): Promise<{ id: string; secret: SealedSecret; previousSecret: SealedSecret | null }[]> {
  const { id, secret, previousSecret } = webhookEndpoints;
  return db
    .select({ id, secret, previousSecret })
    .from(webhookEndpoints)
    .where(and(sealedOtherwise(input.version), gt(id, input.after)))
    .orderBy(id)
    .limit(input.limit);
}

const sealedOtherwise = (
  version: number,
): SQL => sql`((${webhookEndpoints.secret} ->> 'sealedWith')::int <> ${version}
  or (${webhookEndpoints.previousSecret} ->> 'sealedWith')::int <> ${version})`;

/** False when the endpoint's secret is not sealed as it was any more. */
export async function resealEndpoint(
  db: DbOrTx,
  id: string,
  from: SealedSecret,
  to: { secret: SealedSecret; previousSecret: SealedSecret | null },
): Promise<boolean> {
  const rows = await db
    .update(webhookEndpoints)
    .set(to)
    .where(
      and(eq(webhookEndpoints.id, id), sql`${webhookEndpoints.secret} ->> 'ciphertext' = ${from.ciphertext}`),
    )
    .returning({ id: webhookEndpoints.id });
  return rows.length > 0;
}

export type SealedCount = { current: number; left: number };

/** How many keys and webhook secrets this version sealed, and how many another one. */
export async function countSealed(
  db: DbOrTx,
  version: number,
): Promise<{ keys: SealedCount; secrets: SealedCount; endpoints: SealedCount }> {
  const secretVersion = sql`(${providerChannels.webhookSecret} ->> 'sealedWith')::int`;
  const [keys] = await db.select(split(sql`${providerKeys.sealedWith}`, version)).from(providerKeys);
  const [secrets] = await db.select(split(secretVersion, version)).from(providerChannels);
  const [endpoints] = await db
    .select({
      current: sql<number>`(count(*) filter (where not ${sealedOtherwise(version)} is true))::int`,
      left: sql<number>`(count(*) filter (where ${sealedOtherwise(version)}))::int`,
    })
    .from(webhookEndpoints);
  const none = { current: 0, left: 0 };
  return { keys: keys ?? none, secrets: secrets ?? none, endpoints: endpoints ?? none };
}

const split = (sealedWith: SQL, version: number) => ({
  current: sql<number>`(count(*) filter (where ${sealedWith} = ${version}))::int`,
  left: sql<number>`(count(*) filter (where ${sealedWith} <> ${version}))::int`,
});
