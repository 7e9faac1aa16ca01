import { describe, expect, it } from 'vitest';
import { holdAgainstCreates, UNDECIDED_CREATES } from '#server/testing/msw/hostile-answers.ts';
import { type Answer, createMockUpstream } from '#server/testing/msw/upstream.ts';
import type { CreateRequest } from '../provider.ts';

const upstream = createMockUpstream({ protocol: 'minimax', baseUrl: 'https://minimax.example/v1' });

const SOUND = Buffer.from('ID3 some sound');
const speech: Partial<CreateRequest> = { endpoint: 'speech', kind: 'audio', model: 'speech-2.8-hd' };
const music: Partial<CreateRequest> = { endpoint: 'music', kind: 'audio', model: 'music-2.6' };
const answered = (audio: unknown, more = {}): Answer => ({
  json: {
    data: { audio, status: 2 },
    extra_info: { audio_length: 9_900, audio_format: 'mp3' },
    base_resp: { status_code: 0, status_msg: 'success' },
    ...more,
  },
});
const coded = (status_code: number): Answer => ({ json: { base_resp: { status_code, status_msg: 'why' } } });

async function create(answer: Answer, request: Partial<CreateRequest> = speech) {
  upstream.reply('post', request.endpoint === 'music' ? '/music_generation' : '/t2a_v2', answer);
  const outcome = await upstream.create(request);
  expect(upstream.seen).toHaveLength(1);
  return outcome;
}
const bodySent = () => JSON.parse(upstream.seen[0]?.body ?? '');

describe('requests', () => {
  it('sends a text with its voice and format in the vendor’s places', async () => {
    const params = {
      voice: 'English_Graceful_Lady',
      speed: '1.25',
      volume: '2',
      emotion: 'happy',
      format: 'wav',
      sample_rate: '32000',
      language_boost: 'auto',
    };
    await create(answered(SOUND.toString('hex')), { ...speech, params });
    expect(bodySent()).toEqual({
      model: 'speech-2.8-hd',
      text: 'a cat',
      language_boost: 'auto',
      voice_setting: { voice_id: 'English_Graceful_Lady', speed: 1.25, vol: 2, emotion: 'happy' },
      audio_setting: { format: 'wav', sample_rate: 32_000 },
      stream: false,
      output_format: 'hex',
    });
  });

  it('sends a description and lyrics', async () => {
    const params = { lyrics: '[Verse]\nla', is_instrumental: false, format: 'mp3', bitrate: '256000' };
    await create(answered(SOUND.toString('hex')), { ...music, params });
    expect(bodySent()).toEqual({
      model: 'music-2.6',
      prompt: 'a cat',
      lyrics: '[Verse]\nla',
      is_instrumental: false,
      audio_setting: { format: 'mp3', bitrate: 256_000 },
      stream: false,
      output_format: 'hex',
    });
  });

  it.each<[string, Partial<CreateRequest>, string]>([
    ['raw samples', { ...speech, params: { format: 'pcm' } }, 'unsupported_format'],
    [
      'files',
      {
        ...music,
        references: [
          {
            id: 'f',
            role: 'reference',
            fileName: 'a.mp3',
            mime: 'audio/mpeg',
            bytes: 1,
            read: async () => SOUND,
          },
        ],
      },
      'unsupported_reference',
    ],
  ])('refuses %s before anything is sent', async (_name, request, code) => {
    expect(await upstream.create(request)).toMatchObject({ type: 'rejected', code });
    expect(upstream.seen).toEqual([]);
  });
});

describe.each([
  ['speech', speech],
  ['music', music],
] as const)('outcomes of a create: %s', (_endpoint, request) => {
  it('keeps the sound in storage and not in the raw answer', async () => {
    const hex = SOUND.toString('hex');
    const outcome = await create(answered(hex), request);
    expect(outcome).toMatchObject({
      type: 'done',
      artefacts: [{ type: 'stored', storageKey: 'incoming/dispatch-1/0' }],
    });
    expect(Buffer.from(upstream.storage.files.get('incoming/dispatch-1/0') ?? [])).toEqual(SOUND);
    expect(JSON.stringify(outcome)).not.toContain(hex);
  });

  it('passes an address on', async () => {
    expect(await create(answered('https://cdn.example/a.mp3'), request)).toMatchObject({
      type: 'done',
      artefacts: [{ type: 'url', url: 'https://cdn.example/a.mp3' }],
    });
  });

  it('decodes many megabytes piece by piece', async () => {
    const sound = Buffer.alloc(3_000_001, 7);
    await create(answered(sound.toString('hex').toUpperCase()), request);
    expect(Buffer.compare(upstream.storage.files.get('incoming/dispatch-1/0') ?? Buffer.of(), sound)).toBe(0);
  });

  it.each(UNDECIDED_CREATES)('%s is uncertain', async (_name, answer) => {
    expect((await create(answer, request)).type).toBe('uncertain');
  });

  it.each<[string, Answer]>([
    ['B10: success without a sound', answered(undefined)],
    ['an empty sound', answered('')],
    ['half a byte', answered('abc')],
    ['a word', answered('not hex')],
    ['another scheme', answered('file:///etc/passwd')],
    ['a fault of the vendor', coded(1_000)],
    ['a time-out inside the vendor', coded(1_001)],
  ])('%s is uncertain', async (_name, answer) => {
    expect((await create(answer, request)).type).toBe('uncertain');
  });

  it.each<[number, object]>([
    [1_004, { type: 'rejected', scope: 'account' }],
    [1_008, { type: 'rejected', scope: 'account' }],
    [1_026, { type: 'rejected', moderated: true }],
    [1_027, { type: 'rejected', moderated: true }],
    [2_013, { type: 'rejected', scope: 'request' }],
    [1_002, { type: 'rate_limited' }],
  ])('code %i', async (code, expected) => {
    expect(await create(coded(code), request)).toMatchObject(expected);
  });

  it('whatever JSON comes back', async () => {
    await holdAgainstCreates(upstream, {
      path: request.endpoint === 'music' ? '/music_generation' : '/t2a_v2',
      request,
      fields: ['audio', 'base_resp', 'status_code', 'status_msg'],
      words: ['00ff', 0, 1_008, 1_026],
      runs: 100,
    });
  });
});
