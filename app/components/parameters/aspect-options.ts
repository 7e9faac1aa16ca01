/** A choice that stands for a shape: `1024x1024`, `16:9`; null for one that lets the model decide. */
export type AspectOption = { value: string; shape: { width: number; height: number } | null };

const SHAPE = /^\s*(\d{1,5})\s*[x×*:/]\s*(\d{1,5})\s*$/i;
const OPEN = /^(auto|any|default|original|adaptive|match[ _]input(?:[ _]image)?)$/i;
/** More are a list to choose from. */
const MOST = 16;

/** The options as shapes, where all of them are (but for an `auto`); null for any other choice. */
export function aspectOptions(options: readonly string[]): AspectOption[] | null {
  if (options.length < 2 || options.length > MOST) return null;
  const found = options.map((value) => ({ value, shape: shapeOf(value), isOpen: OPEN.test(value) }));
  if (found.some(({ shape, isOpen }) => shape === null && !isOpen)) return null;
  if (found.filter(({ shape }) => shape !== null).length < 2) return null;
  return found.map(({ value, shape }) => ({ value, shape }));
}

function shapeOf(value: string): AspectOption['shape'] {
  const [, width, height] = SHAPE.exec(value) ?? [];
  const shape = { width: Number(width), height: Number(height) };
  return shape.width > 0 && shape.height > 0 ? shape : null;
}

/** Size of a little rectangle of this shape, in pixels, its longer side `most`; no side is less than a fifth of that. */
export function drawnSize(
  { width, height }: { width: number; height: number },
  most: number,
): { width: number; height: number } {
  const scale = most / Math.max(width, height);
  const side = (length: number) => Math.max(most / 5, Math.round(length * scale));
  return { width: side(width), height: side(height) };
}
