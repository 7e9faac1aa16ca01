import { lazy, type ReactNode, Suspense, useCallback, useState } from 'react';
import type { ParameterValues } from '#app/components/parameters/parameter-values.ts';
import { useRefresh } from '#app/lib/use-refresh.ts';
import type { ModelView } from '#server/generation/schemas.ts';
import type { Kind, TaskKind } from '#server/generation/status.ts';
import type { PromptApi } from './prompt-api.ts';
import type { PromptTool } from './prompt-field.tsx';
import type { usePromptText } from './use-prompt-text.ts';

// Nobody loads them before they are opened.
const HistoryDialog = lazy(() => import('./dialogs/history-dialog.tsx'));
const TemplatesDialog = lazy(() => import('./dialogs/templates-dialog.tsx'));
const ImproveDialog = lazy(() => import('./dialogs/improve-dialog.tsx'));
const PresetsDialog = lazy(() => import('./dialogs/presets-dialog.tsx'));

/** A better wording that was ordered: of which prompt, and the task that brings it. */
export type Improvement = { prompt: string; taskId: string };

type PromptDialogsInput = {
  api: PromptApi | undefined;
  kind: TaskKind;
  text: Pick<ReturnType<typeof usePromptText>, 'read' | 'replace' | 'insert'>;
  balanceCredits: number;
  /** Where parameters can be kept. */
  presets?: {
    model: ModelView;
    read: () => ParameterValues;
    apply: (params: Record<string, unknown>) => void;
  };
};

/**
 * The dialogs around a prompt. `dialogs` is to be rendered outside of the form: what is typed into them is not of it.
 */
export function usePromptDialogs(input: PromptDialogsInput): {
  open: (tool: PromptTool | 'presets') => void;
  dialogs: ReactNode;
} {
  const { api, kind, text, presets } = input;
  const [opened, setOpened] = useState<PromptTool | 'presets' | null>(null);
  const [improvement, setImprovement] = useState<Improvement | null>(null);
  const onClose = useCallback(() => setOpened(null), []);
  // Here and not in the dialog: what asked for fresh data and is gone before they come does not get them.
  const refresh = useRefresh();
  const onImprovement = (next: Improvement | null) => {
    setImprovement(next);
    // Balance and list have changed.
    if (next) refresh();
  };
  // No boundary before one is opened: the server would render it, and it would be hydrated on its own.
  if (!api || opened === null) return { open: setOpened, dialogs: null };
  const shared = { api, onClose };
  return {
    open: setOpened,
    dialogs: (
      <Suspense fallback={null}>
        {opened === 'history' ? <HistoryDialog {...shared} kind={kind} text={text} /> : null}
        {opened === 'templates' ? <TemplatesDialog {...shared} kind={kind} text={text} /> : null}
        {opened === 'improve' && isLeaf(kind) ? (
          <ImproveDialog
            {...shared}
            kind={kind}
            text={text}
            balanceCredits={input.balanceCredits}
            improvement={improvement}
            onImprovement={onImprovement}
          />
        ) : null}
        {opened === 'presets' && presets ? <PresetsDialog {...shared} {...presets} /> : null}
      </Suspense>
    ),
  };
}

const isLeaf = (kind: TaskKind): kind is Kind => kind !== 'agent' && kind !== 'drama';
