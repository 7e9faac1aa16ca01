import type { WireProfile, WireReply } from '../wire-profile.ts';

/** ElevenLabs by its API reference: the answer to a create is the sound itself. */

const KEY = 'sk_conformance0123456789';
const VOICE = '21m00Tcm4TlvDq8ikWAM';

const refusal = (status: number, code: string, message: string): WireReply => ({
  status,
  json: { detail: { status: code, message } },
});

function profile(
  about: Pick<WireProfile, 'name' | 'endpoint' | 'model' | 'params'> & { path: string },
): WireProfile {
  const { path, ...named } = about;
  return {
    ...named,
    protocol: 'elevenlabs',
    kind: 'audio',
    synchronous: true,
    basePath: '/v1',
    apiKey: KEY,
    manyOutputs: false,
    jobId: (n) => `none-${n}`,
    route({ method, path: asked, headers }) {
      if (headers['xi-api-key'] !== KEY)
        return { type: 'other', reply: refusal(401, 'invalid_api_key', 'Invalid API key') };
      return method === 'POST' && asked === path ? { type: 'create' } : undefined;
    },
    accepted: () => ({ json: {} }),
    done: ([first]) => ({ bytes: first?.bytes, headers: { 'content-type': first?.mime ?? 'audio/mpeg' } }),
    rejected: refusal(400, 'max_character_limit_exceeded', 'The text is too long for this model.'),
    accountRejected: refusal(401, 'quota_exceeded', 'This request exceeds your quota.'),
    rateLimited: {
      ...refusal(429, 'too_many_concurrent_requests', 'Too many concurrent requests.'),
      headers: { 'retry-after': '7' },
    },
    noId: { json: {} },
    job: () => refusal(404, 'not_found', 'There are no jobs.'),
    missing: () => refusal(404, 'not_found', 'There are no jobs.'),
  };
}

export const elevenlabsProfiles: readonly WireProfile[] = [
  profile({
    name: 'elevenlabs/speech',
    endpoint: 'speech',
    model: 'eleven_multilingual_v2',
    params: { voice: VOICE },
    path: `/text-to-speech/${VOICE}`,
  }),
  profile({
    name: 'elevenlabs/music',
    endpoint: 'music',
    model: 'music_v1',
    params: { seconds: 10 },
    path: '/music',
  }),
];
