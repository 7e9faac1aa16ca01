import type { TFunction } from 'i18next';
import type { TemplateView } from '#server/generation/prompts/schemas.ts';
import type { TaskKind } from '#server/generation/status.ts';

/** Prompts to start from, in the reader's language; what stands in brackets is to be filled in. */
const HOUSE = {
  image: ['house.image.portrait', 'house.image.product', 'house.image.poster'],
  video: ['house.video.opening', 'house.video.product'],
  audio: ['house.audio.welcome', 'house.audio.notice'],
  text: ['house.text.letter', 'house.text.product'],
  agent: ['house.agent.campaign'],
  drama: ['house.drama.letter'],
} as const satisfies Record<TaskKind, readonly string[]>;

export function houseTemplates(t: TFunction<'prompts'>, kind: TaskKind): TemplateView[] {
  return HOUSE[kind].map((id) => ({ id, name: t(`${id}.name`), prompt: t(`${id}.prompt`) }));
}
