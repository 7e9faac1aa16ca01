import { hostedInput, type InputNames, inputNamesOf } from '../hosted-model.ts';
import { asText, type JsonRecord } from '../json.ts';
import type { CreateRequest, PollRef } from '../provider.ts';

const SEGMENT = '[A-Za-z0-9][A-Za-z0-9_.-]{0,100}';
const MODEL = new RegExp(`^${SEGMENT}(/${SEGMENT}){1,6}$`);
/** Applications below these are named by one segment more. */
const NAMESPACES = new Set(['workflows', 'comfy']);

/** Whether a model can be a path: `fal-ai/flux/dev`. */
export function isModelPath(model: string): boolean {
  return MODEL.test(model);
}

/**
 * How to reach a request again. Status and result live below the application, without the sub-path that the request
 * was sent to. The addresses in the answer are taken where they are on the channel's origin, because the key goes
 * nowhere else; behind a gateway they are put together.
 */
export function pollRefOf(id: string, request: CreateRequest, body: JsonRecord, baseUrl: string): PollRef {
  const built = builtRef({ id, endpoint: request.endpoint, model: request.model }, baseUrl);
  const { origin } = new URL(baseUrl);
  const own = (name: string) => {
    const url = asText(body[name]);
    return url && URL.canParse(url) && new URL(url).origin === origin ? url : undefined;
  };
  return {
    id,
    endpoint: request.endpoint,
    pollUrl: own('status_url') ?? built.pollUrl,
    resultUrl: own('response_url') ?? built.resultUrl,
    cancelUrl: own('cancel_url') ?? built.cancelUrl,
  };
}

/** The reference with addresses: its own, or, where a webhook or an operator gave only the id, those of its model. */
export function completeRef(ref: PollRef, baseUrl: string): PollRef {
  const { model } = ref;
  if ((ref.pollUrl && ref.resultUrl) || !model || !isModelPath(model)) return ref;
  return builtRef({ ...ref, model }, baseUrl);
}

function builtRef(ref: PollRef & { model: string }, baseUrl: string): PollRef {
  const segments = ref.model.split('/');
  const application = segments.slice(0, NAMESPACES.has(segments[0] ?? '') ? 3 : 2).join('/');
  const base = `${baseUrl.replace(/\/+$/, '')}/${application}/requests/${encodeURIComponent(ref.id)}`;
  return { ...ref, pollUrl: `${base}/status`, resultUrl: base, cancelUrl: `${base}/cancel` };
}

/** Input names of models whose authors did not choose the usual ones (their pages on fal.ai). */
const KNOWN_INPUTS: readonly (readonly [RegExp, InputNames])[] = [
  [
    /^fal-ai\/(nano-banana|gemini-.*-image|gpt-image|qwen-image-edit-plus)|seedream.*\/edit|\/multi$/,
    { references: 'image_urls' },
  ],
  [/^fal-ai\/flux-2/, { references: 'image_urls' }],
  [
    /kling-video\/(o1|v3|v2\.6)/,
    { first_frame: 'start_image_url', last_frame: 'end_image_url', secondsAs: 'text' },
  ],
  [/kling-video/, { last_frame: 'tail_image_url', secondsAs: 'text' }],
  [
    /veo[23].*first-last-frame/,
    { first_frame: 'first_frame_url', last_frame: 'last_frame_url', secondsAs: 'suffixed' },
  ],
  [/veo[23]/, { secondsAs: 'suffixed' }],
  [/minimax\/(video|hailuo)/, { secondsAs: 'text' }],
  [/seedance/, { secondsAs: 'text' }],
  [/wan.*flf2v/, { first_frame: 'start_image_url' }],
  [/(elevenlabs\/tts|minimax\/speech|chatterbox|dia-tts|orpheus)/, { prompt: 'text' }],
  [/elevenlabs\/sound-effects/, { prompt: 'text', seconds: 'duration_seconds' }],
];
const USUAL_INPUTS: InputNames = {
  reference: 'image_url',
  first_frame: 'image_url',
  last_frame: 'end_image_url',
  n: 'num_images',
};

export function inputNames(model: string, settings: unknown): InputNames {
  return inputNamesOf(model, settings, { usual: USUAL_INPUTS, known: KNOWN_INPUTS });
}

/** The request body: the model's input itself. `size` is a preset's name or pixels. */
export async function falInput(request: CreateRequest, settings: unknown): Promise<Record<string, unknown>> {
  const { size, ...input } = await hostedInput(request, inputNames(request.model, settings));
  if (size === undefined) return input;
  const sides = /^(\d{2,5})x(\d{2,5})$/.exec(String(size));
  return { ...input, image_size: sides ? { width: Number(sides[1]), height: Number(sides[2]) } : size };
}
