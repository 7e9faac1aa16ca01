import { describe, expect, it } from 'vitest';
import type { CustomSettingsInput } from '../schemas.ts';
import { DIRECT, STUDIO } from '../testing/descriptions.ts';
import { dryRun } from './dry-run.ts';
import { dryRunInput } from './schemas.ts';

const json = (body: unknown, status = 200) => ({ status, body: JSON.stringify(body) });
const run = (settings: CustomSettingsInput, rest: object = {}) =>
  dryRun(dryRunInput.parse({ settings, baseUrl: 'https://studio.example/api/', ...rest }));

describe('the requests', () => {
  it('are shown as they would be sent, with the key masked', async () => {
    const { create, poll, problem } = await run(STUDIO, {
      sample: { kind: 'video', model: 'oil', prompt: 'a "cat"', params: { seconds: '5' } },
    });
    expect(problem).toBeNull();
    expect(create.reading).toBeNull();
    expect(create.request).toMatchObject({ method: 'POST', url: 'https://studio.example/api/renders' });
    expect(create.request?.headers).toContainEqual({ name: 'x-studio-key', value: '********' });
    expect(create.request?.headers).toContainEqual({ name: 'content-type', value: 'application/json' });
    expect(JSON.parse(create.request?.body ?? '')).toMatchObject({
      input: {
        text: 'a "cat"',
        model: 'oil',
        seconds: 5,
        images: [expect.stringMatching(/^data:image\/png;base64,/), expect.stringMatching(/^data:/)],
      },
      callback: expect.stringMatching(/^https:.*ref=/),
    });
    expect(poll?.reading).toBeNull();
    expect(poll?.requests).toMatchObject([
      { method: 'GET', url: 'https://studio.example/api/renders/sample-job-id', body: null },
    ]);
  });

  it('show a key in the address masked too, and the parts of a form', async () => {
    const { create } = await run({
      ...DIRECT,
      auth: { style: 'query', name: 'key' },
      create: {
        path: '/x',
        body: 'form',
        media: 'file',
        template: '{"p":"{{prompt}}","i":"{{references}}"}',
      },
    });
    expect(create.request?.url).toBe('https://studio.example/api/x?key=********');
    expect(create.request?.body).toBe('p: A lighthouse at dusk\ni: (file sample-1.png)');
  });

  it('say why they cannot be made', async () => {
    const { create, problem } = await run(STUDIO, { sample: { params: { seconds: 'long' } } });
    expect(create).toEqual({ request: null, reading: null });
    expect(problem).toMatch(/"params.seconds" must be a number/);
  });
});

