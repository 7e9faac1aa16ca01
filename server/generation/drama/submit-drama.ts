import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { getUploads } from '#server/storage/queries.ts';
import { sizeOf } from '../composite/conversation-size.ts';
import { checkDriver, submitComposite } from '../composite/submit-composite.ts';
import type { Submitted } from '../request-key.ts';
import { findEarlier } from './find-earlier.ts';
import { mostSeconds } from './fit-params.ts';
import { loadDramaModels } from './load-models.ts';
import type { DramaModels } from './order-part.ts';
import type { DramaInput, DramaSettings } from './schemas.ts';
import { storyboardConversation } from './storyboard-conversation.ts';

/** As much of the user's text as lists show. */
const PROMPT_CHARACTERS = 300;

/**
 * Accepts a short film. Nothing is held for its shots yet: the storyboard's calls are paid one by one from the balance, the
 * shots when they are started.
 *
 * @throws AppError `bad_request`, `not_found` for a model that cannot be used, `conflict` for a request key that was used
 */
export async function submitDrama(deps: Deps, input: DramaInput & { userId: string }): Promise<Submitted> {
  const { userId, requestKey, ...settings } = input;
  const earlier = await findEarlier(deps, { userId, requestKey, body: settings });
  if (earlier) return earlier;
  const models = await loadDramaModels(deps, settings.models);
  await refuseTooLong(deps, settings, models);
  if (settings.references.length > 0 && models.picture.maxReferences === 0) {
    throw new AppError('bad_request', `${models.picture.title} takes no reference pictures. Remove them.`, {
      field: 'references',
    });
  }
  await checkFiles(deps, { userId, ids: settings.references, type: 'image', field: 'references' });
  const music = settings.music === undefined ? [] : [settings.music];
  await checkFiles(deps, { userId, ids: music, type: 'audio', field: 'music' });
  return submitComposite(deps, {
    kind: 'drama',
    userId,
    requestKey,
    body: settings,
    model: settings.models.storyboard,
    prompt: [...settings.text].slice(0, PROMPT_CHARACTERS).join(''),
    references: [...settings.references, ...music],
    phase: 'storyboard',
    settings,
    budgetCredits: null,
    estimateCredits: null,
  });
}

/** The storyboard is paid without a further word: a text that its model cannot take is refused before. */
async function refuseTooLong(
  deps: Pick<Deps, 'db' | 'providers' | 'clock'>,
  settings: DramaSettings,
  { clip }: DramaModels,
): Promise<void> {
  const { model } = await checkDriver(deps, settings.models.storyboard);
  const first = storyboardConversation(settings, [], clip && mostSeconds(clip.parameters));
  const over = sizeOf(first) - model.maxPromptCharacters;
  if (over <= 0) return;
  throw new AppError(
    'bad_request',
    `This text is ${over} characters too long for ${model.title}. Shorten it, or choose another language model.`,
    { field: 'text' },
  );
}

async function checkFiles(
  deps: Pick<Deps, 'db'>,
  input: { userId: string; ids: readonly string[]; type: 'image' | 'audio'; field: string },
): Promise<void> {
  const { ids, type, field } = input;
  const uploads = await getUploads(deps.db, input.userId, ids);
  if (uploads.length !== ids.length) {
    throw new AppError('bad_request', 'A file is not there any more. Upload it again.', { field });
  }
  const other = uploads.find(({ mime }) => !mime.startsWith(`${type}/`));
  if (!other) return;
  const message =
    type === 'image'
      ? `"${other.fileName}" is no picture. Choose PNG, JPEG or WebP files.`
      : `"${other.fileName}" is no sound file. Choose an MP3, WAV or M4A file.`;
  throw new AppError('bad_request', message, { field });
}
