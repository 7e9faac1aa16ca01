import { rm, writeFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { runFfmpeg } from './ffmpeg.ts';
import { createSeededRandom } from './seeded-random.ts';

export const SOUND_FORMATS = ['mp3', 'wav', 'opus', 'aac', 'flac', 'pcm'] as const;
type SoundFormat = (typeof SOUND_FORMATS)[number];

export type SoundInput = { text: string; voice: string; speed: number; format: SoundFormat };

/** Samples per second, 16 bit, one channel: what OpenAI's `pcm` is. */
const SAMPLE_RATE = 24_000;
const TABLE_SIZE = 2_048;

/** Strength of the harmonics for five vowels; enough to sound like a voice that hums words. */
const VOWELS: Record<string, readonly number[]> = {
  a: [1, 0.7, 0.5, 0.55, 0.3, 0.12, 0.08],
  e: [1, 0.5, 0.28, 0.2, 0.3, 0.26, 0.1],
  i: [1, 0.25, 0.1, 0.08, 0.12, 0.2, 0.18],
  o: [1, 0.8, 0.4, 0.16, 0.06, 0.04, 0.02],
  u: [1, 0.55, 0.16, 0.06, 0.03, 0.02, 0.01],
};

function waveTables(): Record<string, Float32Array> {
  return Object.fromEntries(
    Object.entries(VOWELS).map(([vowel, harmonics]) => {
      const total = harmonics.reduce((sum, value) => sum + value, 0);
      const table = new Float32Array(TABLE_SIZE);
      for (let index = 0; index < TABLE_SIZE; index += 1) {
        const angle = (2 * Math.PI * index) / TABLE_SIZE;
        table[index] =
          harmonics.reduce((sum, size, order) => sum + Math.sin(angle * (order + 1)) * size, 0) / total;
      }
      return [vowel, table];
    }),
  );
}

type Syllable = { vowel: string; seconds: number; pauseSeconds: number; pitch: number };

/** Words to syllables, about 15 characters a second at speed 1; stops at commas and full stops are longer. */
function planSyllables(input: SoundInput): Syllable[] {
  const random = createSeededRandom(`sound\n${input.voice}`);
  const basePitch = random.between(110, 215);
  const words = input.text.toLowerCase().split(/\s+/).filter(Boolean);
  return words.flatMap((word, wordIndex) => {
    // Scripts without Latin vowels: one syllable for about every two characters.
    const vowels = word.match(/[aeiou]+/g) ?? word.match(/.{1,2}/gsu) ?? ['a'];
    const wordRandom = createSeededRandom(`${word}${wordIndex % 7}`);
    return vowels.map((cluster, index) => {
      const last = index === vowels.length - 1;
      const stop = /[.!?。!?]$/u.test(word) ? 0.34 : /[,;:,、]$/u.test(word) ? 0.2 : 0.05;
      return {
        vowel: cluster[0] && cluster[0] in VOWELS ? cluster[0] : wordRandom.pick(Object.keys(VOWELS)),
        seconds: wordRandom.between(0.11, 0.18) / input.speed,
        pauseSeconds: (last ? stop : 0.015) / input.speed,
        pitch: basePitch * wordRandom.between(0.88, 1.16) * (last && stop > 0.3 ? 0.85 : 1),
      };
    });
  });
}

function wavHeader(dataBytes: number): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + dataBytes, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLE_RATE, 24);
  header.writeUInt32LE(SAMPLE_RATE * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(dataBytes, 40);
  return header;
}

/** Speech-like sound as 16 bit samples. Gives the event loop a turn every few syllables. */
async function synthesise(input: SoundInput): Promise<Buffer> {
  const tables = waveTables();
  const syllables = planSyllables(input);
  const lead = Math.round(SAMPLE_RATE * 0.12);
  const lengths = syllables.map((item) => Math.round((item.seconds + item.pauseSeconds) * SAMPLE_RATE));
  const samples = Buffer.alloc((lead * 2 + lengths.reduce((sum, length) => sum + length, 0)) * 2);
  let offset = lead;
  let phase = 0;
  for (const [index, syllable] of syllables.entries()) {
    const table = tables[syllable.vowel] ?? new Float32Array(TABLE_SIZE);
    const voiced = Math.round(syllable.seconds * SAMPLE_RATE);
    for (let sample = 0; sample < voiced; sample += 1) {
      const part = sample / voiced;
      const envelope = Math.min(1, part * 9, (1 - part) * 4.5);
      const glide = syllable.pitch * (1.04 - 0.08 * part);
      phase = (phase + (glide * TABLE_SIZE) / SAMPLE_RATE) % TABLE_SIZE;
      const value = (table[Math.floor(phase)] ?? 0) * envelope * 0.5;
      samples.writeInt16LE(Math.round(value * 32_767), (offset + sample) * 2);
    }
    offset += lengths[index] ?? 0;
    if (index % 24 === 23) await nextTurn();
  }
  return samples;
}

const ENCODERS: Record<Exclude<SoundFormat, 'wav' | 'pcm'>, readonly string[]> = {
  mp3: ['-c:a', 'libmp3lame', '-b:a', '64k', '-f', 'mp3'],
  opus: ['-c:a', 'libopus', '-b:a', '48k', '-f', 'ogg'],
  aac: ['-c:a', 'aac', '-b:a', '64k', '-f', 'adts'],
  flac: ['-c:a', 'flac', '-f', 'flac'],
};

/** Media type of each format, as OpenAI answers it. */
export const SOUND_TYPES: Record<SoundFormat, string> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  pcm: 'audio/pcm',
};

/** Writes the sound of a text to `target`. The same input gives the same bytes. */
export async function renderSound(input: SoundInput, target: string): Promise<void> {
  const samples = await synthesise(input);
  if (input.format === 'pcm') return writeFile(target, samples);
  const wave = Buffer.concat([wavHeader(samples.length), samples]);
  if (input.format === 'wav') return writeFile(target, wave);
  const source = `${target}.wav`;
  try {
    await writeFile(source, wave);
    await runFfmpeg([
      ...['-i', source, ...ENCODERS[input.format]],
      ...['-fflags', '+bitexact', '-flags:a', '+bitexact', '-map_metadata', '-1', target],
    ]);
  } finally {
    await rm(source, { force: true });
  }
}