describe('what would be read', () => {
  it('of a job that is taken, under way, and finished', async () => {
    const created = json({ ticket: { no: 'r-7' } });
    const painting = await run(STUDIO, {
      created,
      polled: json({ render: { phase: 'painting', percent: 40 } }),
    });
    expect(painting.create.reading).toMatchObject({ tone: 'good', outcome: 'accepted' });
    expect(painting.create.reading?.facts).toContainEqual({ name: 'jobId', value: 'r-7' });
    expect(painting.poll?.requests[0]?.url).toBe('https://studio.example/api/renders/r-7');
    expect(painting.poll?.reading).toMatchObject({ tone: 'good', outcome: 'pending' });
    expect(painting.poll?.reading?.facts).toEqual([
      { name: 'httpStatus', value: '200' },
      { name: 'status', value: 'painting = running' },
      { name: 'progress', value: '40 %' },
    ]);

    const files = [{ href: 'https://cdn.example/1.png' }, { href: 'https://cdn.example/2.png' }];
    const ready = await run(STUDIO, { created, polled: json({ render: { phase: 'ready', files } }) });
    expect(ready.poll?.reading).toMatchObject({
      outcome: 'succeeded',
      sentence: 'Finished. Results: 2.',
    });
    expect(ready.poll?.reading?.facts).toEqual([
      { name: 'httpStatus', value: '200' },
      { name: 'status', value: 'ready = succeeded' },
      { name: 'result', value: 'https://cdn.example/1.png' },
      { name: 'result', value: 'https://cdn.example/2.png' },
    ]);
  });

  it('of a failure and of an unknown word', async () => {
    const problem = { text: 'The brush broke.', kind: 'brush' };
    const broken = await run(STUDIO, { polled: json({ render: { phase: 'broken', problem } }) });
    expect(broken.poll?.reading).toMatchObject({ tone: 'bad', outcome: 'failed' });
    expect(broken.poll?.reading?.facts).toEqual(
      expect.arrayContaining([
        { name: 'errorCode', value: 'brush' },
        { name: 'error', value: 'The brush broke.' },
      ]),
    );
    const odd = await run(STUDIO, { polled: json({ render: { phase: 'varnishing' } }) });
    expect(odd.poll?.reading).toMatchObject({
      tone: 'unsure',
      sentence: expect.stringMatching(/"varnishing" is no known status word/),
    });
    expect(odd.poll?.reading?.facts).toContainEqual({
      name: 'status',
      value: 'varnishing',
      note: 'unknown',
    });
  });

  it.each<[string, object, string, RegExp]>([
    ['no id', json({}), 'uncertain', /No job id was found at ticket.no/],
    ['a page', { status: 200, body: '<html>' }, 'uncertain', /no JSON object/],
    ['a fault', json({}, 502), 'uncertain', /neither takes nor refuses/],
    ['a refusal', json({ verdict: 'refused', problem: { text: 'x' } }), 'rejected', /Nothing was started/],
    ['a refused key', json({ problem: { text: 'x' } }, 401), 'rejected', /for this account/],
    ['a rate limit', json({}, 429), 'rate_limited', /rests/],
  ])('of a create with %s', async (_name, created, outcome, sentence) => {
    const { create } = await run(STUDIO, { created });
    expect(create.reading).toMatchObject({ outcome, sentence: expect.stringMatching(sentence) });
    expect(create.reading?.facts).toContainEqual({ name: 'jobId', value: '', note: 'none' });
  });

  it('of a poll that gives nothing to read', async () => {
    const missing = await run(STUDIO, { polled: json({}, 404) });
    expect(missing.poll?.reading).toMatchObject({ outcome: 'missing', tone: 'unsure' });
    const page = await run(STUDIO, { polled: { status: 200, body: '<html>' } });
    expect(page.poll?.reading).toMatchObject({ outcome: 'transient' });
    const empty = await run(STUDIO, { polled: json({ render: { phase: 'ready' } }) });
    expect(empty.poll?.reading?.sentence).toMatch(/no result was found/);
  });

  it('of a second address', async () => {
    const settings: CustomSettingsInput = { ...STUDIO, result: { path: '/renders/{id}/result' } };
    const polled = json({ render: { phase: 'ready' } });
    const result = json({ render: { files: [{ href: 'https://cdn.example/1.png' }] } });
    const { poll } = await run(settings, { polled, result });
    expect(poll?.requests.map(({ url }) => url)).toEqual([
      'https://studio.example/api/renders/sample-job-id',
      'https://studio.example/api/renders/sample-job-id/result',
    ]);
    expect(poll?.reading?.facts).toContainEqual({ name: 'result', value: 'https://cdn.example/1.png' });
    const without = await run(settings, { polled });
    expect(without.poll?.reading?.sentence).toMatch(/no sample answer/);
  });

  it('of an answer that is the result', async () => {
    const { create, poll } = await run(DIRECT, { created: json({ pictures: [{ data: 'AAAA' }] }) });
    expect(poll).toBeNull();
    expect(create.reading).toMatchObject({ outcome: 'done', sentence: 'Finished at once. Results: 1.' });
    expect(create.reading?.facts).toContainEqual({ name: 'result', value: '', note: 'insideAnswer' });
  });
});
