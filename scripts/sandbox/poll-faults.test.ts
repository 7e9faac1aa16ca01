import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BehaviourInput } from './rules.ts';
import { eventually, startTestSandbox, type TestSandbox } from './test-client.ts';

/** Misbehaviour of polls and contents. */

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.control.reset());

async function videoWith(...behaviours: BehaviourInput[]): Promise<string> {
  await sandbox.control.addRules({ match: { any: true }, behaviours });
  return sandbox.videoId({}, 'ref');
}
const poll = (id: string) => sandbox.call('GET', `/v1/videos/${id}`);
const pollJson = async (id: string) => (await (await poll(id)).json()) as Record<string, unknown>;
const content = (id: string) => sandbox.call('GET', `/v1/videos/${id}/content`);
/** Until the media are made, by the control's view: polls of the sandbox would use faults up. */
const made = (id: string) =>
  eventually(async () => (await sandbox.control.jobs()).find((job) => job.id === id)?.status).toBe(
    'completed',
  );

describe('faults of one poll', () => {
  test('come in their order, as often as told, then the truth', async () => {
    const id = await videoWith(
      { type: 'not_found', times: 2 },
      { type: 'rate_limit', on: 'poll', retryAfterSeconds: 7 },
      { type: 'server_error' },
      { type: 'unauthorized' },
      { type: 'html' },
      { type: 'empty_poll' },
    );
    const answers: [number, string | null][] = [];
    for (let index = 0; index < 8; index += 1) {
      const response = await poll(id);
      answers.push([response.status, response.headers.get('content-type')]);
      if (response.status === 429) expect(response.headers.get('retry-after')).toBe('7');
    }
    const json = 'application/json';
    expect(answers).toEqual([
      [404, json],
      [404, json],
      [429, json],
      [503, json],
      [401, json],
      [200, 'text/html; charset=utf-8'],
      [200, json],
      [200, json],
    ]);
    expect(
      (await sandbox.control.requests({ clientRef: 'ref', call: 'poll' })).map((entry) => entry.fault),
    ).toEqual([
      ...['not_found', 'not_found', 'rate_limit', 'server_error', 'unauthorized', 'html', 'empty_poll'],
      null,
    ]);
  });

  test('reset', async () => {
    const id = await videoWith({ type: 'reset' });
    expect(await poll(id).catch((error: Error) => error.cause)).toMatchObject({ code: 'ECONNRESET' });
    expect((await poll(id)).status).toBe(200);
  });

  test('truncated', async () => {
    const id = await videoWith({ type: 'truncated' });
    const half = await (await poll(id)).text();
    expect(() => JSON.parse(half)).toThrow();
    expect(await pollJson(id)).toMatchObject({ id });
  });

  test('hang and slow_reply on a poll end with a release', async () => {
    const id = await videoWith({ type: 'hang', on: 'poll' }, { type: 'slow_reply', on: 'poll', ms: 60_000 });
    const answer = poll(id);
    await sandbox.control.waitForRequests({ jobId: id, call: 'poll' });
    await sandbox.control.release({ jobId: id });
    expect((await answer).status).toBe(200);
  });

  test('raw on a poll', async () => {
    const id = await videoWith({
      type: 'raw',
      on: 'poll',
      status: 520,
      contentType: 'text/plain',
      body: 'odd',
      times: 1,
    });
    expect((await poll(id)).status).toBe(520);
    expect((await poll(id)).status).toBe(200);
  });
});

describe('what a poll says', () => {
  test.each(['post_processing', '', null, 7])('unknown_status %j, then the truth', async (status) => {
    const id = await videoWith({ type: 'unknown_status', status, times: 2 });
    await made(id);
    expect([(await pollJson(id)).status, (await pollJson(id)).status, (await pollJson(id)).status]).toEqual([
      status,
      status,
      'completed',
    ]);
  });

  test('status_word spells the end differently', async () => {
    const id = await videoWith({ type: 'status_word', status: 'SUCCESS ' });
    await made(id);
    expect(await pollJson(id)).toMatchObject({ status: 'SUCCESS ' });
  });

  test('fail with a code, and bare', async () => {
    const failed = await sandbox.videoId({ prompt: 'a fox [[fail:out_of_memory]]' });
    expect(await pollJson(failed)).toMatchObject({
      status: 'failed',
      error: { code: 'out_of_memory', message: 'The generation failed.' },
    });
    expect((await content(failed)).status).toBe(400);
    const bare = await sandbox.videoId({ prompt: '[[fail:bare=true]]' });
    expect(await pollJson(bare)).toMatchObject({ status: 'failed', error: null });
  });

  test('moderate ends a video late', async () => {
    const id = await videoWith({ type: 'moderate' }, { type: 'delay', ms: 100_000 });
    expect(await pollJson(id)).toMatchObject({ status: 'queued' });
    await sandbox.control.release({ jobId: id });
    expect(await pollJson(id)).toMatchObject({ status: 'failed', error: { code: 'moderation_blocked' } });
  });

  test('stuck until released', async () => {
    const id = await videoWith({ type: 'stuck' });
    expect(await pollJson(id)).toMatchObject({ status: 'in_progress', progress: 99 });
    await sandbox.control.release({ jobId: id });
    await sandbox.waitForVideo(id, 'completed');
  });

  test('late_success: failed, then completed when told', async () => {
    const id = await videoWith({ type: 'late_success' });
    expect(await pollJson(id)).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
    expect((await content(id)).status).toBe(400);
    await sandbox.control.release({ clientRef: 'ref' });
    await sandbox.waitForVideo(id, 'completed');
    expect((await content(id)).status).toBe(200);
  });

  test('late_success: in_progress, then completed when told', async () => {
    const id = await videoWith({ type: 'late_success', shown: 'in_progress', afterMs: 86_400_000 });
    expect(await pollJson(id)).toMatchObject({ status: 'in_progress', progress: 99 });
    await sandbox.control.release({ jobId: id });
    await sandbox.waitForVideo(id, 'completed');
  });

  test('contradict: one status per poll, the last one stays', async () => {
    const id = await videoWith({ type: 'contradict' });
    await made(id);
    const seen = [await pollJson(id), await pollJson(id), await pollJson(id), await pollJson(id)].map(
      (video) => video.status,
    );
    expect(seen).toEqual(['completed', 'in_progress', 'failed', 'failed']);
    expect((await content(id)).status).toBe(200);
  });

  test('shorter: fewer seconds than ordered', async () => {
    await sandbox.control.addRules({ match: { any: true }, behaviours: [{ type: 'shorter', seconds: 1 }] });
    expect(await pollJson(await sandbox.videoId({ seconds: '4' }))).toMatchObject({ seconds: '1' });
  });

  test('videoUrls: a public url, empty for the first polls with no_artifact', async () => {
    await sandbox.control.configure({ videoUrls: true });
    const id = await videoWith({ type: 'no_artifact', times: 1 });
    await made(id);
    expect(await pollJson(id)).toMatchObject({ status: 'completed', url: '' });
    const { url } = await pollJson(id);
    expect((await fetch(String(url))).headers.get('content-type')).toBe('video/mp4');
  });
});

