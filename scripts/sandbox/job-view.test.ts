import { describe, expect, test } from 'vitest';
import { truthOf } from './job-view.ts';
import { type BehaviourInput, behaviour } from './rules.ts';
import type { Job } from './state.ts';

function jobWith(...inputs: BehaviourInput[]): Job {
  return {
    id: 'video_1',
    numericId: false,
    row: 1,
    format: 'openai',
    kind: 'video',
    endpoint: 'videos',
    clientRef: null,
    apiKey: 'key',
    prompt: 'a fox',
    text: 'a fox',
    model: 'sora-2',
    request: {},
    background: true,
    createdAt: 1_000,
    durationMs: 1_000,
    behaviours: inputs.map((input) => ({
      behaviour: behaviour.parse(input),
      left: Number.POSITIVE_INFINITY,
      ruleId: null,
      refusalKey: '',
    })),
    released: false,
    cancelledAt: null,
    polls: 0,
    contentReads: 0,
    staleUpTo: null,
    webhook: null,
    artefacts: [],
    mediaReady: true,
    mediaError: null,
    waiters: new Set(),
  };
}
const at = (job: Job, ...times: number[]) =>
  times.map((time) => `${truthOf(job, time).status} ${truthOf(job, time).progress}`);

describe('where a job stands', () => {
  test('by the clock', () => {
    expect(at(jobWith(), 1_000, 1_050, 1_250, 1_999, 2_000)).toEqual([
      'queued 0',
      'queued 0',
      'in_progress 25',
      'in_progress 99',
      'completed 100',
    ]);
  });

  test('never done before its media are made', () => {
    expect(at({ ...jobWith(), mediaReady: false }, 5_000)).toEqual(['in_progress 99']);
    expect(truthOf({ ...jobWith(), mediaReady: false, mediaError: 'no ffmpeg' }, 5_000)).toMatchObject({
      status: 'failed',
      error: { message: 'no ffmpeg' },
    });
  });

  test('stuck at its progress until released', () => {
    const job = jobWith({ type: 'stuck', progress: 85 });
    expect(at(job, 1_500, 3_000, 9_000_000)).toEqual(['in_progress 50', 'in_progress 85', 'in_progress 85']);
    expect(at({ ...job, released: true }, 3_000)).toEqual(['completed 100']);
  });

  test('a late success by time', () => {
    expect(at(jobWith({ type: 'late_success', afterMs: 500 }), 1_500, 2_000, 2_499, 2_500)).toEqual([
      'in_progress 50',
      'failed 99',
      'failed 99',
      'completed 100',
    ]);
    expect(at(jobWith({ type: 'late_success' }), 2_000, 9_000_000)).toEqual(['failed 99', 'failed 99']);
  });

  test('a release ends the delay, a cancel ends the job', () => {
    expect(at({ ...jobWith(), released: true }, 1_001)).toEqual(['completed 100']);
    expect(at({ ...jobWith(), cancelledAt: 1_500 }, 9_000)).toEqual(['cancelled 0']);
  });

  test('verdicts come at the end', () => {
    expect(at(jobWith({ type: 'fail' }), 1_500, 2_000)).toEqual(['in_progress 50', 'failed 99']);
    expect(at(jobWith({ type: 'moderate' }), 1_500, 2_000)).toEqual(['in_progress 50', 'failed 99']);
  });
});
