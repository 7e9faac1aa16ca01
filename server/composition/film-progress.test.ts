import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFilmProgress } from './film-progress.ts';
import { createProgressReader } from './read-progress.ts';

const PRINTED = [
  'frame=12\nfps=0.0\nout_time_ms=480000\nout_time=00:00:00.480000\nprogress=continue\n',
  'frame=1500\nout_time=01:01:00.500000\nspeed=2x\nprogress=end\n',
].join('');

describe('what ffmpeg prints about its progress', () => {
  it('is read whatever the chunks are', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: PRINTED.length })), (cuts) => {
        const seen: unknown[] = [];
        const reader = createProgressReader((progress) => seen.push(progress));
        const edges = [0, ...cuts.toSorted((one, two) => one - two), PRINTED.length];
        edges.slice(1).forEach((edge, index) => {
          reader.push(Buffer.from(PRINTED.slice(edges[index], edge)));
        });
        expect(seen).toEqual([
          { frames: 12, seconds: 0.48 },
          { frames: 1_500, seconds: 3_660.5 },
        ]);
        expect(reader.last()).toEqual({ frames: 1_500, seconds: 3_660.5 });
      }),
    );
  });

  it('may say that nothing is known yet', () => {
    const reader = createProgressReader();
    reader.push(Buffer.from('frame=N/A\nout_time=N/A\nprogress=continue\n'));
    expect(reader.last()).toEqual({ frames: 0, seconds: 0 });
  });
});

describe('the progress of a film', () => {
  it('never falls, never passes 99 before the end, and ends at 100', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(50), fc.double({ noNaN: true }))), (parts) => {
        const percents: number[] = [];
        const progress = createFilmProgress((percent) => percents.push(percent));
        progress.expect(40);
        for (const [weight, share] of parts) {
          const part = progress.part(weight);
          part.at(share);
          part.end();
        }
        const before = [...percents];
        progress.finish();
        expect(before.every((percent) => percent >= 0 && percent <= 99)).toBe(true);
        expect(percents).toEqual([...new Set(percents)].toSorted((one, two) => one - two));
        expect(percents[0]).toBe(0);
        expect(percents.at(-1)).toBe(100);
      }),
    );
  });
});
