import type { ParameterSchema, ParameterSpec } from '../schemas.ts';
import { DRAMA_SIZES, type DramaRatio } from './schemas.ts';

/** Chooses a model's parameters for a part of a film. Pure. */

type Wish = {
  ratio?: DramaRatio;
  /** The least that is needed. */
  seconds?: number;
  voice?: {
    /** How the character's voice is described. */
    words: string;
    /** Place among those who speak, so that two of them differ; 0 is the narrator. */
    index: number;
  };
};

/**
 * Parameters that come nearest to the wish; what is not named here keeps the model's default. A length is never shorter
 * than wanted: the smallest that the model offers and that is long enough.
 */
export function fitParams(
  schema: ParameterSchema,
  wish: Wish,
): { params: Record<string, unknown> } | { problem: string } {
  const params: Record<string, unknown> = {};
  if (schema.n) params.n = schema.n.type === 'choice' ? '1' : 1;
  if (wish.ratio) Object.assign(params, fitRatio(schema, wish.ratio));
  if (wish.voice) Object.assign(params, fitVoice(schema, wish.voice));
  const { seconds: spec } = schema;
  if (wish.seconds === undefined || !spec) return { params };
  const seconds = fitSeconds(spec, wish.seconds);
  if (seconds === undefined) {
    const most = mostSeconds(schema) ?? 0;
    return { problem: `The model makes clips of at most ${most} seconds; this shot lasts ${wish.seconds}.` };
  }
  return { params: { ...params, seconds } };
}

/** The longest that a model makes; null when it names no length, or any. */
export function mostSeconds({ seconds: spec }: ParameterSchema): number | null {
  if (spec?.type === 'integer') return spec.maximum;
  if (spec?.type === 'choice') return Math.max(...secondsOf(spec).map(({ seconds }) => seconds), 0) || null;
  return null;
}

type ChoiceSpec = Extract<ParameterSpec, { type: 'choice' }>;

const secondsOf = (spec: ChoiceSpec) =>
  spec.options
    .map((option) => ({ option, seconds: Number(option) }))
    .filter(({ seconds }) => Number.isInteger(seconds) && seconds > 0);

function fitSeconds(spec: ParameterSpec, wanted: number): number | string | undefined {
  if (spec.type === 'integer') {
    const seconds = Math.max(wanted, spec.minimum);
    return seconds <= spec.maximum ? seconds : undefined;
  }
  if (spec.type !== 'choice') return undefined;
  const enough = secondsOf(spec).filter(({ seconds }) => seconds >= wanted);
  return enough.sort((a, b) => a.seconds - b.seconds)[0]?.option;
}

const SHAPES = ['size', 'aspect_ratio', 'ratio'] as const;

/** Of the options of the same shape, the model's default; else the one that is nearest. */
function fitRatio(schema: ParameterSchema, ratio: DramaRatio): Record<string, string> {
  const [width, height] = DRAMA_SIZES[ratio];
  const wanted = Math.log(width / height);
  return Object.fromEntries(
    SHAPES.flatMap((name) => {
      const spec = schema[name];
      if (spec?.type !== 'choice') return [];
      const far = (option: string) => {
        const shape = shapeOf(option);
        return shape === undefined ? Number.POSITIVE_INFINITY : Math.abs(Math.log(shape) - wanted);
      };
      const order = [spec.default, ...spec.options.filter((option) => option !== spec.default)];
      // Sorting is stable: among equals the default stays first.
      const [nearest] = order.sort((a, b) => (Math.abs(far(a) - far(b)) < 0.02 ? 0 : far(a) - far(b)));
      return nearest === undefined ? [] : [[name, nearest]];
    }),
  );
}

/** Width by height of `1280x720`, `1280*720` or `16:9`. */
function shapeOf(option: string): number | undefined {
  const [, width, height] = /^(\d{1,5})\s*[x×*:]\s*(\d{1,5})$/i.exec(option.trim()) ?? [];
  return Number(width) > 0 && Number(height) > 0 ? Number(width) / Number(height) : undefined;
}

const VOICES = ['voice', 'voice_id'] as const;

/** The voice that its description names; else one by one, so that people of one film sound different. */
function fitVoice(schema: ParameterSchema, { words, index }: NonNullable<Wish['voice']>) {
  return Object.fromEntries(
    VOICES.flatMap((name) => {
      const spec = schema[name];
      if (spec?.type !== 'choice') return [];
      const named = spec.options.find((option) => words.toLowerCase().includes(option.toLowerCase()));
      const order = [spec.default, ...spec.options.filter((option) => option !== spec.default)];
      return [[name, named ?? order[index % order.length] ?? spec.default]];
    }),
  );
}
