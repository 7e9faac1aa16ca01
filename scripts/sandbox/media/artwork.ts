import sharp from 'sharp';
import { choosePalette, type Palette } from './palettes.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';

export type ImageFormat = 'png' | 'jpeg' | 'webp';

export type ArtworkInput = { prompt: string; ordinal: number; width: number; height: number };

type Canvas = { width: number; height: number; unit: number; random: SeededRandom; palette: Palette };

const round = (value: number) => Math.round(value * 10) / 10;

function sky({ width, height, random, palette }: Canvas): string {
  const glows = Array.from({ length: 4 }, (_, index) => {
    const color = random.pick([palette.light, ...palette.layers.slice(0, 2), palette.sky[2]]);
    return {
      gradient: `<radialGradient id="glow${index}"><stop offset="0" stop-color="${color}" stop-opacity="${round(random.between(0.3, 0.6))}"/><stop offset="1" stop-color="${color}" stop-opacity="0"/></radialGradient>`,
      shape: `<ellipse cx="${round(random.between(0, width))}" cy="${round(random.between(0, height * 0.7))}" rx="${round(random.between(0.3, 0.6) * width)}" ry="${round(random.between(0.2, 0.45) * height)}" fill="url(#glow${index})"/>`,
    };
  });
  const [top, middle, bottom] = palette.sky;
  return `<defs><linearGradient id="sky" x1="0" y1="0" x2="${round(random.between(-0.2, 0.2))}" y2="1"><stop offset="0" stop-color="${top}"/><stop offset="0.55" stop-color="${middle}"/><stop offset="1" stop-color="${bottom}"/></linearGradient>${glows.map((glow) => glow.gradient).join('')}</defs><rect width="${width}" height="${height}" fill="url(#sky)"/>${glows.map((glow) => glow.shape).join('')}`;
}

function sun({ width, height, unit, random, palette }: Canvas): string {
  const x = round(random.between(0.22, 0.78) * width);
  const y = round(random.between(0.24, 0.42) * height);
  const radius = round(random.between(0.07, 0.13) * unit);
  const halo = [3.2, 2.2, 1.5].map(
    (factor, index) =>
      `<circle cx="${x}" cy="${y}" r="${round(radius * factor)}" fill="${palette.light}" opacity="${0.08 + index * 0.05}"/>`,
  );
  return `${halo.join('')}<circle cx="${x}" cy="${y}" r="${radius}" fill="${palette.light}"/>`;
}

function stars({ width, height, unit, random, palette }: Canvas): string {
  return Array.from({ length: 90 }, () => {
    const radius = round(random.between(0.6, 2.4) * (unit / 700));
    return `<circle cx="${round(random.between(0, width))}" cy="${round(random.between(0, height * 0.8))}" r="${Math.max(0.4, radius)}" fill="${palette.light}" opacity="${round(random.between(0.2, 0.9))}"/>`;
  }).join('');
}

/** One silhouette across the picture: a sum of waves around `base`, filled to the lower edge. */
function ridge(
  canvas: Canvas,
  layer: { base: number; swing: number; roughness: number; color: string },
): string {
  const { width, height, random } = canvas;
  const waves = Array.from({ length: 4 }, (_, index) => ({
    length: (0.35 + index * layer.roughness) * random.between(1.2, 2.4),
    phase: random.between(0, Math.PI * 2),
    size: layer.swing / (index + 1),
  }));
  const points = Array.from({ length: 65 }, (_, index) => {
    const x = index / 64;
    const lift = waves.reduce(
      (sum, wave) => sum + Math.sin(x * Math.PI * 2 * wave.length + wave.phase) * wave.size,
      0,
    );
    return `${round(x * width)} ${round((layer.base + lift) * height)}`;
  });
  return `<path d="M0 ${height} L${points.join(' L')} L${width} ${height} Z" fill="${layer.color}"/>`;
}

function hills(canvas: Canvas): string {
  const { palette } = canvas;
  const ridges = palette.layers.map((color, index) =>
    ridge(canvas, { base: 0.5 + index * 0.1, swing: 0.055 - index * 0.006, roughness: 1.1, color }),
  );
  return sun(canvas) + ridges.join('');
}

function sea(canvas: Canvas): string {
  const { width, height, unit, random, palette } = canvas;
  const waves = palette.layers.map((color, index) =>
    ridge(canvas, { base: 0.58 + index * 0.085, swing: 0.016 + index * 0.004, roughness: 0.5, color }),
  );
  const glints = Array.from({ length: 26 }, () => {
    const length = random.between(0.02, 0.09) * width;
    return `<rect x="${round(random.between(0.1, 0.85) * width)}" y="${round(random.between(0.6, 0.97) * height)}" width="${round(length)}" height="${round(Math.max(1, unit / 340))}" rx="${round(unit / 600)}" fill="${palette.light}" opacity="${round(random.between(0.15, 0.5))}"/>`;
  });
  return sun(canvas) + waves.join('') + glints.join('');
}

