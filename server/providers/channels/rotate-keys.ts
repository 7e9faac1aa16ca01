import type { Deps, KeyRing } from '#server/deps.ts';
import { endpointContext } from '#server/notifications/schemas.ts';
import {
  countSealed,
  listEndpointsSealedOtherwise,
  listKeysSealedOtherwise,
  listSecretsSealedOtherwise,
  resealEndpoint,
  resealKey,
  resealWebhookSecret,
  type SealedCount,
  type SealedRow,
} from './key-queries.ts';
import { webhookContext } from './secrets.ts';

const BATCH = 100;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** What could not be opened: a channel's key, its webhook secret (without `keyId`), or the secret of a person's endpoint. */
type UnopenedSecret =
  | { channelId: string; channelName: string; keyId?: string; message: string }
  | { endpointId: string; message: string };

export type Rotation = {
  /** Version of ENCRYPTION_KEY that seals now. */
  version: number;
  resealed: { keys: number; secrets: number; endpoints: number };
  /** When it ended: `left` could not be opened, or a web process with an older ENCRYPTION_KEY sealed it meanwhile. */
  now: { keys: SealedCount; secrets: SealedCount; endpoints: SealedCount };
  unopened: UnopenedSecret[];
};

type Kind = {
  list(after: string): Promise<SealedRow[]>;
  idOf(row: SealedRow): string;
  contextOf(row: SealedRow): string;
  save(row: SealedRow, to: SealedRow['sealed']): Promise<boolean>;
};

/**
 * Seals every channel key, webhook secret and secret of a person's endpoint anew that is sealed under another version than the newest. Each row is
 * replaced only if it still is as it was read, so it may run beside web processes and beside itself, and again.
 */
export async function rotateKeys(deps: {
  db: Deps['db'];
  keyRing: KeyRing & { newestVersion: number };
}): Promise<Rotation> {
  const { db, keyRing } = deps;
  const version = keyRing.newestVersion;
  const unopened: UnopenedSecret[] = [];
  const page = (after: string) => ({ version, after, limit: BATCH });

  const keys = await resealAll(keyRing, unopened, {
    list: (after) => listKeysSealedOtherwise(db, page(after)),
    idOf: (row) => row.keyId ?? '',
    contextOf: (row) => row.channelId,
    save: (row, to) => resealKey(db, row.keyId ?? '', row.sealed, to),
  });
  const secrets = await resealAll(keyRing, unopened, {
    list: (after) => listSecretsSealedOtherwise(db, page(after)),
    idOf: (row) => row.channelId,
    contextOf: (row) => webhookContext(row.channelId),
    save: (row, to) => resealWebhookSecret(db, row.channelId, row.sealed, to),
  });
  const endpoints = await resealEndpoints(deps, unopened);
  return {
    version,
    resealed: { keys, secrets, endpoints },
    now: await countSealed(db, version),
    unopened,
  };
}

/** Both secrets of an endpoint at once; the one before may be gone by then, which does no harm. */
async function resealEndpoints(
  { db, keyRing }: Parameters<typeof rotateKeys>[0],
  unopened: UnopenedSecret[],
): Promise<number> {
  let resealed = 0;
  let after = FIRST_ID;
  for (;;) {
    const rows = await listEndpointsSealedOtherwise(db, {
      version: keyRing.newestVersion,
      after,
      limit: BATCH,
    });
    for (const { id, secret, previousSecret } of rows) {
      after = id;
      const context = endpointContext(id);
      const reseal = (sealed: SealedRow['sealed']) => keyRing.seal(keyRing.open(sealed, context), context);
      try {
        const to = { secret: reseal(secret), previousSecret: previousSecret && reseal(previousSecret) };
        if (await resealEndpoint(db, id, secret, to)) resealed += 1;
      } catch (error) {
        unopened.push({ endpointId: id, message: error instanceof Error ? error.message : String(error) });
      }
    }
    if (rows.length === 0) return resealed;
  }
}

/** @returns how many were sealed anew */
async function resealAll(keyRing: KeyRing, unopened: UnopenedSecret[], kind: Kind): Promise<number> {
  let resealed = 0;
  let after = FIRST_ID;
  for (;;) {
    const rows = await kind.list(after);
    for (const row of rows) {
      const plain = open(keyRing, row, kind.contextOf(row), unopened);
      if (plain === undefined) continue;
      if (await kind.save(row, keyRing.seal(plain, kind.contextOf(row)))) resealed += 1;
    }
    const last = rows.at(-1);
    if (!last) return resealed;
    after = kind.idOf(last);
  }
}

function open(
  keyRing: KeyRing,
  { channelId, channelName, keyId, sealed }: SealedRow,
  context: string,
  unopened: UnopenedSecret[],
): string | undefined {
  try {
    return keyRing.open(sealed, context);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    unopened.push({ channelId, channelName, keyId, message });
    return undefined;
  }
}
