import { browserTrpc } from '#app/lib/browser-trpc.ts';
import type { Language } from '#app/locales/languages.ts';
import type {
  HistoryItem,
  ImproveOption,
  PresetView,
  TemplatesView,
} from '#server/generation/prompts/schemas.ts';
import type { Kind, TaskKind } from '#server/generation/status.ts';

/** The procedures around a prompt, handed in so that tests need no network. */
export type PromptApi = {
  history(input: { kind: TaskKind; search: string }, signal: AbortSignal): Promise<HistoryItem[]>;
  /** Without `house`, the page has prompts of its own to start from. */
  templates(input: { kind: TaskKind; language: Language }): Promise<TemplatesView>;
  saveTemplate(input: { kind: TaskKind; name: string; prompt: string }): Promise<{ id: string }>;
  renameTemplate(input: { id: string; name: string }): Promise<unknown>;
  removeTemplate(id: string): Promise<unknown>;
  presets(model: string): Promise<PresetView[]>;
  savePreset(input: {
    model: string;
    name: string;
    params: Record<string, string | number | boolean>;
  }): Promise<{ id: string }>;
  removePreset(id: string): Promise<unknown>;
  improveOptions(input: { kind: Kind; prompt: string }): Promise<ImproveOption[]>;
  improve(input: {
    kind: Kind;
    prompt: string;
    model: string;
    requestKey: string;
    quotedCredits: number;
  }): Promise<{ taskId: string }>;
  /** The text of an output. */
  readText(url: string): Promise<string>;
};

export const promptApi: PromptApi = {
  history: async (input, signal) => (await browserTrpc()).prompts.history.query(input, { signal }),
  templates: async (input) => (await browserTrpc()).prompts.templates.query(input),
  saveTemplate: async (input) => (await browserTrpc()).prompts.saveTemplate.mutate(input),
  renameTemplate: async (input) => (await browserTrpc()).prompts.renameTemplate.mutate(input),
  removeTemplate: async (id) => (await browserTrpc()).prompts.removeTemplate.mutate({ id }),
  presets: async (model) => (await browserTrpc()).prompts.presets.query({ model }),
  savePreset: async (input) => (await browserTrpc()).prompts.savePreset.mutate(input),
  removePreset: async (id) => (await browserTrpc()).prompts.removePreset.mutate({ id }),
  improveOptions: async (input) => (await browserTrpc()).prompts.improveOptions.query(input),
  improve: async (input) => (await browserTrpc()).prompts.improve.mutate(input),
  async readText(url) {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`The text answered ${response.status}.`);
    return response.text();
  },
};
