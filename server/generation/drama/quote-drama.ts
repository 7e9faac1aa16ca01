import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { readOwnComposite } from '../composite/view-queries.ts';
import { planOf, settingsOf } from './composite-state.ts';
import { readQuote } from './read-drama.ts';
import type { DramaPlan, DramaQuoteInput, DramaQuoteView } from './schemas.ts';

/** Of a film that is not planned yet: a usual shot. */
const USUAL_SHOT = { seconds: 4, narrationCharacters: 60 };

/**
 * What a film costs: exactly, for the storyboard of a drama as it is or as it is being edited; about, for an order before
 * there is one.
 *
 * @throws AppError `not_found`, `bad_request` for models that cannot be used
 */
export async function quoteDrama(
  deps: Deps,
  input: DramaQuoteInput & { userId: string },
): Promise<DramaQuoteView> {
  const { userId } = input;
  if ('taskId' in input) {
    const bundle = await readOwnComposite(deps.db, { userId, taskId: input.taskId });
    if (bundle?.task.kind !== 'drama') throw new AppError('not_found', 'There is no such film.');
    const plan = input.plan ?? planOf(bundle.composite);
    if (!plan) throw new AppError('conflict', 'There is no storyboard yet. Wait until it is ready.');
    return readQuote(deps, { userId, plan, settings: settingsOf(bundle.composite) });
  }
  return readQuote(deps, { userId, plan: usualPlan(input), settings: input });
}

function usualPlan({ shots, seconds }: { shots: number; seconds?: number }): DramaPlan {
  const narration = 'x'.repeat(USUAL_SHOT.narrationCharacters);
  return {
    title: 'Film',
    style: '',
    characters: [],
    scenes: [{ id: 'scene', title: 'Scene', place: '' }],
    shots: Array.from({ length: shots }, (_, index) => ({
      id: `shot-${index + 1}`,
      sceneId: 'scene',
      characterIds: [],
      seconds: seconds ?? USUAL_SHOT.seconds,
      picturePrompt: 'A picture',
      motionPrompt: '',
      narration,
      speakerId: '',
    })),
  };
}
