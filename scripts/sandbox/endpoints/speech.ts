import { z } from 'zod';
import { findBehaviour } from '../attachments.ts';
import { type CreateEndpoint, checkModel, hexId } from '../endpoint.ts';
import { SOUND_FORMATS, SOUND_TYPES } from '../media/sound.ts';
import type { Job } from '../state.ts';
import { ApiError, validate } from '../wire.ts';

/** `POST /v1/audio/speech`: synchronous, answers the bytes of the sound. */

const MODELS = /^(tts-|gpt-.*-tts)/;

const speechRequest = z.strictObject({
  model: z.string().min(1),
  input: z.string().min(1, 'must not be empty').max(4_096, 'has at most 4096 characters'),
  voice: z.union([z.string().min(1), z.strictObject({ id: z.string().min(1) })]),
  instructions: z.string().max(4_096).nullish(),
  response_format: z.enum(SOUND_FORMATS).nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
  stream_format: z.literal('audio').nullish(),
});
type SpeechRequest = z.output<typeof speechRequest>;

const requestOf = (job: Job) => job.request as SpeechRequest;

export const speechEndpoint: CreateEndpoint = {
  name: 'speech',
  newId: () => hexId('speech_'),

  read(body) {
    const request = validate(speechRequest, body.fields);
    checkModel(request.model, MODELS);
    return { kind: 'audio', prompt: request.input, model: request.model, request, synchronous: true };
  },

  async make({ media }, job) {
    const { voice, speed, response_format: format } = requestOf(job);
    const name = typeof voice === 'string' ? voice : voice.id;
    const sound = await media.sound({
      text: job.text,
      voice: name,
      speed: speed ?? 1,
      format: format ?? 'mp3',
    });
    return [sound];
  },

  async answer(_sandbox, job) {
    const file = job.artefacts[0];
    if (!file) throw new ApiError(500, null, 'The sound was not made.');
    const format = requestOf(job).response_format ?? 'mp3';
    if (findBehaviour(job.behaviours, 'no_artifact')) return { type: 'empty', mime: SOUND_TYPES[format] };
    return { type: 'file', file };
  },
};
