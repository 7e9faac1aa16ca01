import { randomBytes } from 'node:crypto';
import { createApiToken } from '#server/auth/api-tokens.ts';
import { createAdmin } from '#server/auth/create-admin.ts';
import { listApiTokens, revokeApiTokenOf } from '#server/auth/queries.ts';
import { grantCredits } from '#server/billing/ledger.ts';
import { type Db, openDb } from '#server/db/client.ts';
import type { CostRule } from '#server/generation/cost/schemas.ts';
import type { Kind } from '#server/generation/status.ts';
import { newId } from '#server/lib/ids.ts';
import { createLogger } from '#server/lib/logger.ts';
import { readPacks, savePack } from '#server/orders/packs.ts';
import { savePackInput } from '#server/orders/schemas.ts';
import { createChannel, updateChannel } from '#server/providers/channels/manage-channels.ts';
import { createModel } from '#server/providers/channels/manage-models.ts';
import { takenSlugs } from '#server/providers/channels/model-queries.ts';
import { createModelInput } from '#server/providers/channels/models/schemas.ts';
import { listChannels } from '#server/providers/channels/queries.ts';
import { createKeyRing } from '#server/providers/channels/secrets.ts';
import { createProviderRuntime } from '#server/providers/registry.ts';
import { createAssetStore } from '#server/storage/create-asset-store.ts';
import { sandboxChannels } from './sandbox-channels.ts';

export type LocalLogin = { email: string; password: string; userId: string; apiToken: string };

const TOKEN_NAME = 'Local scripts';
const START_CREDITS = 1_000;

/** What can be bought; prices in cents. */
const PACKS = [
  { title: 'Small', credits: 100, amountMinor: 500, currency: 'EUR', validDays: 90, position: 1 },
  { title: 'Medium', credits: 500, amountMinor: 1_900, currency: 'EUR', validDays: 365, position: 2 },
  { title: 'Large', credits: 2_000, amountMinor: 5_900, currency: 'EUR', validDays: null, position: 3 },
];

/**
 * Fills a local database with what the main job needs: an administrator with credits and an API token, a channel with
 * models for each vendor that the sandbox plays, and packs of credits to buy. Runs again on the same database: a moved
 * sandbox is followed, the password is made new.
 */
export async function seedLocal(input: {
  databaseUrl: string;
  encryptionKey: string;
  sandboxUrl: string;
  sandboxKey: string;
  storageDir: string;
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
    const { deps, close: closeDeps } = openDeps(db, input);
    await seedChannels(deps, { ...input, userId }).finally(closeDeps);
    await seedPacks(deps, userId);
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

async function seedPacks(deps: Pick<SeedDeps, 'db' | 'newId'>, actorId: string): Promise<void> {
  const known = new Set((await readPacks(deps)).map((pack) => pack.title));
  for (const pack of PACKS) {
    if (!known.has(pack.title)) await savePack(deps, { ...savePackInput.parse(pack), actorId });
  }
}

type SeedDeps = Parameters<typeof createChannel>[0] &
  Parameters<typeof updateChannel>[0] &
  Parameters<typeof createModel>[0];

/** What the use cases of channels and models need; `close` ends it. */
function openDeps(db: Db, input: { encryptionKey: string; storageDir: string }) {
  const storage = createAssetStore({ driver: 'fs', dir: input.storageDir });
  const providers = createProviderRuntime({ storage, logger: createLogger('warn') });
  const deps: SeedDeps = {
    db,
    keyRing: createKeyRing(input.encryptionKey),
    newId,
    providers,
    // Nothing runs on this database yet.
    due: { wake() {}, onWake: () => () => undefined },
  };
  return { deps, close: () => providers.close() };
}

/** What the sandbox would take, were it a vendor: so that the overview has costs to show. */
const SANDBOX_COSTS: Partial<Record<Kind, CostRule>> = {
  image: { currency: 'EUR', unit: 'output', micros: 12_000, failures: 'free' },
  video: { currency: 'EUR', unit: 'second', micros: 30_000, failures: 'free' },
  audio: { currency: 'EUR', unit: 'call', micros: 8_000, failures: 'free' },
};

/** Adds the channels that are missing; those that are there follow the sandbox to its address and webhook keys. */
async function seedChannels(
  deps: SeedDeps,
  input: { sandboxUrl: string; sandboxKey: string; userId: string },
): Promise<void> {
  const known = new Map((await listChannels(deps.db)).map((channel) => [channel.name, channel.id]));
  for (const { channel, models } of await sandboxChannels(input.sandboxUrl, input.sandboxKey)) {
    const { name, baseUrl, settings, webhookSecret } = channel;
    let channelId = known.get(name);
    if (channelId) await updateChannel(deps, { channelId, baseUrl, settings, webhookSecret });
    else ({ channelId } = await createChannel(deps, channel));
    const taken = await takenSlugs(
      deps.db,
      models.map((model) => model.slug),
    );
    for (const model of models) {
      if (taken.has(model.slug)) continue;
      const cost = SANDBOX_COSTS[model.kind];
      await createModel(deps, {
        ...createModelInput.parse({ cost, ...model, channelId }),
        actorId: input.userId,
      });
    }
  }
}
