import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostileJson, hostileStatuses } from '#server/testing/hostile-json.ts';
import { type Answer, createMockUpstream, UPSTREAM_KEY } from '#server/testing/msw/upstream.ts';
import type { CreateRequest } from '../provider.ts';

const upstream = createMockUpstream({ protocol: 'elevenlabs' });
const VOICE = '21m00Tcm4TlvDq8ikWAM';
/** An MPEG layer III frame header and what may follow it. */
const MP3 = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(2_000, 0)]);
const AUDIO: Answer = { bytes: MP3, headers: { 'content-type': 'audio/mpeg' } };

const PATHS = { speech: `/text-to-speech/${VOICE}`, sound: '/sound-generation', music: '/music' };
type Endpoint = keyof typeof PATHS;
const ENDPOINTS = Object.keys(PATHS) as Endpoint[];
const MODELS = { speech: 'eleven_multilingual_v2', sound: 'eleven_text_to_sound_v2', music: 'music_v1' };

function create(endpoint: Endpoint, answer: Answer, more: Partial<CreateRequest> = {}) {
  upstream.reply('post', PATHS[endpoint], answer);
  const params = endpoint === 'speech' ? { voice: VOICE } : {};
  return upstream.create({ kind: 'audio', endpoint, model: MODELS[endpoint], params, ...more });
}

const sent = () => {
  const [only, ...others] = upstream.creates();
  expect(others).toEqual([]);
  return {
    path: only?.path,
    query: Object.fromEntries(only?.query ?? []),
    headers: only?.headers,
    json: JSON.parse(only?.body ?? '') as unknown,
  };
};

describe('the request', () => {
  it('for speech names the voice in the path and what shapes it in an object', async () => {
    const params = {
      voice: `Rachel (${VOICE})`,
      format: 'mp3',
      stability: '0.5',
      speed: '1.1',
      language_code: 'en',
      seed: 7,
    };
    await create('speech', AUDIO, { params });
    expect(sent()).toMatchObject({
      path: `/v1${PATHS.speech}`,
      query: { output_format: 'mp3_44100_128' },
      json: {
        text: 'a cat',
        model_id: 'eleven_multilingual_v2',
        language_code: 'en',
        seed: 7,
        voice_settings: { stability: 0.5, speed: 1.1 },
      },
    });
    expect(sent().headers?.get('xi-api-key')).toBe(UPSTREAM_KEY);
    expect(sent().headers?.get('authorization')).toBeNull();
  });

  it('for a sound gives its length in seconds', async () => {
    await create('sound', AUDIO, { params: { seconds: '3', prompt_influence: '0.3', loop: true } });
    expect(sent().json).toEqual({
      text: 'a cat',
      model_id: 'eleven_text_to_sound_v2',
      duration_seconds: 3,
      prompt_influence: 0.3,
      loop: true,
    });
  });

  it('for music gives its length in milliseconds', async () => {
    const params = { seconds: 30, force_instrumental: true, format: 'mp3_44100_192' };
    await create('music', AUDIO, { params });
    expect(sent()).toMatchObject({ query: { output_format: 'mp3_44100_192' } });
    expect(sent().json).toEqual({
      prompt: 'a cat',
      model_id: 'music_v1',
      music_length_ms: 30_000,
      force_instrumental: true,
    });
  });

  it.each<[string, Partial<CreateRequest>, string]>([
    ['no voice', { params: {} }, 'invalid_voice'],
    ['a voice that climbs out of its path', { params: { voice: '../user' } }, 'invalid_voice'],
    ['bare samples', { params: { voice: VOICE, format: 'pcm_44100' } }, 'unsupported_format'],
    [
      'a reference',
      {
        references: [
          {
            id: 'f',
            role: 'reference',
            fileName: 'a.png',
            mime: 'image/png',
            bytes: 1,
            read: async () => MP3,
          },
        ],
      },
      'unsupported_reference',
    ],
  ])('is not sent for %s', async (_name, more, code) => {
    expect(await create('speech', AUDIO, more)).toMatchObject({ type: 'rejected', code });
    expect(upstream.creates()).toEqual([]);
  });
});

