import { isDeepStrictEqual } from 'node:util';
import { recordAudit } from '#server/audit/record-audit.ts';
import { isUniqueViolation } from '#server/db/errors.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { replaceCurrentKey } from './key-queries.ts';
import { insertModels, takenSlugs } from './model-queries.ts';
import { MODEL_TEMPLATES } from './model-templates.ts';
import { type ChannelChange, insertChannel, lockChannel, saveChannel, setPause } from './queries.ts';
import { type CreateChannelInput, catalogueEntry, type UpdateChannelInput } from './schemas.ts';
import { sealKey, webhookContext } from './secrets.ts';
import { validateSettings } from './validate-settings.ts';

/** Slugs are numbered up to here before an administrator has to choose. */
const MAX_SLUG_NUMBER = 99;

/** Who does it, for the audit log; absent: the command line. */
type By = { actorId?: string | null };

/** Adds a channel with its sealed key, and the chosen ready-made models, in one transaction. */
export async function createChannel(
  deps: Pick<Deps, 'db' | 'keyRing' | 'newId'>,
  input: CreateChannelInput & By,
): Promise<{ channelId: string }> {
  const { actorId = null, apiKey, templates: chosen, webhookSecret, settings, ...channel } = input;
  const { protocol } = channel;
  const channelId = deps.newId();
  const values = {
    ...channel,
    id: channelId,
    settings: validateSettings(protocol, settings),
    webhookSecret: sealWebhookSecret(deps, { id: channelId, protocol }, webhookSecret),
  };
  const templates = MODEL_TEMPLATES.filter(
    (template) => template.protocol === protocol && chosen.includes(template.id),
  );
  await refuseTakenName(
    deps.db.transaction(async (tx) => {
      await insertChannel(tx, values);
      await replaceCurrentKey(tx, sealKey(deps, channelId, apiKey));
      const slugs = freeSlugs(
        templates.map((template) => template.id),
        await takenSlugs(tx, slugCandidates(templates)),
      );
      await insertModels(
        tx,
        templates.map(({ protocol: _protocol, id, ...model }, index) => ({
          ...model,
          id: deps.newId(),
          slug: slugs[index] ?? id,
          channelId,
        })),
      );
      await recordAudit(tx, {
        actorId,
        action: 'channel.create',
        subjectId: channelId,
        data: { ...channel, models: slugs },
      });
    }),
  );
  return { channelId };
}

/** Changes a channel. Tasks that run already keep the conditions of their snapshot. */
export async function updateChannel(
  deps: Pick<Deps, 'db' | 'due' | 'keyRing'>,
  { channelId, actorId = null, webhookSecret, settings, ...rest }: UpdateChannelInput & By,
): Promise<void> {
  await refuseTakenName(
    deps.db.transaction(async (tx) => {
      const channel = await lockChannel(tx, channelId);
      if (!channel) throw noSuchChannel();
      const set: ChannelChange = { ...rest };
      if (settings !== undefined) set.settings = validateSettings(channel.protocol, settings);
      if (webhookSecret !== undefined) {
        set.webhookSecret = sealWebhookSecret(deps, channel, webhookSecret);
      }
      const changes = changesOf(channel, set);
      if (Object.keys(changes).length === 0) return;
      // Places that were taken under the old limit say nothing under the new one.
      if ('requestsPerMinute' in changes) set.nextCreateAt = null;
      await saveChannel(tx, channelId, set);
      await recordAudit(tx, { actorId, action: 'channel.update', subjectId: channelId, data: { changes } });
    }),
  );
  // Enabling a channel, or letting it do more at once, makes its waiting tasks claimable.
  deps.due.wake();
}

/**
 * Turns a channel off or on for new tasks. What upstream has already is asked for until it ends, on or off; tasks that
 * wait for their turn start when it is on again.
 */
export async function switchByOperator(
  deps: Pick<Deps, 'db' | 'due'>,
  input: By & { channelId: string; enabled: boolean; reason: string },
): Promise<void> {
  const { channelId, enabled, reason, actorId = null } = input;
  await deps.db.transaction(async (tx) => {
    const channel = await lockChannel(tx, channelId);
    if (!channel) throw noSuchChannel();
    if (channel.enabled === enabled) return;
    await saveChannel(tx, channelId, { enabled });
    const action = enabled ? 'channel.enable' : 'channel.disable';
    await recordAudit(tx, { actorId, action, subjectId: channelId, reason });
  });
  deps.due.wake();
}

