import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Answer, createMockUpstream } from '#server/testing/msw/upstream.ts';
import { fuzzedJson, fuzzedStatus } from '../testing/fuzzed-json.ts';

const ORIGIN = 'https://gateway.example';
const upstream = createMockUpstream({ protocol: 'newapi', baseUrl: `${ORIGIN}/v1` });

const json = fuzzedJson(
  ['description', 'imageUrl', 'imageUrls', 'audio_url', 'result_url', 'request_id', 'clips', 'error_message'],
  ['SUCCESS', 'FAILURE', 'IN_PROGRESS', 'NOT_START', 'complete', 'streaming', 'do_request_failed'],
);

const CREATES = {
  video: '/v1/video/generations',
  suno: '/suno/submit/music',
  midjourney: '/mj/submit/imagine',
};
const POLLS = {
  video: '/v1/video/generations/job_1',
  suno: '/suno/fetch/job_1',
  midjourney: '/mj/task/job_1/fetch',
};
const ENDPOINTS = ['video', 'suno', 'midjourney'] as const;

const NO_IDS = ['null', 'undefined', '[object Object]', ''];

/** One scripted answer whose content changes from run to run. */
function changing(method: 'get' | 'post', path: string): (answer: Answer) => void {
  let current: Answer = {};
  upstream.reply(
    method,
    `${ORIGIN}${path}`,
    new Proxy({} as Answer, { get: (_target, key) => current[key as keyof Answer] }),
  );
  return (answer) => {
    current = answer;
  };
}

describe('whatever JSON a gateway sends', () => {
  it.each(ENDPOINTS)('a create of %s never throws and is never taken for our own fault', async (endpoint) => {
    const answer = changing('post', CREATES[endpoint]);
    await fc.assert(
      fc.asyncProperty(json, fuzzedStatus, async (body, status) => {
        answer({ status, json: body });
        const outcome = await upstream.create({ endpoint });
        expect(['accepted', 'rejected', 'rate_limited', 'uncertain']).toContain(outcome.type);
        if (outcome.type === 'accepted') expect(NO_IDS).not.toContain(outcome.upstreamId);
        expect(upstream.logs).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it.each(ENDPOINTS)('a poll of %s never throws, and delivers absolute addresses only', async (endpoint) => {
    const answer = changing('get', POLLS[endpoint]);
    await fc.assert(
      fc.asyncProperty(json, fuzzedStatus, async (body, status) => {
        answer({ status, json: body });
        const outcome = await upstream.poll(endpoint);
        expect(['pending', 'succeeded', 'failed', 'cancelled', 'transient', 'missing']).toContain(
          outcome.type,
        );
        for (const artefact of outcome.type === 'succeeded' ? outcome.artefacts : [])
          expect(artefact).toMatchObject({ type: 'url', url: expect.stringMatching(/^https?:\/\//) });
        expect(upstream.logs).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('a look-up finds nothing but our own reference', async () => {
    const answer = changing('post', '/mj/task/list-by-condition');
    await fc.assert(
      fc.asyncProperty(fc.array(json), async (body) => {
        answer({ json: body });
        expect(await upstream.lookup({ endpoint: 'midjourney' })).toEqual({ type: 'cannot_tell' });
        expect(upstream.logs).toEqual([]);
      }),
    );
  });

  it('a delivery is a hint or refused', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          json.map((value) => JSON.stringify(value) ?? ''),
          fc.string(),
        ),
        async (text) => {
          const reading = await upstream.readWebhook({ rawBody: Buffer.from(text) });
          expect(['hint', 'refused']).toContain(reading.type);
          if (reading.type === 'hint') expect(reading.verified).toBe(false);
          expect(upstream.logs).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  });
});
