import type { DramaShot, ShotPart } from '#server/generation/drama/schemas.ts';

/** Names of the fields of the form that makes parts of a shot anew. */
export function redoField(part: ShotPart, which: 'tick' | 'words' = 'tick'): string {
  return which === 'tick' ? `redo.${part}` : `words.${part}`;
}

/** Which words of a shot each part is made from. */
export const WORDS_OF = {
  picture: 'picturePrompt',
  clip: 'motionPrompt',
  voice: 'narration',
} as const satisfies Record<ShotPart, keyof DramaShot>;
