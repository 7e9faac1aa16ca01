import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import type { Kind } from '../status.ts';
import { checkOrder } from '../submit-task.ts';
import type { DramaModels } from './order-part.ts';
import type { DramaSettings } from './schemas.ts';

type ReadDeps = Pick<Deps, 'db' | 'providers' | 'clock'>;

/**
 * The models of a film as they can be used now.
 *
 * @throws AppError `not_found` for a model that cannot be used, `bad_request` for one that cannot do its part
 */
export async function loadDramaModels(
  deps: ReadDeps,
  { picture, clip, voice }: Omit<DramaSettings['models'], 'storyboard'>,
): Promise<DramaModels> {
  const load = async (kind: Kind, model: string) => {
    const order = await checkOrder(deps, { kind, model, params: {}, promptBytes: 0 });
    return order.model;
  };
  const [pictures, clips, voices] = await Promise.all([
    load('image', picture),
    clip === undefined ? null : load('video', clip),
    voice === undefined ? null : load('audio', voice),
  ]);
  if (clips?.maxReferences === 0) {
    throw new AppError(
      'bad_request',
      `${clips.title} cannot begin with a picture. Choose a video model that takes reference pictures.`,
      { field: 'models.clip' },
    );
  }
  return { picture: pictures, clip: clips, voice: voices };
}