describe.each(ENDPOINTS)('the answer: %s', (endpoint) => {
  it('that is audio is stored', async () => {
    const outcome = await create(endpoint, AUDIO);
    expect(outcome).toMatchObject({ type: 'done', artefacts: [{ type: 'stored', mime: 'audio/mpeg' }] });
    expect([...upstream.storage.files.values()]).toEqual([MP3]);
  });

  it.each<[string, Answer]>([
    ['B60: HTML as audio', { text: '<html>maintenance</html>', headers: { 'content-type': 'audio/mpeg' } }],
    ['B60: audio as JSON', { bytes: MP3, headers: { 'content-type': 'application/json' } }],
    ['B10: an empty body', { text: '', headers: { 'content-type': 'audio/mpeg' } }],
    ['B10: an empty object', { json: {} }],
    ['B02: a 502 in HTML', { status: 502, text: '<html>' }],
    ['B02: a 500', { status: 500, json: { detail: { status: 'internal_server_error', message: 'x' } } }],
    ['B02: a 504', { status: 504, text: '' }],
    ['B01: a broken connection', { broken: true }],
  ])('%s is uncertain, and nothing is stored', async (_name, answer) => {
    expect(await create(endpoint, answer)).toMatchObject({ type: 'uncertain' });
    expect(upstream.storage.files.size).toBe(0);
    expect(upstream.creates()).toHaveLength(1);
  });

  it.each<[string, Answer, object]>([
    [
      'a wrong key',
      { status: 401, json: { detail: { status: 'invalid_api_key', message: 'Invalid API key' } } },
      { code: 'invalid_api_key', scope: 'account' },
    ],
    [
      'no quota',
      {
        status: 401,
        json: { detail: { status: 'quota_exceeded', message: 'This request exceeds your quota.' } },
      },
      { code: 'quota', scope: 'account' },
    ],
    [
      'a key without the permission',
      { status: 401, json: { detail: { status: 'missing_permissions', message: 'no' } } },
      { code: 'missing_permissions', scope: 'account' },
    ],
    [
      'a text that is too long',
      { status: 400, json: { detail: { status: 'max_character_limit_exceeded', message: 'too long' } } },
      { code: 'max_character_limit_exceeded', scope: 'request', message: 'too long' },
    ],
    [
      'a field that does not fit',
      { status: 422, json: { detail: [{ loc: ['body', 'text'], msg: 'Field required', type: 'missing' }] } },
      { code: 'missing', message: 'Field required' },
    ],
    [
      'the newer spelling',
      {
        status: 404,
        json: { detail: { type: 'not_found', code: 'voice_not_found', message: 'A voice was not found.' } },
      },
      { code: 'voice_not_found', scope: 'request' },
    ],
    [
      'a prompt that names an artist',
      { status: 422, json: { detail: { status: 'bad_prompt', message: 'copyrighted', data: {} } } },
      { code: 'bad_prompt', moderated: true },
    ],
  ])('B46: %s is an explicit refusal', async (_name, answer, expected) => {
    expect(await create(endpoint, answer)).toMatchObject({ type: 'rejected', ...expected });
  });

  it('of a busy account is a limit of the rate', async () => {
    const detail = { status: 'too_many_concurrent_requests', message: 'slow' };
    const answer = { status: 429, json: { detail }, headers: { 'retry-after': '3' } };
    expect(await create(endpoint, answer)).toEqual({
      type: 'rate_limited',
      retryAfterMs: 3_000,
      message: 'slow',
    });
  });

  it('of any shape never throws and is never taken for a sound', async () => {
    let answer: Answer = {};
    const proxy = new Proxy({} as Answer, { get: (_target, key) => answer[key as keyof Answer] });
    await create(endpoint, proxy);
    const params = { voice: VOICE };
    await fc.assert(
      fc.asyncProperty(
        hostileJson(['detail', 'status', 'message', 'code', 'msg', 'type', 'data']),
        hostileStatuses,
        async (json, status) => {
          answer = { status, json };
          const outcome = await upstream.create({ kind: 'audio', endpoint, model: 'm', params });
          expect(['rejected', 'rate_limited', 'uncertain']).toContain(outcome.type);
          expect(JSON.stringify(outcome)).not.toContain('"internal"');
        },
      ),
    );
  });
});

describe('the test of a channel', () => {
  it.each<[string, Answer, object]>([
    [
      'a good key',
      { json: { user_id: 'u1', subscription: { tier: 'creator' } } },
      { ok: true, message: expect.stringContaining('creator') },
    ],
    [
      'a key for speech only',
      { status: 401, json: { detail: { status: 'missing_permissions', message: 'user_read' } } },
      { ok: true, message: expect.stringContaining('accepted') },
    ],
    [
      'a bad key',
      { status: 401, json: { detail: { status: 'invalid_api_key', message: 'no' } } },
      { ok: false, message: expect.stringContaining('refuses this key') },
    ],
    ['something else', { json: { hello: 1 } }, { ok: false, message: expect.stringContaining('ElevenLabs') }],
  ])('tells %s', async (_name, answer, expected) => {
    upstream.reply('get', '/user', answer);
    expect(await upstream.runtime.check(upstream.access)).toEqual(expected);
  });

  it('polls nothing: there are no jobs', async () => {
    expect(await upstream.poll('speech')).toMatchObject({ type: 'transient', errorClass: 'internal' });
    expect(upstream.seen).toEqual([]);
  });
});
