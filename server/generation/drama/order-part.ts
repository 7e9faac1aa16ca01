import { priceOrder } from '#server/billing/pricing.ts';
import { AppError } from '#server/lib/app-error.ts';
import { textBytes, utf8Bytes } from '../price/shared.ts';
import type { Order } from '../submit-task.ts';
import { validateParams } from '../validate-params.ts';
import { fitParams } from './fit-params.ts';
import { characterPrompt, clipPrompt, picturePrompt } from './part-prompts.ts';
import { KIND_OF, type Makes, type Part } from './parts.ts';
import type { DramaPlan, DramaSettings } from './schemas.ts';

type Model = Order['model'];

/** Models of an order, as they are now; null: nothing of the kind is made. */
export type DramaModels = { picture: Model; clip: Model | null; voice: Model | null };

export const makesOf = ({ picture, clip, voice }: DramaModels): Makes => ({
  characters: picture.maxReferences > 0,
  clips: clip !== null,
  voices: voice !== null,
});

/** What is ordered for a part, without reference files, and what it costs today. */
export type PartOrder = {
  kind: 'image' | 'video' | 'audio';
  model: string;
  prompt: string;
  params: Record<string, unknown>;
  credits: number;
};

/** The order of a part by the plan. A problem is a sentence about what to change; nothing is shortened silently. */
export function orderPart(
  part: Part,
  film: { plan: DramaPlan; ratio: DramaSettings['ratio']; models: DramaModels },
): PartOrder | { problem: string } {
  const { plan, ratio, models } = film;
  const model = modelOf(part, models);
  if (!model) return { problem: 'No model was chosen for this.' };
  const wish = wishOf(part, plan, ratio);
  if (!wish) return { problem: 'The plan has no such part any more.' };
  const { prompt, ...wanted } = wish;
  if (prompt.length > model.maxPromptCharacters) {
    const over = prompt.length - model.maxPromptCharacters;
    return { problem: `Its words are ${over} characters too long for ${model.title}. Shorten them.` };
  }
  const fitted = fitParams(model.parameters, wanted);
  if ('problem' in fitted) return fitted;
  try {
    const params = validateParams(model.parameters, fitted.params);
    const bytes = utf8Bytes(prompt) + textBytes(model.parameters, params);
    const { credits } = priceOrder(model.price, params, bytes);
    return { kind: KIND_OF[part.name], model: model.slug, prompt, params, credits };
  } catch (error) {
    if (error instanceof AppError) return { problem: error.message };
    if (error instanceof RangeError) return { problem: 'It is too large for a price.' };
    throw error;
  }
}

function modelOf({ name }: Part, models: DramaModels): Model | null {
  if (name === 'clip') return models.clip;
  return name === 'voice' ? models.voice : models.picture;
}

function wishOf({ name, ownerId }: Part, plan: DramaPlan, ratio: DramaSettings['ratio']) {
  if (name === 'character') {
    const character = plan.characters.find(({ id }) => id === ownerId);
    return character && { prompt: characterPrompt(plan, character), ratio };
  }
  const shot = plan.shots.find(({ id }) => id === ownerId);
  if (!shot) return undefined;
  switch (name) {
    case 'picture':
      return { prompt: picturePrompt(plan, shot), ratio };
    case 'clip':
      return { prompt: clipPrompt(shot), ratio, seconds: shot.seconds };
    case 'voice': {
      const place = plan.characters.findIndex(({ id }) => id === shot.speakerId);
      const words = plan.characters[place]?.voice ?? '';
      return { prompt: shot.narration, voice: { words, index: place + 1 } };
    }
  }
}
