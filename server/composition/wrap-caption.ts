import type { FilmPlan, FilmShot } from './film.ts';

/** Lines that are shown together, from `startMs` to `endMs` of the film. */
export type Cue = { startMs: number; endMs: number; lines: string[] };

/** Columns of a caption line: a Latin letter takes one, a Chinese, Japanese or Korean character two. */
export const CAPTION_COLUMNS = 42;

const LINES_AT_ONCE = 2;

/** A cue is not worth reading for less. */
const SHORTEST_CUE_MS = 300;

/** What never begins a line, and what never ends one, in Chinese and Japanese typesetting. */
const NOT_FIRST = /^[、。，．,.!?！？：；:;…—～·)\]}）】》〉」』”’％%ー々]/u;
const NOT_LAST = /[([{（【《〈「『“‘]$/u;

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uff60\uffe0-\uffe6]/u;
const PICTOGRAPH = /\p{Extended_Pictographic}/u;

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/**
 * The captions of a film as cues. Each shot's caption is cut into lines, at most two of them at once; cues of one shot
 * share its time by their length.
 */
export function layOutCues(
  plan: FilmPlan,
  shots: readonly Pick<FilmShot, 'id' | 'caption'>[],
  columns = CAPTION_COLUMNS,
): Cue[] {
  const captions = new Map(shots.map(({ id, caption }) => [id, caption]));
  return plan.shots.flatMap(({ id, startMs, lengthMs }) =>
    cuesOf(wrapText(captions.get(id) ?? '', columns), startMs, startMs + lengthMs),
  );
}

function cuesOf(lines: readonly string[], startMs: number, endMs: number): Cue[] {
  const most = Math.max(1, Math.floor((endMs - startMs) / SHORTEST_CUE_MS));
  const perCue = Math.max(LINES_AT_ONCE, Math.ceil(lines.length / most));
  const groups: string[][] = [];
  for (let at = 0; at < lines.length; at += perCue) groups.push(lines.slice(at, at + perCue));
  const widths = groups.map((group) => group.reduce((sum, line) => sum + Math.max(1, widthOf(line)), 0));
  const total = widths.reduce((sum, width) => sum + width, 0);
  let shown = 0;
  return groups.map((group, index) => {
    const from = startMs + Math.round(((endMs - startMs) * shown) / total);
    shown += widths[index] ?? 0;
    return { startMs: from, endMs: startMs + Math.round(((endMs - startMs) * shown) / total), lines: group };
  });
}

/** Cuts text into lines of at most `columns`. Its own line breaks are kept, control characters are not. */
export function wrapText(text: string, columns: number): string[] {
  return cleanCaption(text)
    .split('\n')
    .flatMap((paragraph) => wrapParagraph(paragraph, columns));
}

/** Text without control and direction-changing characters, with single spaces and without empty lines. */
function cleanCaption(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\r\n?|[\u0085\u2028\u2029\v\f]/g, '\n')
    .replace(/[^\S\n]/gu, ' ')
    .replace(/(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '')
    .replace(/ +/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim();
}

export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += cellsOf(segment);
  return width;
}

const cellsOf = (grapheme: string) => (WIDE.test(grapheme) || PICTOGRAPH.test(grapheme) ? 2 : 1);

function wrapParagraph(paragraph: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  let width = 0;
  for (const piece of piecesOf(paragraph, columns)) {
    const pieceWidth = widthOf(piece.trimEnd());
    if (line !== '' && width + pieceWidth > columns) {
      lines.push(line.trimEnd());
      line = '';
      width = 0;
    }
    line += piece;
    width += widthOf(piece);
  }
  if (line.trim() !== '') lines.push(line.trimEnd());
  return lines;
}

/** The parts of a text between which a line may end. A word longer than a line is cut. */
function piecesOf(paragraph: string, columns: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let width = 0;
  let before = '';
  for (const { segment } of graphemes.segment(paragraph)) {
    const cells = cellsOf(segment);
    const breaks = before !== '' && (mayBreak(before, segment) || width + cells > columns);
    if (breaks) {
      pieces.push(piece);
      piece = '';
      width = 0;
    }
    piece += segment;
    width += cells;
    before = segment;
  }
  if (piece !== '') pieces.push(piece);
  return pieces;
}

function mayBreak(before: string, after: string): boolean {
  if (after === ' ' || NOT_FIRST.test(after) || NOT_LAST.test(before)) return false;
  return before === ' ' || WIDE.test(before) || WIDE.test(after) || PICTOGRAPH.test(after);
}
