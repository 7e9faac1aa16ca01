import { describe, expect, it } from 'vitest';
import { checkDialogue, findDialogue } from './dialogue.ts';

describe('findDialogue', () => {
  it.each([
    ['a name and a colon', 'MARA: Wait for me!\nJonas: Never again.', ['Wait for me!', 'Never again.']],
    ['a stage direction in between', 'Mara (softly): (turning) Come back.', ['Come back.']],
    ['quotes in prose', 'She said “Come home” and he said "Not yet".', ['Come home', 'Not yet']],
    ['full-width colons', '小明：我们走吧。', ['我们走吧。']],
    ['corner brackets', '他说「等等我」。', ['等等我']],
    ['a line that is one quotation', 'Mara: “I know.”', ['I know.']],
    [
      'a name alone, as in a screenplay',
      'MARA\n(whispers)\nThe ship is here.\n\nShe runs.',
      ['The ship is here.'],
    ],
  ])('finds %s', (_what, script, lines) => {
    expect(findDialogue(script)).toEqual(lines);
  });

  it.each([
    'INT. HARBOUR - NIGHT',
    'Title: The last ship',
    'Scene 2: the harbour',
    '场景：海边',
    'Mara walks along the pier.',
    'https://example.com/a',
  ])('takes "%s" for no dialogue', (line) => {
    expect(findDialogue(line)).toEqual([]);
  });
});

describe('checkDialogue', () => {
  const script = 'Mara: Wait for me, please!\nJonas: Never again.\n他说「等等我」。';
  const shot = (narration: string, speakerId = '') => ({ narration, speakerId });

  it('accepts lines that are there word for word, also split over shots', () => {
    const shots = [
      shot('Wait for me,', 'mara'),
      shot('please!', 'mara'),
      shot('Never  again.'),
      shot('等等我'),
    ];
    expect(checkDialogue(script, shots)).toEqual({ lost: [], altered: [] });
  });

  it('tells of a line that is missing or was changed', () => {
    const shots = [shot('Wait for me!', 'mara'), shot('Never again.'), shot('等等我')];
    expect(checkDialogue(script, shots)).toEqual({
      lost: ['Wait for me, please!'],
      altered: ['Wait for me!'],
    });
  });

  it("lets the narrator add words of the film's own", () => {
    const shots = [shot('Night fell.'), shot('Wait for me, please! Never again.'), shot('等等我')];
    expect(checkDialogue(script, shots)).toEqual({ lost: [], altered: [] });
  });
});
