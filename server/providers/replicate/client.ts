import { versionedUrl } from '../calls.ts';
import { hostedInput, type InputNames, inputNamesOf } from '../hosted-model.ts';
import type { CallContext, CreateRequest } from '../provider.ts';

const SLUG = '[A-Za-z0-9][A-Za-z0-9_.-]{0,100}';
const MODEL = new RegExp(`^${SLUG}/${SLUG}$`);
const DEPLOYMENT = new RegExp(`^deployments/${SLUG}/${SLUG}$`);
const VERSION = new RegExp(`^(?:${SLUG}/${SLUG}:)?([0-9a-f]{64})$`);

export function apiUrl(baseUrl: string, path: string): string {
  return versionedUrl(baseUrl, path);
}

/**
 * Where a model's predictions are created: `owner/name` is a model that Replicate keeps running, `owner/name:version`
 * or the 64 digits alone are one version, `deployments/owner/name` is a deployment. Undefined for anything else.
 */
export function createTarget(model: string): { path: string; version?: string } | undefined {
  const version = VERSION.exec(model)?.[1];
  if (version) return { path: '/predictions', version };
  if (DEPLOYMENT.test(model)) return { path: `/${model}/predictions` };
  return MODEL.test(model) ? { path: `/models/${model}/predictions` } : undefined;
}

export function predictionUrl(ctx: CallContext, id: string): string {
  return apiUrl(ctx.baseUrl, `/predictions/${encodeURIComponent(id)}`);
}

/** Input names of models whose authors did not choose the usual ones (their pages on replicate.com). */
const KNOWN_INPUTS: readonly (readonly [RegExp, InputNames])[] = [
  [/^black-forest-labs\/flux-kontext/, { reference: 'input_image' }],
  [/^black-forest-labs\/flux-2/, { references: 'input_images' }],
  [/^black-forest-labs\/flux-(1\.1|pro)/, { reference: 'image_prompt' }],
  [/^google\/nano-banana|^bytedance\/seedream-[45]/, { references: 'image_input' }],
  [/^openai\/gpt-image/, { references: 'input_images', n: 'number_of_images' }],
  [/^kwaivgi\/kling/, { first_frame: 'start_image', last_frame: 'end_image' }],
  [
    /^minimax\/(video|hailuo)/,
    { first_frame: 'first_frame_image', last_frame: 'last_frame_image', reference: 'subject_reference' },
  ],
  [/^bytedance\/seedance/, { last_frame: 'last_frame_image' }],
  [/^(minimax\/speech|jaaari\/kokoro|elevenlabs\/)/, { prompt: 'text' }],
];
const USUAL_INPUTS: InputNames = {
  reference: 'image',
  first_frame: 'image',
  last_frame: 'last_frame',
  n: 'num_outputs',
};

/** Inputs that are words even when they look like numbers. */
const WORDS = /prompt|text|lyrics|voice|style|language|size|resolution|ratio/;

export function inputNames(model: string, settings: unknown): InputNames {
  return inputNamesOf(model.replace(/:[0-9a-f]{64}$/, ''), settings, {
    usual: USUAL_INPUTS,
    known: KNOWN_INPUTS,
  });
}

/**
 * The `input` of a prediction. Replicate checks it strictly, so a choice of numbers is sent as numbers, and a size in
 * pixels as the two sides that models ask for.
 */
export async function predictionInput(
  request: CreateRequest,
  settings: unknown,
): Promise<Record<string, unknown>> {
  const { size, ...input } = await hostedInput(request, inputNames(request.model, settings));
  for (const name of Object.keys(request.params)) {
    const value = input[name];
    if (typeof value === 'string' && /^-?\d{1,9}(\.\d{1,9})?$/.test(value) && !WORDS.test(name))
      input[name] = Number(value);
  }
  const sides = typeof size === 'string' ? /^(\d{2,5})x(\d{2,5})$/.exec(size) : null;
  if (sides) return { ...input, width: Number(sides[1]), height: Number(sides[2]) };
  return size === undefined ? input : { ...input, size };
}
