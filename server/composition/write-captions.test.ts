import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layOutCues, widthOf, wrapText } from './wrap-caption.ts';
import { captionColumns, writeCaptionScript, writeTitleScript } from './write-ass.ts';
import { writeCaptions } from './write-captions.ts';

const planOf = (lengthMs: number, startMs = 0) => ({
  totalMs: startMs + lengthMs,
  shots: [{ id: 'a', startMs, lengthMs }],
});
const shotOf = (caption: string) => [{ id: 'a', caption }];

describe('wrapText', () => {
  it('breaks between words and between Chinese characters', () => {
    expect(wrapText('The light has burned for a hundred years', 16)).toEqual([
      'The light has',
      'burned for a',
      'hundred years',
    ]);
    expect(wrapText('在灯塔守护者的故事里海浪拍打着岩石', 12)).toEqual([
      '在灯塔守护者',
      '的故事里海浪',
      '拍打着岩石',
    ]);
  });

  it('begins no line with a closing mark and ends none with an opening one', () => {
    expect(wrapText('他说今天天气，很好', 12)).toEqual(['他说今天天', '气，很好']);
    expect(wrapText('他说今天天“很好”', 12)).toEqual(['他说今天天', '“很好”']);
  });

  it('cuts a word that is longer than a line, never within a character', () => {
    expect(wrapText('a'.repeat(25), 10)).toEqual(['a'.repeat(10), 'a'.repeat(10), 'a'.repeat(5)]);
    const family = '👨‍👩‍👧';
    expect(wrapText(family.repeat(3), 4)).toEqual([family.repeat(2), family]);
  });

  it('keeps the author’s line breaks and drops control and direction characters', () => {
    expect(wrapText('one\r\n\r\ntwo \u202e three\u0007\u0000', 40)).toEqual(['one', 'two three']);
    expect(wrapText(' \n\u200b\n ', 40)).toEqual([]);
  });

  it('loses no visible character and keeps to the width', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.integer({ min: 4, max: 60 }),
        (text, columns) => {
          const lines = wrapText(text, columns);
          for (const line of lines) {
            // A closing mark may hang over the end: it must not begin a line.
            expect(widthOf(line)).toBeLessThanOrEqual(columns * 2);
            expect(line).toBe(line.trim());
            expect(line).not.toBe('');
          }
          const squeeze = (value: string) => value.replace(/\s/gu, '');
          expect(squeeze(lines.join(''))).toBe(squeeze(wrapText(text, 10_000).join('')));
        },
      ),
    );
  });
});

describe('cues', () => {
  it('show at most two lines at once and share the shot by their length', () => {
    const cues = layOutCues(planOf(8_000, 2_000), shotOf('字'.repeat(63)));
    expect(cues.map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
      [2_000, 7_333],
      [7_333, 10_000],
    ]);
    expect(cues.map(({ lines }) => lines.length)).toEqual([2, 1]);
  });

  it('show more lines rather than flicker in a short shot', () => {
    const cues = layOutCues(planOf(500), shotOf('字'.repeat(200)));
    expect(cues.length).toBe(1);
  });

  it('leave out shots without words', () => {
    expect(layOutCues(planOf(1_000), shotOf(' '))).toEqual([]);
  });
});

