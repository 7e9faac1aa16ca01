import { isUniqueViolation } from '#server/db/errors.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { insertModels, takenSlugs } from './model-queries.ts';
import { MODEL_TEMPLATES } from './model-templates.ts';
import {
  currentKey,
  findChannel,
  getKeyAccess,
  insertChannel,
  replaceCurrentKey,
  saveChannel,
} from './queries.ts';
import type { ChannelTestView, CreateChannelInput, UpdateChannelInput } from './schemas.ts';
import { keyHint } from './secrets.ts';

/** Slugs are numbered up to here before an administrator has to choose. */
const MAX_SLUG_NUMBER = 99;

/** Adds a channel with its sealed key, and the chosen ready-made models, in one transaction. */
export async function createChannel(
  deps: Pick<Deps, 'db' | 'keyRing' | 'newId'>,
  input: CreateChannelInput,
): Promise<{ channelId: string }> {
  const channelId = deps.newId();
  const { name, protocol, baseUrl, maxInFlight } = input;
  await refuseTakenName(
    deps.db.transaction(async (tx) => {
      await insertChannel(tx, { id: channelId, name, protocol, baseUrl, maxInFlight });
      await replaceCurrentKey(tx, sealKey(deps, channelId, input.apiKey));
      const templates = MODEL_TEMPLATES.filter(
        (template) => template.protocol === protocol && input.templates.includes(template.id),
      );
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
    }),
  );
  return { channelId };
}

/** Changes a channel. Tasks that run already keep the conditions of their snapshot. */
export async function updateChannel(
  deps: Pick<Deps, 'db' | 'due'>,
  { channelId, ...set }: UpdateChannelInput,
): Promise<void> {
  const found = await refuseTakenName(saveChannel(deps.db, channelId, set));
  if (!found) throw noSuchChannel();
  // Enabling a channel, or letting it do more at once, makes its waiting tasks claimable.
  deps.due.wake();
}

/** Seals a new key. The old one is retired and stays usable for the tasks that it created. */
export async function replaceKey(
  deps: Pick<Deps, 'db' | 'keyRing' | 'newId' | 'due'>,
  input: { channelId: string; apiKey: string },
): Promise<void> {
  const channel = await findChannel(deps.db, input.channelId);
  if (!channel) throw noSuchChannel();
  await deps.db.transaction((tx) => replaceCurrentKey(tx, sealKey(deps, channel.id, input.apiKey)));
  deps.due.wake();
}

/** Asks the upstream with the current key, by a call that costs nothing. Answers a sentence either way. */
export async function testChannel(
  deps: Pick<Deps, 'db' | 'keyRing' | 'providers'>,
  channelId: string,
): Promise<ChannelTestView> {
  const channel = await findChannel(deps.db, channelId);
  if (!channel) throw noSuchChannel();
  const keyId = await currentKey(deps.db, channelId);
  if (!keyId) return { ok: false, message: 'This channel has no key. Add one.' };
  let apiKey: string;
  try {
    apiKey = await getKeyAccess(deps.db, deps.keyRing, keyId);
  } catch {
    return {
      ok: false,
      message: 'The stored key cannot be opened with this ENCRYPTION_KEY. Replace the key.',
    };
  }
  return deps.providers.check({ protocol: channel.protocol, baseUrl: channel.baseUrl, apiKey });
}

function sealKey(deps: Pick<Deps, 'keyRing' | 'newId'>, channelId: string, apiKey: string) {
  return { id: deps.newId(), channelId, ...deps.keyRing.seal(apiKey, channelId), hint: keyHint(apiKey) };
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
