import { z } from 'zod';
import { isStorable, requestKey, taskId } from '../schemas.ts';
import { KINDS, type Kind, TASK_KINDS, type TaskKind } from '../status.ts';

/** What helps to write an order: earlier prompts, templates, presets, a better wording. Isomorphic. */

const MAX_PROMPT_CHARACTERS = 32_000;
const NOT_TEXT = 'This has characters that are not text. Type it anew.';

export const MAX_TEMPLATES = 200;
export const MAX_PRESETS = 50;

const promptText = z
  .string('Write a prompt first.')
  .trim()
  .min(1, 'Write a prompt first.')
  .max(MAX_PROMPT_CHARACTERS, `A prompt has at most ${MAX_PROMPT_CHARACTERS} characters.`)
  .refine(isStorable, NOT_TEXT);

const itemName = z
  .string('Enter a name.')
  .trim()
  .min(1, 'Enter a name.')
  .max(80, 'A name has at most 80 characters.')
  .refine(isStorable, NOT_TEXT);

const modelSlug = z.string().min(1, 'Choose a model.').max(120);

export const historyInput = z.object({
  kind: z.enum(TASK_KINDS),
  /** Part of the text, upper and lower case alike. */
  search: z.string().trim().max(200).refine(isStorable, NOT_TEXT).default(''),
});
export type HistoryInput = z.infer<typeof historyInput>;

export type HistoryItem = {
  /** Of the latest task with this prompt. */
  taskId: string;
  prompt: string;
  at: Date;
  /** Tasks with this prompt among those that were looked at. */
  times: number;
};

/** Languages that a template of the house can be for; those of the pages. */
export const TEMPLATE_LANGUAGES = ['en', 'zh-CN'] as const;
export type TemplateLanguage = (typeof TEMPLATE_LANGUAGES)[number];
export const MAX_HOUSE_TEMPLATES = 200;

export const templatesInput = z.object({
  kind: z.enum(TASK_KINDS),
  /** Leaves out what the house has for readers of other languages. */
  language: z.enum(TEMPLATE_LANGUAGES).optional(),
});

/** `house` is null while it has no template of the kind: then pages offer their own. */
export type TemplatesView = { own: TemplateView[]; house: TemplateView[] | null };

export type TemplateView = { id: string; name: string; prompt: string };

export const houseTemplateInput = z.object({
  kind: z.enum(TASK_KINDS),
  /** Left out: offered to readers of every language. */
  language: z.enum(TEMPLATE_LANGUAGES).optional(),
  name: itemName,
  prompt: promptText,
});
export type HouseTemplateInput = z.infer<typeof houseTemplateInput>;
export const addHouseTemplatesInput = z.object({ templates: z.array(houseTemplateInput).min(1).max(50) });
export const changeHouseTemplateInput = houseTemplateInput.extend({ id: z.uuid() });

export type HouseTemplateView = TemplateView & {
  kind: TaskKind;
  language: TemplateLanguage | null;
  updatedAt: Date;
};

export const saveTemplateInput = z.object({ kind: z.enum(TASK_KINDS), name: itemName, prompt: promptText });
export const renameTemplateInput = z.object({ id: z.uuid(), name: itemName });
export const itemInput = z.object({ id: z.uuid() });

export const presetsInput = z.object({ model: modelSlug });

const paramValues = z
  .record(
    z.string().max(41),
    z.union([z.string().max(4_000).refine(isStorable, NOT_TEXT), z.number(), z.boolean()]),
  )
  .refine((params) => Object.keys(params).length <= 60, 'These are too many parameters for a preset.');

export const savePresetInput = z.object({ model: modelSlug, name: itemName, params: paramValues });

export type PresetView = { id: string; name: string; params: Record<string, unknown> };

export const prefillInput = z.object({
  /** A task whose order is taken over. */
  from: taskId.optional(),
  /** An output that becomes a reference. */
  reference: z.uuid('This is not an output id.').optional(),
});
export type PrefillInput = z.infer<typeof prefillInput>;

/** A file that an order may name in its `references`, by its id. */
export type ReferenceView = {
  id: string;
  name: string;
  mime: string;
  bytes: number;
  url: string;
  previewUrl: string | null;
};

/** An order to start with: that of an earlier task, or nothing but a reference. */
export type PrefillView = {
  order: { kind: Kind; model: string; prompt: string; params: Record<string, unknown> } | null;
  references: ReferenceView[];
  /** Files of the earlier task that are gone. */
  missingReferences: number;
};

export const improveOptionsInput = z.object({ kind: z.enum(KINDS), prompt: promptText });

/** A language model that can reword a prompt, and what it holds for this one. */
export type ImproveOption = { model: string; title: string; credits: number };

export const improveInput = improveOptionsInput.extend({
  /** Left out: the cheapest one. */
  model: modelSlug.optional(),
  requestKey,
  quotedCredits: z.number().int().min(0).optional(),
});
export type ImproveInput = z.infer<typeof improveInput>;

/** How the prompt of a task begins that rewords a prompt; such tasks are in no history of prompts. */
export const improveHeading = (kind: TaskKind): string => `Improve this prompt for ${ARTICLES[kind]}:`;

const ARTICLES: Readonly<Record<TaskKind, string>> = {
  image: 'an image',
  video: 'a video',
  audio: 'speech or sound',
  text: 'a text',
  agent: 'an agent',
  drama: 'a short drama',
};
