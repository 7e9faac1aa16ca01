import { z } from 'zod';
import type { ChildView, CompositeView } from '../composite/schemas.ts';
import { isStorable, requestKey, type TaskView, taskId } from '../schemas.ts';

/** Inputs, plan and views of short dramas: the contract of page, API and tests. Isomorphic. */

const NOT_TEXT = 'This has characters that are not text. Type it anew.';
const line = (most: number) =>
  z
    .string()
    .trim()
    .max(most, `Write at most ${most.toLocaleString('en-US')} characters.`)
    .refine(isStorable, NOT_TEXT);
const filled = (most: number, empty: string) => line(most).min(1, empty);
const id = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,39}$/i, 'An id has letters, digits, "-" and "_" only, at most 40.');

export const MAX_SHOTS = 40;
export const MAX_SHOT_SECONDS = 15;
export const DRAMA_SIZES = { '16:9': [1280, 720], '9:16': [720, 1280], '1:1': [960, 960] } as const;
export type DramaRatio = keyof typeof DRAMA_SIZES;
export const CAPTION_MODES = ['burnt', 'soft', 'none'] as const;
export const SHOT_PARTS = ['picture', 'clip', 'voice'] as const;
export type ShotPart = (typeof SHOT_PARTS)[number];

const dramaShot = z.object({
  id,
  sceneId: id,
  characterIds: z.array(id).max(12, 'A shot has at most 12 characters.'),
  seconds: z
    .number('Enter whole seconds.')
    .int('Enter whole seconds.')
    .min(1, 'A shot lasts at least 1 second.')
    .max(MAX_SHOT_SECONDS, `A shot lasts at most ${MAX_SHOT_SECONDS} seconds.`),
  picturePrompt: filled(2_000, 'Describe the picture of this shot.'),
  motionPrompt: line(1_000),
  /** Spoken and shown as the caption; empty: neither. */
  narration: line(600),
  /** Who speaks; empty: the narrator. */
  speakerId: z.union([id, z.literal('')]),
  /** Kept as it is: a save that changes or removes it is refused until it is unlocked. */
  locked: z.boolean().optional(),
});
export type DramaShot = z.infer<typeof dramaShot>;

/** What the language model makes and the user edits: everything that the film is made from. */
export const dramaPlan = z
  .object({
    title: filled(120, 'Give the film a title.'),
    style: line(500),
    characters: z
      .array(z.object({ id, name: filled(80, 'Name this character.'), look: line(600), voice: line(120) }))
      .max(12, 'A film has at most 12 characters.'),
    scenes: z
      .array(z.object({ id, title: filled(120, 'Name this scene.'), place: line(600) }))
      .min(1, 'A film has at least one scene.')
      .max(20, 'A film has at most 20 scenes.'),
    shots: z
      .array(dramaShot)
      .min(1, 'A film has at least one shot.')
      .max(MAX_SHOTS, `A film has at most ${MAX_SHOTS} shots.`),
  })
  .superRefine((plan, ctx) => {
    const scenes = new Set(plan.scenes.map((scene) => scene.id));
    const characters = new Set(plan.characters.map((character) => character.id));
    const doubled = (ids: string[]) => ids.find((each, index) => ids.indexOf(each) !== index);
    for (const list of ['characters', 'scenes', 'shots'] as const) {
      const twice = doubled(plan[list].map((item) => item.id));
      if (twice !== undefined)
        ctx.addIssue({ code: 'custom', path: [list], message: `The id "${twice}" is there twice.` });
    }
    for (const [index, shot] of plan.shots.entries()) {
      if (!scenes.has(shot.sceneId))
        ctx.addIssue({
          code: 'custom',
          path: ['shots', index, 'sceneId'],
          message: `There is no scene "${shot.sceneId}".`,
        });
      const strangers = shot.characterIds.filter((each) => !characters.has(each));
      if (strangers.length > 0)
        ctx.addIssue({
          code: 'custom',
          path: ['shots', index, 'characterIds'],
          message: `There is no character "${strangers[0]}".`,
        });
      if (shot.speakerId !== '' && !characters.has(shot.speakerId))
        ctx.addIssue({
          code: 'custom',
          path: ['shots', index, 'speakerId'],
          message: `There is no character "${shot.speakerId}".`,
        });
    }
  });
export type DramaPlan = z.infer<typeof dramaPlan>;

const slug = z.string().min(1, 'Choose a model.').max(120);

