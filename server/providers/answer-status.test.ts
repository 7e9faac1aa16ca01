import { describe, expect, it } from 'vitest';
import { readJobStatus } from './job-reading.ts';

describe('a status that speaks of the answer and not of a job', () => {
  it.each([
    { status: 'error', message: 'Too many requests' },
    { status: 'fail', message: 'query failed, try again', data: null },
    { status: 'timeout' },
    { success: false, status: 'failed', message: 'internal error' },
  ])('is no verdict: %j', (body) => {
    expect(readJobStatus(body)).toMatchObject({ present: false, meaning: undefined });
  });

  it.each([
    { id: 'job-1', status: 'error', message: 'The model broke.' },
    { status: 'failed', error: { message: 'The model broke.' } },
    { status: 'error', data: { task_id: 'job-1', status: 'error' } },
    { success: false, id: 'job-1', status: 'failed' },
  ])('but of a job it is: %j', (body) => {
    expect(readJobStatus(body)).toMatchObject({ present: true, meaning: 'failed' });
  });
});
