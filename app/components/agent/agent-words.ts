import type { TFunction } from 'i18next';
import type { Say } from '#app/components/task-card/say.ts';
import { statusSentence } from '#app/components/task-card/task-words.ts';
import type { AgentEntry, AgentView } from '#server/generation/agent/schemas.ts';
import type { TaskView } from '#server/generation/schemas.ts';

/** Pure texts about an agent's run. */

type Texts = TFunction<'agent'>;

/** What a step is, as its heading in the transcript. */
export function entryTitle(entry: AgentEntry, t: Texts): string {
  switch (entry.type) {
    case 'turn':
      return t('entry.turn', { number: entry.number });
    case 'make':
      return t(`entry.make.${entry.makes}`);
    default:
      return t(`entry.${entry.type}`);
  }
}

/** The state of a step in a word or two. */
export function entryState(entry: AgentEntry, t: Texts): string {
  return t(`state.${entry.type === 'refused' ? 'refused' : entry.status}`);
}

/** Where the run is, for screen readers: said again whenever it changes. */
export function progressWords(view: AgentView, t: Texts): string {
  const values = { used: view.stepsUsed, most: view.settings.maxSteps };
  if (view.awaiting.length > 0) return t('progress.awaiting', { ...values, count: view.awaiting.length });
  const last = view.transcript.at(-1);
  if (!last) return t('progress.steps', values);
  return t('progress.last', { ...values, step: entryTitle(last, t), state: entryState(last, t) });
}

/** Where the run stands, in a sentence; its own output is only the summary, so what was made is counted here. */
export function runSentence(
  { transcript }: Pick<AgentView, 'transcript'>,
  task: TaskView,
  { t, say }: { t: Texts; say: Say },
): string {
  const made = transcript.reduce((sum, { child }) => {
    const isResult = child !== null && child.kind !== 'text';
    return isResult ? sum + child.outputs.length : sum;
  }, 0);
  if (task.status === 'succeeded') return made === 0 ? t('run.nothing') : t('run.results', { count: made });
  if (task.status === 'cancelled') return t(made > 0 ? 'run.cancelledWithResults' : 'run.cancelled');
  // In words of its own, which `useServerWords` translates.
  if (task.failure?.reason === null) return task.failure.message;
  return statusSentence(task, say);
}