export const dramaInput = z.object({
  /** `idea`: the model invents. `script`: the user's own text; its dialogue is kept word for word. */
  source: z.enum(['idea', 'script']),
  text: filled(30_000, 'Write an idea, or paste a script.'),
  models: z.object({
    storyboard: slug,
    picture: slug,
    /** Left out: the film is made of still pictures. */
    clip: slug.optional(),
    /** Left out: nobody speaks; the captions stay. */
    voice: slug.optional(),
  }),
  ratio: z.enum(['16:9', '9:16', '1:1']).default('16:9'),
  shots: z
    .number()
    .int()
    .min(1, 'Ask for at least 1 shot.')
    .max(MAX_SHOTS, `Ask for at most ${MAX_SHOTS} shots.`)
    .default(6),
  captions: z.enum(CAPTION_MODES).default('burnt'),
  titleCard: z.boolean().default(true),
  /** Upload id of a piece of music, and reference pictures for the style. */
  music: z.uuid('This is not an upload id.').optional(),
  references: z.array(z.uuid('This is not an upload id.')).max(4, 'Add at most 4 pictures.').default([]),
  /** Starts the shots without a review when they cost at most this. */
  startBelowCredits: z
    .number('Enter a whole number of credits.')
    .int('Enter a whole number of credits.')
    .min(0, 'Enter 0 credits or more.')
    .max(1_000_000, 'Enter at most 1,000,000 credits.')
    .optional(),
  requestKey,
});
export type DramaInput = z.infer<typeof dramaInput>;

/** What is kept of an order, as it was accepted. */
export type DramaSettings = Omit<DramaInput, 'requestKey'>;

/** The price of a drama's storyboard, as it is or as it is being edited; or about, of an order before there is one. */
export const dramaQuoteInput = z.union([
  z.object({ taskId, plan: dramaPlan.optional() }),
  dramaInput.pick({ models: true, ratio: true, shots: true, titleCard: true }).extend({
    /** Of a shot. */
    seconds: z.number().int().min(1).max(MAX_SHOT_SECONDS).optional(),
  }),
]);
export type DramaQuoteInput = z.infer<typeof dramaQuoteInput>;

export const dramaPlanInput = z.object({
  taskId,
  /** The version of the plan that was edited; another one in between is a conflict. */
  planVersion: z.number().int().min(0),
  plan: dramaPlan,
});

export const dramaStartInput = z.object({
  taskId,
  planVersion: z.number().int().min(0),
  /** What the user was shown: a dearer price is refused instead of charged. */
  quotedCredits: z.number().int().min(0).optional(),
});

export const dramaRedoInput = z.object({
  taskId,
  /** What to make anew; none: only the film is put together again, free. */
  redo: z
    .array(
      z.object({
        shotId: id,
        part: z.enum(SHOT_PARTS),
        /** In place of what the plan says for this part: picture prompt, motion prompt or narration. */
        words: line(2_000).optional(),
      }),
    )
    .max(MAX_SHOTS * SHOT_PARTS.length)
    .default([]),
  captions: z.enum(CAPTION_MODES).optional(),
  quotedCredits: z.number().int().min(0).optional(),
  requestKey,
});
export type DramaRedoInput = z.infer<typeof dramaRedoInput>;

/** Of a film whose shots failed in part: what to do about those parts. */
export const dramaFailedInput = z.object({
  taskId,
  decision: z.enum(['retry', 'finish_without']),
  /** Of a retry: one part; left out, all that failed. */
  shotId: id.optional(),
  part: z.enum(SHOT_PARTS).optional(),
});

export type ShotCost = { pictureCredits: number; clipCredits: number; voiceCredits: number };

export type DramaQuoteView = {
  /** By shot id. */
  shots: Record<string, ShotCost>;
  /** Reference pictures of characters, where the model of pictures takes references. */
  characterCredits: number;
  /** What is held when the shots start: also the most that they can cost. */
  totalCredits: number;
  balanceCredits: number;
  affordable: boolean;
  /** Seconds of the film as planned. */
  seconds: number;
};

export type DramaPartView = {
  key: string;
  status: 'planned' | 'awaiting' | 'running' | 'done' | 'failed' | 'rejected' | 'skipped';
  /** Made by an earlier revision. */
  takenOver: boolean;
  problem: string | null;
  child: ChildView | null;
};

const DRAMA_PHASES = ['storyboard', 'review', 'shots', 'failed_parts', 'composing', 'done'] as const;
export type DramaPhase = (typeof DRAMA_PHASES)[number];

export type DramaView = CompositeView & {
  task: TaskView;
  phase: DramaPhase;
  settings: DramaSettings;
  modelTitles: { storyboard: string; picture: string; clip: string | null; voice: string | null };
  plan: DramaPlan | null;
  planVersion: number;
  /** Of the plan as it stands; null without one. */
  quote: DramaQuoteView | null;
  /** Tries at the storyboard, with what was wrong with each. */
  storyboard: { tries: number; problem: string | null; child: ChildView | null };
  characters: Record<string, DramaPartView>;
  shots: {
    id: string;
    picture: DramaPartView | null;
    clip: DramaPartView | null;
    voice: DramaPartView | null;
  }[];
  film: {
    videoUrl: string;
    posterUrl: string | null;
    seconds: number;
    captions: { srtUrl: string; vttUrl: string } | null;
  } | null;
  /** All shots with a manifest, also without a film; null while there are none. */
  zipUrl: string | null;
  /** Why there is no film though the shots are there, and what to do. */
  composeProblem: string | null;
};
