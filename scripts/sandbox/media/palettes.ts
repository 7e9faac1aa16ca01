import type { SeededRandom } from './seeded-random.ts';

/** Colours of one picture: sky from top to bottom, light, and layers from far to near. */
export type Palette = { sky: readonly [string, string, string]; light: string; layers: readonly string[] };

const PALETTES = {
  dawn: {
    sky: ['#27306b', '#b05a8c', '#ffc58f'],
    light: '#fff1d0',
    layers: ['#8f5a8e', '#6b4a86', '#4a3a78', '#322c62', '#1d1d45'],
  },
  ember: {
    sky: ['#2b1036', '#a8324a', '#ff9a4d'],
    light: '#ffe2a8',
    layers: ['#a23c52', '#7b2c4d', '#561f46', '#38153a', '#200b27'],
  },
  lagoon: {
    sky: ['#0b3c5d', '#2a8ca3', '#c7f0dc'],
    light: '#fdfbe4',
    layers: ['#59a9a6', '#358a93', '#1f6b7d', '#124d63', '#092f45'],
  },
  moss: {
    sky: ['#1f3d36', '#6f9f6b', '#eef0bf'],
    light: '#fffbe0',
    layers: ['#86a873', '#5f8a62', '#416d54', '#2a5045', '#173430'],
  },
  night: {
    sky: ['#070a1f', '#1c2358', '#5b4b9c'],
    light: '#f3efff',
    layers: ['#453f86', '#33306f', '#242357', '#171840', '#0c0d28'],
  },
  candy: {
    sky: ['#3b1c5a', '#d1539b', '#ffd3c2'],
    light: '#fff6e6',
    layers: ['#d77bb0', '#a957a4', '#7d3f95', '#562c7c', '#341a56'],
  },
  frost: {
    sky: ['#2c4a73', '#8db4d8', '#f4f8fb'],
    light: '#ffffff',
    layers: ['#a9c4de', '#7f9fc4', '#5a7ca8', '#3c5b88', '#233c63'],
  },
  sand: {
    sky: ['#5b3a5e', '#d98b62', '#fbe6b8'],
    light: '#fff7db',
    layers: ['#d9a073', '#bb7a5c', '#94584f', '#6a3e46', '#422738'],
  },
} as const satisfies Record<string, Palette>;

const WORDS: readonly [RegExp, keyof typeof PALETTES][] = [
  [/\b(night|space|star|moon|galaxy|midnight|dark)/i, 'night'],
  [/\b(dawn|sunrise|morning)/i, 'dawn'],
  [/\b(sunset|dusk|fire|autumn|lava|ember)/i, 'ember'],
  [/\b(sea|lake|ocean|water|wave|river|coast|lagoon)/i, 'lagoon'],
  [/\b(forest|garden|green|meadow|jungle|moss)/i, 'moss'],
  [/\b(snow|ice|winter|frost|arctic)/i, 'frost'],
  [/\b(desert|sand|dune|canyon)/i, 'sand'],
];

/** The palette that a word of the prompt suggests, else one by chance. */
export function choosePalette(prompt: string, random: SeededRandom): Palette {
  const byChance = random.pick(Object.values(PALETTES));
  const named = WORDS.find(([pattern]) => pattern.test(prompt));
  return named ? PALETTES[named[1]] : byChance;
}
