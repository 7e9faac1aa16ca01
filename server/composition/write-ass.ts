import type { FilmOrder } from './film.ts';
import { CAPTION_COLUMNS, type Cue, widthOf, wrapText } from './wrap-caption.ts';

type Size = FilmOrder['size'];

/** How the fonts in `fonts.ts` name themselves. */
const CAPTION_FONT = 'Noto Sans S Chinese Medium';
const TITLE_FONT = 'Noto Sans S Chinese Bold';

/** Share of its size that an ASS font gives to a Chinese character; the rest is space between lines. */
const GLYPH_SHARE = 0.69;

/** Lines of a title that fit on a card at its largest size. */
const TITLE_LINES = 3;

/** Captions to be drawn by libass, with times counted from `startMs` of the film. */
export function writeCaptionScript(
  cues: readonly Cue[],
  { size, startMs }: { size: Size; startMs: number },
): string {
  const fontSize = captionFontSize(size);
  const style = `Text,${CAPTION_FONT},${fontSize},&H00FFFFFF,&H00FFFFFF,&H00101010,&H80000000,0,0,0,0,100,100,0,0,1,${round(fontSize * 0.06)},${round(fontSize * 0.03)},2,10,10,${Math.round(size.height * 0.05)},1`;
  const events = cues.map((cue) =>
    dialogue({ startMs: cue.startMs - startMs, endMs: cue.endMs - startMs, lines: cue.lines }),
  );
  return script(size, { style, events });
}

/** A title in the middle of its card, as large as it fits. */
export function writeTitleScript(
  title: string,
  { size, lengthMs }: { size: Size; lengthMs: number },
): string {
  const widest = Math.min(size.width, size.height * 1.6) * 0.84;
  let fontSize = Math.round(size.height * 0.16);
  let lines = wrapText(title, columnsOf(widest, fontSize));
  const least = captionFontSize(size);
  while (fontSize > least && (lines.length > TITLE_LINES || lines.length * fontSize > size.height * 0.7)) {
    fontSize = Math.max(least, Math.floor(fontSize * 0.9));
    lines = wrapText(title, columnsOf(widest, fontSize));
  }
  // A title of one short line would otherwise look lost, and one that is cut badly reads badly.
  const style = `Text,${TITLE_FONT},${fontSize},&H00F4F1EC,&H00FFFFFF,&H00101010,&H80000000,0,0,0,0,100,100,${round(fontSize * 0.02)},0,1,0,0,5,10,10,10,1`;
  const fitting = lines.slice(0, Math.max(1, Math.floor(size.height / fontSize)));
  return script(size, { style, events: [dialogue({ startMs: 0, endMs: lengthMs + 1_000, lines: fitting })] });
}

/** Columns of a burnt caption's line: as many as fit, and not more than can be read at a glance. */
export function captionColumns(size: Size): number {
  return Math.min(CAPTION_COLUMNS, columnsOf(size.width * 0.9, captionFontSize(size)));
}

const captionFontSize = ({ width, height }: Size) =>
  Math.max(8, Math.round(Math.min(height * 0.085, width * 0.085)));

const columnsOf = (width: number, fontSize: number) =>
  Math.max(8, Math.floor(width / ((fontSize * GLYPH_SHARE) / 2)));

function script(size: Size, { style, events }: { style: string; events: readonly string[] }): string {
  return [
    '[Script Info]',
    'ScriptType: v4.00+',
    `PlayResX: ${size.width}`,
    `PlayResY: ${size.height}`,
    // Lines are cut here: libass breaks only at spaces, which Chinese does not have.
    'WrapStyle: 2',
    'ScaledBorderAndShadow: yes',
    '',
    '[V4+ Styles]',
    'Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding',
    `Style: ${style}`,
    '',
    '[Events]',
    'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text',
    ...events,
    '',
  ].join('\n');
}

function dialogue({ startMs, endMs, lines }: Cue): string {
  const text = lines
    .map(escapeAss)
    .filter((line) => widthOf(line) > 0)
    .join('\\N');
  return `Dialogue: 0,${clock(startMs)},${clock(endMs)},Text,,0,0,0,,${text}`;
}

/**
 * ASS reads overrides in braces and after a backslash, and has no escape that every reader knows: their full-width twins
 * take their place.
 */
export function withoutOverrides(text: string): string {
  return text.replaceAll('{', '｛').replaceAll('}', '｝').replaceAll('\\', '＼');
}

/** The font has no pictographs, which would be drawn as empty boxes. */
function escapeAss(line: string): string {
  return withoutOverrides(line)
    .replace(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|[\u200d\ufe0e\ufe0f\u20e3]/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
}

function clock(ms: number): string {
  const hundredths = Math.max(0, Math.round(ms / 10));
  const pad = (value: number) => String(value).padStart(2, '0');
  const seconds = Math.floor(hundredths / 100);
  return `${Math.floor(seconds / 3_600)}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}.${pad(hundredths % 100)}`;
}

const round = (value: number) => Math.round(value * 10) / 10;
