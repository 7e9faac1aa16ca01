import { randomBytes } from 'node:crypto';
import { createApiToken } from '#server/auth/api-tokens.ts';
import { createAdmin } from '#server/auth/create-admin.ts';
import { listApiTokens, revokeApiTokenOf } from '#server/auth/queries.ts';
import { grantCredits } from '#server/billing/ledger.ts';
import { type Db, openDb } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { newId } from '#server/lib/ids.ts';
import { createChannel, updateChannel } from '#server/providers/channels/manage-channels.ts';
import { insertModels } from '#server/providers/channels/model-queries.ts';
import { listChannels } from '#server/providers/channels/queries.ts';
import { createKeyRing } from '#server/providers/channels/secrets.ts';
import { SANDBOX_MODELS } from './sandbox-models.ts';

export type LocalLogin = { email: string; password: string; userId: string; apiToken: string };

const CHANNEL_NAME = 'Sandbox';
const TOKEN_NAME = 'Local scripts';
const START_CREDITS = 1_000;

/**
 * Fills a local database with what the main job needs: an administrator with credits and an API token, the sandbox
 * channel and a model per kind. Runs again on the same database: a moved sandbox is followed, the password is made new.
 */
export async function seedLocal(input: {
  databaseUrl: string;
  encryptionKey: string;
  sandboxUrl: string;
  sandboxKey: string;
  email: string;
  password?: string;
}): Promise<LocalLogin> {
  const { db, close } = openDb({ url: input.databaseUrl, max: 2, applicationName: 'sidelane-seed' });
  try {
    const password = input.password ?? randomBytes(9).toString('base64url');
    const { userId } = await createAdmin({ db }, { email: input.email, displayName: 'Demo', password });
    await db.transaction((tx) =>
      grantCredits(tx, {
        userId,
        credits: START_CREDITS,
        key: `seed:${userId}`,
        actor: 'cli',
        reason: 'Credits to try things out',
      }),
    );
    await seedChannel(db, input);
    for (const token of await listApiTokens(db, userId)) {
      if (token.name === TOKEN_NAME) await revokeApiTokenOf(db, userId, token.id);
    }
    const { secret } = await createApiToken(
      { db },
      { userId, name: TOKEN_NAME, scopes: ['read', 'submit', 'cancel'] },
    );
    return { email: input.email, password, userId, apiToken: secret };
  } finally {
    await close();
  }
}

async function seedChannel(
  db: Db,
  input: { encryptionKey: string; sandboxUrl: string; sandboxKey: string },
): Promise<void> {
  const baseUrl = `${input.sandboxUrl}/v1`;
  const known = (await listChannels(db)).find((channel) => channel.name === CHANNEL_NAME);
  if (known) {
    const due: Deps['due'] = { wake() {}, onWake: () => () => undefined };
    await updateChannel({ db, due }, { channelId: known.id, baseUrl });
    return;
  }
  const { channelId } = await createChannel(
    { db, keyRing: createKeyRing(input.encryptionKey), newId },
    {
      name: CHANNEL_NAME,
      protocol: 'openai',
      baseUrl,
      apiKey: input.sandboxKey,
      maxInFlight: 100,
      templates: [],
    },
  );
  await insertModels(
    db,
    SANDBOX_MODELS.map((model) => ({ ...model, id: newId(), channelId })),
  );
}
