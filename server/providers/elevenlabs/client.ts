import { versionedUrl } from '../calls.ts';
import type { CreateRequest } from '../provider.ts';
import { wireParams } from '../request-params.ts';

/** Formats as forms call them; everything else is passed on in the vendor's spelling (`mp3_44100_192`). */
const FORMATS: Readonly<Record<string, string>> = { mp3: 'mp3_44100_128', opus: 'opus_48000_128' };
/** Bare samples without a header cannot be told from noise, so they could never be proven to be audio. */
const BARE_SAMPLES = /^(pcm|ulaw|alaw)(_|$)/;
const VOICE_SETTINGS = new Set(['stability', 'similarity_boost', 'style', 'use_speaker_boost', 'speed']);

export function apiUrl(baseUrl: string, path: string): string {
  return versionedUrl(baseUrl, path);
}

type Call = { path: string; json: Record<string, unknown>; query: Record<string, string> };

/** The request of an endpoint, or why none is sent. */
export function callOf(request: CreateRequest): Call | { refused: { code: string; message: string } } {
  const { voice, seconds, format, output_format, response_format, ...params } = wireParams(request.params);
  const wanted = String(format ?? output_format ?? response_format ?? 'mp3');
  if (BARE_SAMPLES.test(wanted)) {
    const message = 'Choose mp3 or opus: bare samples cannot be checked.';
    return { refused: { code: 'unsupported_format', message } };
  }
  const query = { output_format: FORMATS[wanted] ?? wanted };
  const fields = numbersIn(params);
  const model = { model_id: request.model };
  switch (request.endpoint) {
    case 'sound': {
      const length = seconds === undefined ? {} : { duration_seconds: Number(seconds) };
      return {
        path: '/sound-generation',
        query,
        json: { text: request.prompt, ...model, ...length, ...fields },
      };
    }
    case 'music': {
      const length = seconds === undefined ? {} : { music_length_ms: Math.round(Number(seconds) * 1_000) };
      return { path: '/music', query, json: { prompt: request.prompt, ...model, ...length, ...fields } };
    }
    default: {
      const id = voiceId(voice);
      if (id === undefined) {
        const message = 'Choose a voice: the model needs the id of one of the voices of this account.';
        return { refused: { code: 'invalid_voice', message } };
      }
      const json = { text: request.prompt, ...model, ...withVoiceSettings(fields) };
      return { path: `/text-to-speech/${id}`, query, json };
    }
  }
}

/** A voice as an option may write it: the id alone, or `Rachel (21m00Tcm4TlvDq8ikWAM)`. */
function voiceId(voice: unknown): string | undefined {
  if (typeof voice !== 'string') return undefined;
  const id = /\(([^()]+)\)\s*$/.exec(voice)?.[1] ?? voice;
  return /^[A-Za-z0-9_-]{4,100}$/.test(id) ? id : undefined;
}

/** Numbers that a form offers as a choice of texts. */
function numbersIn(params: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      const isNumber =
        typeof value === 'string' && /^\d{1,9}(\.\d{1,9})?$/.test(value) && !/text|language|_id$/.test(name);
      return [name, isNumber ? Number(value) : value];
    }),
  );
}

/** What shapes the voice is an object of its own. */
function withVoiceSettings(fields: Record<string, unknown>): Record<string, unknown> {
  const all = Object.entries(fields);
  const settings = all.filter(([name]) => VOICE_SETTINGS.has(name));
  const rest = all.filter(([name]) => !VOICE_SETTINGS.has(name));
  return {
    ...Object.fromEntries(rest),
    ...(settings.length === 0 ? {} : { voice_settings: Object.fromEntries(settings) }),
  };
}
