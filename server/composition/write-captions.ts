import type { FilmPlan, FilmShot } from './film.ts';
import { layOutCues } from './wrap-caption.ts';

/**
 * The captions as a file for players: SubRip or WebVTT. Needs no ffmpeg. Long captions become several cues of at most
 * two lines; whatever a caption says, it is shown as text and never read as a tag or as a time.
 */
export function writeCaptions(
  plan: FilmPlan,
  shots: readonly Pick<FilmShot, 'id' | 'caption'>[],
  format: 'srt' | 'vtt',
): string {
  const [point, escapeLine] = format === 'srt' ? [',', escapeSrt] : ['.', escapeVtt];
  const cues = layOutCues(plan, shots).map(({ startMs, endMs, lines }, index) =>
    [`${index + 1}`, `${clock(startMs, point)} --> ${clock(endMs, point)}`, ...lines.map(escapeLine)].join(
      '\n',
    ),
  );
  const head = format === 'vtt' ? ['WEBVTT'] : [];
  return `${[...head, ...cues].join('\n\n')}\n`;
}

/** SubRip knows no escapes, so what would begin a tag is written with its full-width twin. */
function escapeSrt(line: string): string {
  return line
    .replaceAll('-->', '→')
    .replace(/<(?=[\p{L}/!])/gu, '＜')
    .replace(/\{(?=[\\\p{L}])/gu, '｛');
}

function escapeVtt(line: string): string {
  return line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function clock(ms: number, point: string): string {
  const pad = (value: number, digits = 2) => String(Math.floor(value)).padStart(digits, '0');
  return `${pad(ms / 3_600_000)}:${pad((ms / 60_000) % 60)}:${pad((ms / 1_000) % 60)}${point}${pad(ms % 1_000, 3)}`;
}