/** Sends nothing to a channel for a while, whatever pause it had. Its tasks wait where they are. */
export async function pauseByOperator(
  deps: Pick<Deps, 'db'>,
  input: By & { channelId: string; minutes: number; reason: string },
): Promise<void> {
  const { channelId, minutes, reason, actorId = null } = input;
  await deps.db.transaction(async (tx) => {
    if (!(await lockChannel(tx, channelId))) throw noSuchChannel();
    await setPause(tx, channelId, minutes);
    await recordAudit(tx, {
      actorId,
      action: 'channel.pause',
      subjectId: channelId,
      reason,
      data: { minutes },
    });
  });
}

/** Ends a channel's pause and cool-down, whoever set them; its tasks are due at once. */
export async function resumeByOperator(
  deps: Pick<Deps, 'db' | 'due'>,
  input: By & { channelId: string; reason: string },
): Promise<void> {
  const { channelId, reason, actorId = null } = input;
  await deps.db.transaction(async (tx) => {
    const channel = await lockChannel(tx, channelId);
    if (!channel) throw noSuchChannel();
    await setPause(tx, channelId, null);
    const { pausedUntil, coolDownUntil } = channel;
    await recordAudit(tx, {
      actorId,
      action: 'channel.resume',
      subjectId: channelId,
      reason,
      data: { pausedUntil: pausedUntil?.toISOString(), coolDownUntil: coolDownUntil?.toISOString() },
    });
  });
  deps.due.wake();
}

/** Null takes the secret away. @throws AppError when the protocol verifies no webhooks by a stored secret */
function sealWebhookSecret(
  deps: Pick<Deps, 'keyRing'>,
  channel: { id: string; protocol: string },
  secret: string | null | undefined,
) {
  if (secret === undefined || secret === null) return null;
  const refuse = (message: string) => new AppError('unprocessable', message, { field: 'webhookSecret' });
  const label = catalogueEntry(channel.protocol)?.webhookSecretLabel;
  if (label === undefined) {
    throw refuse(`The protocol "${channel.protocol}" has no webhook secret. Leave it empty.`);
  }
  // Another text would be stored, and refuse every report from then on.
  if (label.includes('whsec_') && !/^(whsec_)?[A-Za-z0-9+/]{4,}={0,2}$/.test(secret)) {
    throw refuse('This is no webhook secret: it is whsec_ and a base64 text. Copy it again.');
  }
  return deps.keyRing.seal(secret, webhookContext(channel.id));
}

/** What a change really changes, for the audit log: from and to; of the secret and the settings only that they were. */
function changesOf(
  channel: Readonly<Record<string, unknown>>,
  set: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(set).flatMap(([field, to]): [string, unknown][] => {
      const from = channel[field];
      if (to === undefined || isDeepStrictEqual(from, to)) return [];
      if (field === 'webhookSecret') return [['webhookVerification', to === null ? 'removed' : 'stored']];
      return [[field, field === 'settings' ? 'changed' : { from, to }]];
    }),
  );
}

function slugCandidates(templates: readonly { id: string }[]): string[] {
  const numbers = Array.from({ length: MAX_SLUG_NUMBER - 1 }, (_, index) => index + 2);
  return templates.flatMap(({ id }) => [id, ...numbers.map((number) => `${id}-${number}`)]);
}

/** The template's own name, or the first free numbered one: two channels may offer the same model. */
function freeSlugs(ids: readonly string[], taken: ReadonlySet<string>): string[] {
  return ids.map((id) => {
    if (!taken.has(id)) return id;
    for (let number = 2; number <= MAX_SLUG_NUMBER; number += 1) {
      if (!taken.has(`${id}-${number}`)) return `${id}-${number}`;
    }
    throw new AppError(
      'conflict',
      `There are too many models named "${id}". Add it by hand under another name.`,
    );
  });
}

async function refuseTakenName<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isUniqueViolation(error, 'provider_channels_name_key')) {
      throw new AppError('conflict', 'There is a channel of this name already. Choose another name.', {
        field: 'name',
      });
    }
    if (isUniqueViolation(error, 'models_slug_key')) {
      throw new AppError('conflict', 'Another administrator added the same models just now. Try again.');
    }
    throw error;
  }
}

function noSuchChannel(): AppError {
  return new AppError('not_found', 'There is no such channel.');
}
