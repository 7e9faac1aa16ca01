import { recordAudit } from '#server/audit/record-audit.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { currentKey, getKeyAccess, replaceCurrentKey } from './key-queries.ts';
import { type ChannelRow, findChannel, lockChannel, saveTest } from './queries.ts';
import type { ChannelTestView } from './schemas.ts';
import { sealKey } from './secrets.ts';

const CANNOT_BE_OPENED =
  'The stored key cannot be opened with this ENCRYPTION_KEY. Start the web process with the version that sealed it, or replace the key.';

/** Seals a new key. The old one is retired and stays usable for the tasks that it created. */
export async function replaceKey(
  deps: Pick<Deps, 'db' | 'keyRing' | 'newId' | 'due'>,
  input: { channelId: string; apiKey: string; actorId: string },
): Promise<void> {
  const { channelId, apiKey, actorId } = input;
  await deps.db.transaction(async (tx) => {
    if (!(await lockChannel(tx, channelId))) throw noSuchChannel();
    const key = sealKey(deps, channelId, apiKey);
    await replaceCurrentKey(tx, key);
    await recordAudit(tx, {
      actorId,
      action: 'channel.replace_key',
      subjectId: channelId,
      data: { keyId: key.id, hint: key.hint },
    });
  });
  deps.due.wake();
}

/**
 * Answers the channel's current key, once. It is answered only when the audit log holds who asked for it and why.
 *
 * @throws AppError `not_found` without a channel or key, `conflict` when it does not open
 */
export async function revealKey(
  deps: Pick<Deps, 'db' | 'keyRing'>,
  input: { channelId: string; reason: string; actorId: string },
): Promise<{ apiKey: string }> {
  const { channelId, reason, actorId } = input;
  const keyId = await currentKey(deps.db, channelId);
  if (!keyId) throw new AppError('not_found', 'There is no such channel, or it has no key.');
  const apiKey = await getKeyAccess(deps.db, deps.keyRing, keyId).catch(() => {
    throw new AppError('conflict', CANNOT_BE_OPENED);
  });
  await recordAudit(deps.db, {
    actorId,
    action: 'channel.reveal_key',
    subjectId: channelId,
    reason,
    data: { keyId },
  });
  return { apiKey };
}

/**
 * Asks the upstream with the current key, by a call that costs nothing. Answers a sentence either way; it is kept with
 * the channel, with who asked.
 */
export async function testChannel(
  deps: Pick<Deps, 'db' | 'keyRing' | 'providers'>,
  { channelId, actorId }: { channelId: string; actorId: string },
): Promise<ChannelTestView> {
  const channel = await findChannel(deps.db, channelId);
  if (!channel) throw noSuchChannel();
  const result = await askUpstream(deps, channel);
  await saveTest(deps.db, channelId, { ...result, actorId });
  return result;
}

async function askUpstream(
  deps: Pick<Deps, 'db' | 'keyRing' | 'providers'>,
  channel: ChannelRow,
): Promise<ChannelTestView> {
  const keyId = await currentKey(deps.db, channel.id);
  if (!keyId) return { ok: false, message: 'This channel has no key. Add one.' };
  let apiKey: string;
  try {
    apiKey = await getKeyAccess(deps.db, deps.keyRing, keyId);
  } catch {
    return { ok: false, message: CANNOT_BE_OPENED };
  }
  const { protocol, baseUrl, settings } = channel;
  return deps.providers.check({ protocol, baseUrl, apiKey, settings: settings ?? undefined });
}

function noSuchChannel(): AppError {
  return new AppError('not_found', 'There is no such channel.');
}
