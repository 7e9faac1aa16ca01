import { priceOrder } from '#server/billing/pricing.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { textBytes, utf8Bytes } from '../price/shared.ts';
import { readModels } from '../read-tasks.ts';
import type { Submitted } from '../request-key.ts';
import type { ModelView } from '../schemas.ts';
import type { Kind } from '../status.ts';
import { submitTask } from '../submit-task.ts';
import { validateParams } from '../validate-params.ts';
import { type ImproveInput, type ImproveOption, improveHeading } from './schemas.ts';

/** The language models that can reword a prompt, cheapest first, each with what it would hold. Empty: there is none. */
export async function readImproveOptions(
  deps: Deps,
  input: { kind: Kind; prompt: string },
): Promise<ImproveOption[]> {
  const text = instructionFor(input);
  return (await readModels(deps))
    .flatMap((model) => {
      const credits = priceOf(model, text);
      return credits === null ? [] : [{ model: model.slug, title: model.title, credits }];
    })
    .sort((one, other) => one.credits - other.credits);
}

/**
 * Orders a better wording of a prompt: an ordinary task of a language model, with its own request key, hold and refund.
 *
 * @throws AppError `not_found` without a language model that can do it, and what a submit throws
 */
export async function improvePrompt(
  deps: Deps,
  { userId, kind, prompt, model, requestKey, quotedCredits }: ImproveInput & { userId: string },
): Promise<Submitted> {
  const options = await readImproveOptions(deps, { kind, prompt });
  const chosen = model === undefined ? options[0] : options.find((option) => option.model === model);
  if (!chosen) throw new AppError('not_found', 'There is no language model for this right now.');
  return submitTask(deps, {
    userId,
    kind: 'text',
    model: chosen.model,
    prompt: instructionFor({ kind, prompt }),
    params: {},
    references: [],
    requestKey,
    quotedCredits,
  });
}

/** The prompt stands near the start, so that the task can be told from others by its first line. */
function instructionFor({ kind, prompt }: { kind: Kind; prompt: string }): string {
  return `${improveHeading(kind)}

${prompt}

Write it anew in the language it is in. Keep what it asks for, names and quoted words included; add what helps (${WHAT_HELPS[kind]}) and nothing that contradicts it. Answer with the new prompt alone: no title, no quotes, no explanation.`;
}

const WHAT_HELPS: Readonly<Record<Kind, string>> = {
  image: 'subject, setting, light, composition, style',
  video: 'subject, movement, camera, light, pace',
  audio: 'voice, tempo, mood, and punctuation for pauses',
  text: 'purpose, reader, tone, length, form',
};

/** Null: the model cannot take it. */
function priceOf(model: ModelView, text: string): number | null {
  if (!model.converses || text.length > model.maxPromptCharacters) return null;
  const params = validateParams(model.parameters, {});
  try {
    return priceOrder(model.price, params, utf8Bytes(text) + textBytes(model.parameters, params)).credits;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