function orbits(canvas: Canvas): string {
  const { width, height, unit, random, palette } = canvas;
  const x = round(width * random.between(0.38, 0.62));
  const y = round(height * random.between(0.4, 0.6));
  const tilt = round(random.between(-35, 35));
  const rings = Array.from({ length: 6 }, (_, index) => {
    const rx = (0.2 + index * 0.085) * unit;
    const angle = random.between(0, Math.PI * 2);
    const color = palette.layers[index % 3] ?? palette.light;
    const planet = random.between(0.008, 0.03) * unit;
    return `<ellipse cx="${x}" cy="${y}" rx="${round(rx)}" ry="${round(rx * 0.42)}" fill="none" stroke="${palette.light}" stroke-opacity="0.28" stroke-width="${round(Math.max(1, unit / 500))}"/><circle cx="${round(x + Math.cos(angle) * rx)}" cy="${round(y + Math.sin(angle) * rx * 0.42)}" r="${round(planet)}" fill="${index % 2 ? palette.light : color}"/>`;
  });
  const radius = round(unit * 0.13);
  const planet = `<defs><radialGradient id="planet" cx="0.35" cy="0.3" r="0.8"><stop offset="0" stop-color="${palette.light}"/><stop offset="0.5" stop-color="${palette.sky[2]}"/><stop offset="1" stop-color="${palette.layers[2]}"/></radialGradient></defs><circle cx="${x}" cy="${y}" r="${radius}" fill="url(#planet)"/>`;
  return `${stars(canvas)}<g transform="rotate(${tilt} ${x} ${y})">${rings.join('')}</g>${planet}`;
}

function bloom(canvas: Canvas): string {
  const { width, height, unit, random, palette } = canvas;
  const flowers = Array.from({ length: 7 }, (_, index) => {
    const x = round(width * (index === 0 ? 0.5 : random.between(0.06, 0.94)));
    const y = round(height * (index === 0 ? 0.5 : random.between(0.08, 0.92)));
    const size = unit * (index === 0 ? 0.3 : random.between(0.06, 0.16));
    const petals = random.integer(7, 12);
    const colors = [palette.sky[2], palette.layers[0] ?? palette.light, palette.light];
    const rows = colors.map((color, row) =>
      Array.from({ length: petals }, (_unused, petal) => {
        const turn = round((360 / petals) * (petal + row / 2));
        const reach = size * (1 - row * 0.28);
        return `<ellipse cx="${x}" cy="${round(y - reach * 0.6)}" rx="${round(reach * 0.2)}" ry="${round(reach * 0.55)}" fill="${color}" opacity="0.6" transform="rotate(${turn} ${x} ${y})"/>`;
      }).join(''),
    );
    return `${rows.join('')}<circle cx="${x}" cy="${y}" r="${round(size * 0.13)}" fill="${palette.layers[4] ?? palette.light}"/>`;
  });
  return flowers.reverse().join('');
}

function skyline(canvas: Canvas): string {
  const { width, height, random, palette } = canvas;
  const rows = palette.layers.slice(1).map((color, row) => {
    const towers: string[] = [];
    let x = -random.between(0, 0.05) * width;
    while (x < width) {
      const towerWidth = random.between(0.035, 0.1) * width;
      const top = (0.78 - random.between(0.08, 0.42) + row * 0.1) * height;
      towers.push(
        `<rect x="${round(x)}" y="${round(top)}" width="${round(towerWidth)}" height="${round(height - top)}" fill="${color}"/>`,
      );
      for (let lit = 0; lit < 7; lit += 1) {
        const side = towerWidth * 0.11;
        towers.push(
          `<rect x="${round(x + towerWidth * (0.12 + 0.22 * random.integer(0, 3)))}" y="${round(top + side * (1 + 2.2 * random.integer(0, 12)))}" width="${round(side)}" height="${round(side * 1.3)}" fill="${palette.light}" opacity="${round(random.between(0.3, 0.9))}"/>`,
        );
      }
      x += towerWidth * random.between(1, 1.25);
    }
    return towers.join('');
  });
  return sun(canvas) + rows.join('');
}

const SCENES = { hills, sea, orbits, bloom, skyline } as const;

const SCENE_WORDS: readonly [RegExp, keyof typeof SCENES][] = [
  [/\b(city|skyline|building|tower|street|house|architect|harbou?r)/i, 'skyline'],
  [/\b(sea|lake|ocean|water|wave|river|boat|coast|lighthouse|lagoon)/i, 'sea'],
  [/\b(space|planet|star|moon|galaxy|orbit|robot|astronaut)/i, 'orbits'],
  [/\b(flower|garden|bloom|petal|rose|tulip|spring)/i, 'bloom'],
  [/\b(mountain|hill|landscape|valley|forest|desert|dune|fox)/i, 'hills'],
];

/** The picture of a prompt as SVG, without any text, so it needs no fonts. */
export function composeArtwork(input: ArtworkInput): string {
  const random = createSeededRandom(`${input.prompt}\n${input.ordinal}`);
  const palette = choosePalette(input.prompt, random);
  const byChance = random.pick(Object.values(SCENES));
  const named = SCENE_WORDS.find(([pattern]) => pattern.test(input.prompt));
  const scene = named ? SCENES[named[1]] : byChance;
  const { width, height } = input;
  const canvas: Canvas = { width, height, unit: Math.min(width, height), random, palette };
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${sky(canvas)}${scene(canvas)}</svg>`;
}

/** A soft round light with an alpha channel, for things that move through a movie. */
export function composeOrb(color: string, size: number): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}"><defs><radialGradient id="orb"><stop offset="0" stop-color="${color}" stop-opacity="0.95"/><stop offset="0.35" stop-color="${color}" stop-opacity="0.6"/><stop offset="1" stop-color="${color}" stop-opacity="0"/></radialGradient></defs><circle cx="${size / 2}" cy="${size / 2}" r="${size / 2}" fill="url(#orb)"/></svg>`;
}

/** Renders SVG off the event loop (libvips threads). */
export async function renderSvg(svg: string, format: ImageFormat): Promise<Buffer> {
  const image = sharp(Buffer.from(svg));
  if (format === 'jpeg') return image.flatten({ background: '#000' }).jpeg({ quality: 86 }).toBuffer();
  if (format === 'webp') return image.webp({ quality: 84 }).toBuffer();
  return image.png({ compressionLevel: 7 }).toBuffer();
}