describe('contents', () => {
  async function finished(...behaviours: BehaviourInput[]): Promise<string> {
    const id = await videoWith(...behaviours);
    await made(id);
    return id;
  }
  const statusesOf = async (id: string) => [(await content(id)).status, (await content(id)).status];

  test('expired, no_artifact, rate_limit and server_error, then well', async () => {
    expect(await statusesOf(await finished({ type: 'expired', status: 403, times: 1 }))).toEqual([403, 200]);
    expect(await statusesOf(await finished({ type: 'no_artifact', times: 1 }))).toEqual([404, 200]);
    expect(await statusesOf(await finished({ type: 'rate_limit', on: 'content' }))).toEqual([429, 200]);
    expect(await statusesOf(await finished({ type: 'server_error', on: 'content' }))).toEqual([503, 200]);
  });

  test('expired for ever, also for public files', async () => {
    await sandbox.control.addRules({ match: { any: true }, behaviours: [{ type: 'expired' }] });
    const { data } = (await (await sandbox.createImage({ response_format: 'url' })).json()) as {
      data: { url: string }[];
    };
    expect((await fetch(data[0]?.url ?? '')).status).toBe(410);
    expect((await fetch(data[0]?.url ?? '')).status).toBe(410);
  });

  test('wrong_body, wrong_mime, zero_bytes', async () => {
    const json = await content(await finished({ type: 'wrong_body' }));
    expect([json.headers.get('content-type'), await json.text()]).toEqual([
      'video/mp4',
      expect.stringContaining('"error"'),
    ]);
    const html = await content(await finished({ type: 'wrong_body', as: 'html' }));
    expect([html.headers.get('content-type'), await html.text()]).toEqual([
      'video/mp4',
      expect.stringContaining('<html>'),
    ]);
    const octets = await content(await finished({ type: 'wrong_mime' }));
    expect(octets.headers.get('content-type')).toBe('application/octet-stream');
    expect((await octets.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
    const nothing = await content(await finished({ type: 'zero_bytes' }));
    expect([nothing.status, (await nothing.arrayBuffer()).byteLength]).toEqual([200, 0]);
  });

  test('redirect to the public file, and to anywhere', async () => {
    const moved = await content(await finished({ type: 'redirect' }));
    expect(moved.status).toBe(302);
    const file = await fetch(moved.headers.get('location') ?? '');
    expect(file.headers.get('content-type')).toBe('video/mp4');
    const away = await content(await finished({ type: 'redirect', to: 'http://169.254.169.254/latest' }));
    expect(away.headers.get('location')).toBe('http://169.254.169.254/latest');
  });

  test('broken_download once, then whole', async () => {
    const id = await finished({ type: 'broken_download', afterBytes: 500 });
    await expect(content(id).then((response) => response.arrayBuffer())).rejects.toThrow();
    const whole = await content(id);
    expect((await whole.arrayBuffer()).byteLength).toBe(Number(whole.headers.get('content-length')));
  });

  test('slow_drip arrives in small pieces, complete', async () => {
    const id = await finished({ type: 'slow_drip', bytes: 4_000, everyMs: 5 });
    const response = await content(id);
    let pieces = 0;
    let bytes = 0;
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      pieces += 1;
      bytes += piece.length;
    }
    expect(pieces).toBeGreaterThan(1);
    expect(bytes).toBe(Number(response.headers.get('content-length')));
  });

  test('endless has no length and does not end', async () => {
    const id = await finished({ type: 'endless' });
    const response = await content(id);
    expect(response.headers.get('content-length')).toBeNull();
    let bytes = 0;
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      bytes += piece.length;
      if (bytes > 2_000_000) break;
    }
    expect(bytes).toBeGreaterThan(2_000_000);
  });

  test('speech: zero bytes, JSON under audio, and nothing', async () => {
    const soundOf = async (input: string) => {
      const response = await sandbox.createSpeech({ input });
      return [response.status, response.headers.get('content-type'), await response.text()];
    };
    expect(await soundOf('a [[zero_bytes]]')).toEqual([200, 'audio/wav', '']);
    expect(await soundOf('a [[no_artifact]]')).toEqual([200, 'audio/wav', '']);
    expect(await soundOf('a [[wrong_body]]')).toEqual([200, 'audio/wav', expect.stringContaining('"error"')]);
  });
});