describe('writeCaptions', () => {
  it('writes SubRip', () => {
    expect(writeCaptions(planOf(2_500, 3_661_007), shotOf('你好\nWorld'), 'srt')).toBe(
      '1\n01:01:01,007 --> 01:01:03,507\n你好\nWorld\n',
    );
  });

  it('writes WebVTT', () => {
    expect(writeCaptions(planOf(1_000), shotOf('a < b & c'), 'vtt')).toBe(
      'WEBVTT\n\n1\n00:00:00.000 --> 00:00:01.000\na &lt; b &amp; c\n',
    );
    expect(writeCaptions(planOf(1_000), [], 'vtt')).toBe('WEBVTT\n');
  });

  it('lets no caption write a tag, a time or a cue of its own', () => {
    const hostile = 'a\n\n2\n00:00:00,000 --> 00:00:09,000\n<font color="red">x</font> {\\an8}\n\nNOTE x';
    const srt = writeCaptions(planOf(9_000), shotOf(hostile), 'srt');
    expect(srt.match(/-->/g)?.length).toBe(srt.split('\n\n').length);
    expect(srt).not.toMatch(/<\w|<\/|\{\\/);
    const vtt = writeCaptions(planOf(9_000), shotOf(hostile), 'vtt');
    expect(vtt.match(/-->/g)?.length).toBe(vtt.split('\n\n').length - 1);
    expect(vtt).not.toMatch(/<\w|<\//);
  });

  it('keeps every cue in one block, whatever the words are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 120 }), (caption) => {
        const srt = writeCaptions(planOf(4_000), shotOf(caption), 'srt');
        const blocks = srt.trim() === '' ? [] : srt.trimEnd().split('\n\n');
        blocks.forEach((block, index) => {
          const [number, times, ...lines] = block.split('\n');
          expect(number).toBe(`${index + 1}`);
          expect(times).toMatch(/^\d\d:\d\d:\d\d,\d{3} --> \d\d:\d\d:\d\d,\d{3}$/);
          expect(lines.length).toBeGreaterThan(0);
        });
      }),
    );
  });
});

describe('scripts for libass', () => {
  const size = { width: 1_280, height: 720 };
  const words = (script: string) =>
    script
      .split('\n')
      .filter((line) => line.startsWith('Dialogue:'))
      .map((line) => line.split(',').slice(9).join(','));

  it('hold no override and one line per cue, whatever the words are', () => {
    const nasty = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.constantFrom('{\\b1}', '\\N{\\p1}', "%{pts}'; drawtext=text=x", 'a\nDialogue: 0,x', '😀', '\\h'),
    );
    fc.assert(
      fc.property(nasty, (caption) => {
        const cues = layOutCues(planOf(3_000), shotOf(caption), 20);
        for (const script of [
          writeCaptionScript(cues, { size, startMs: 0 }),
          writeTitleScript(caption, { size, lengthMs: 1_000 }),
        ]) {
          const head = script.slice(0, script.indexOf('[Events]'));
          expect(head).not.toContain('Dialogue');
          for (const text of words(script)) expect(text.replaceAll('\\N', '')).not.toMatch(/[{}\\]/);
          expect(script.split('[Events]')[1]?.trim().split('\n').length).toBeLessThanOrEqual(
            1 + Math.max(1, cues.length),
          );
        }
      }),
    );
  });

  it('count times from the start of their shot', () => {
    const cues = layOutCues(planOf(2_000, 61_000), shotOf('x'));
    expect(writeCaptionScript(cues, { size, startMs: 61_000 })).toContain(
      'Dialogue: 0,0:00:00.00,0:00:02.00,',
    );
  });

  it('leave out pictographs, which the font lacks', () => {
    const cues = layOutCues(planOf(2_000), shotOf('狐狸 🦊👩🏽‍🚀 fox'));
    expect(words(writeCaptionScript(cues, { size, startMs: 0 }))).toEqual(['狐狸 fox']);
  });

  it('use shorter lines in an upright film', () => {
    expect(captionColumns({ width: 720, height: 1_280 })).toBeLessThan(captionColumns(size));
  });

  it('make a long title smaller until it fits', () => {
    const sizeOf = (title: string) =>
      Number(/Style: Text,[^,]*,(\d+)/.exec(writeTitleScript(title, { size, lengthMs: 1_000 }))?.[1]);
    expect(sizeOf('灯塔')).toBeGreaterThan(sizeOf('在灯塔守护者的故事里，海浪拍打着岩石，'.repeat(4)));
    expect(sizeOf('x'.repeat(5_000))).toBeGreaterThan(0);
  });
});
