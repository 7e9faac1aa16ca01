import { trpcClient } from '#app/lib/trpc-client.ts';
import type {
  HistoryItem,
  ImproveOption,
  PresetView,
  TemplateView,
} from '#server/generation/prompts/schemas.ts';
import type { Kind, TaskKind } from '#server/generation/status.ts';

/** The procedures around a prompt, handed in so that tests need no network. */
export type PromptApi = {
  history(input: { kind: TaskKind; search: string }, signal: AbortSignal): Promise<HistoryItem[]>;
  templates(kind: TaskKind): Promise<{ own: TemplateView[]; house: TemplateView[] }>;
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
  history: (input, signal) => trpcClient().prompts.history.query(input, { signal }),
  templates: (kind) => trpcClient().prompts.templates.query({ kind }),
  saveTemplate: (input) => trpcClient().prompts.saveTemplate.mutate(input),
  renameTemplate: (input) => trpcClient().prompts.renameTemplate.mutate(input),
  removeTemplate: (id) => trpcClient().prompts.removeTemplate.mutate({ id }),
  presets: (model) => trpcClient().prompts.presets.query({ model }),
  savePreset: (input) => trpcClient().prompts.savePreset.mutate(input),
  removePreset: (id) => trpcClient().prompts.removePreset.mutate({ id }),
  improveOptions: (input) => trpcClient().prompts.improveOptions.query(input),
  improve: (input) => trpcClient().prompts.improve.mutate(input),
  async readText(url) {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`The text answered ${response.status}.`);
    return response.text();
  },
};
