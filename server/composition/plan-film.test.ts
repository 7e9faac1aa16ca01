import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FilmShot } from './film.ts';
import { framesBetween, planFilm, titleCardMs } from './plan-film.ts';

const shot = (id: string, seconds: number): FilmShot => ({
  id,
  seconds,
  visual: { type: 'clip', path: '/x', mime: 'video/mp4' },
  voice: null,
  caption: '',
});

const order = (shots: FilmShot[], title = '', titleCardSeconds = 0) => ({ title, titleCardSeconds, shots });

describe('planFilm', () => {
  it('puts shots after each other, behind the title card', () => {
    expect(planFilm(order([shot('a', 2), shot('b', 1.5)], 'Title', 3), new Map())).toEqual({
      totalMs: 6_500,
      shots: [
        { id: 'a', startMs: 3_000, lengthMs: 2_000 },
        { id: 'b', startMs: 5_000, lengthMs: 1_500 },
      ],
    });
  });

  it('gives a voice that is longer than its shot the time it needs, and a breath', () => {
    const measured = new Map([
      ['a', { voiceMs: 2_345.6 }],
      ['b', { voiceMs: 500 }],
      ['c', { voiceMs: null }],
    ]);
    const plan = planFilm(order([shot('a', 2), shot('b', 2), shot('c', 2)]), measured);
    expect(plan.shots.map(({ lengthMs }) => lengthMs)).toEqual([2_746, 2_000, 2_000]);
  });

  it('shows no card without a title', () => {
    expect(titleCardMs({ title: '  ', titleCardSeconds: 3 })).toBe(0);
    expect(planFilm(order([shot('a', 1)], '', 3), new Map()).totalMs).toBe(1_000);
  });

  it('leaves no gap, and its frames add up to its length', () => {
    const lengths = fc.array(fc.double({ min: 0.1, max: 60, noNaN: true }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(lengths, fc.integer({ min: 10, max: 60 }), (seconds, fps) => {
        const plan = planFilm(order(seconds.map((value, index) => shot(`${index}`, value))), new Map());
        let at = 0;
        let frames = 0;
        for (const { startMs, lengthMs } of plan.shots) {
          expect(startMs).toBe(at);
          at += lengthMs;
          frames += framesBetween(startMs, at, fps);
        }
        expect(plan.totalMs).toBe(at);
        expect(Math.abs((frames * 1_000) / fps - plan.totalMs)).toBeLessThanOrEqual(1_000 / fps);
      }),
    );
  });
});
