import type { DramaPlan, DramaShot } from './schemas.ts';

/** What the models of pictures, clips and voices are told. Pure. */

type Character = DramaPlan['characters'][number];

const sentence = (label: string, text: string): string[] => (text === '' ? [] : [`${label}: ${text}`]);

/** Style, place and looks are said in every prompt: that, and the reference pictures, keep a film of one piece. */
export function picturePrompt(plan: DramaPlan, shot: DramaShot): string {
  const scene = plan.scenes.find(({ id }) => id === shot.sceneId);
  const looks = charactersOf(plan, shot).map(({ name, look }) => (look === '' ? name : `${name} (${look})`));
  return [
    ...sentence('Style', plan.style),
    ...sentence('Place', scene?.place ?? ''),
    ...sentence('Characters', looks.join('; ')),
    `Picture: ${shot.picturePrompt}`,
  ].join('\n');
}

export function characterPrompt(plan: DramaPlan, { name, look }: Character): string {
  return [
    ...sentence('Style', plan.style),
    `Reference picture of one character, whole figure, facing the viewer, plain background: ${
      look === '' ? name : `${name}, ${look}`
    }`,
  ].join('\n');
}

/** A clip begins with the shot's picture; without a motion the picture's own words tell what is seen. */
export const clipPrompt = (shot: DramaShot): string =>
  shot.motionPrompt === '' ? shot.picturePrompt : shot.motionPrompt;

/** In the order in which the shot names them. */
export function charactersOf(plan: DramaPlan, shot: DramaShot): Character[] {
  return shot.characterIds.flatMap((id) => plan.characters.find((character) => character.id === id) ?? []);
}
