import { statusSentence } from '#app/components/task-card/task-words.ts';
import { formatInteger } from '#app/lib/format.ts';
import type { AgentEntry, AgentView } from '#server/generation/agent/schemas.ts';
import type { TaskView } from '#server/generation/schemas.ts';

/** Pure texts about an agent's run. */

const NOUNS = { image: 'a picture', video: 'a video', audio: 'a sound' } as const;

/** What a step is, as its heading in the transcript. */
export function entryTitle(entry: AgentEntry): string {
  switch (entry.type) {
    case 'turn':
      return `Turn ${entry.number}`;
    case 'make':
      return `Make ${NOUNS[entry.makes]}`;
    case 'read':
      return 'Look at a result';
    case 'ask':
      return 'Question to you';
    case 'refused':
      return 'A call that was refused';
    case 'finish':
      return 'The end';
  }
}

const STATES: Readonly<Record<AgentEntry['status'], string>> = {
  planned: 'next',
  awaiting: 'waits for you',
  running: 'at work',
  done: 'done',
  failed: 'failed',
  rejected: 'you said no',
  skipped: 'not done',
};

/** The state of a step in a word or two. */
export function entryState(entry: AgentEntry): string {
  if (entry.type === 'refused') return 'told to the model';
  return STATES[entry.status];
}

/** Where the run is, for screen readers: said again whenever it changes. */
export function progressWords(view: AgentView): string {
  const steps = `${view.stepsUsed} of ${view.settings.maxSteps} steps used.`;
  if (view.awaiting.length > 0) {
    const count = view.awaiting.length;
    return `${steps} ${count === 1 ? 'One thing waits' : `${count} things wait`} for you.`;
  }
  const last = view.transcript.at(-1);
  return last ? `${steps} ${entryTitle(last)}: ${entryState(last)}.` : steps;
}

/** Where the run stands, in a sentence; its own output is only the summary, so what was made is counted here. */
export function runSentence({ transcript }: Pick<AgentView, 'transcript'>, task: TaskView): string {
  const made = transcript.reduce((sum, { child }) => {
    const isResult = child !== null && child.kind !== 'text';
    return isResult ? sum + child.outputs.length : sum;
  }, 0);
  if (task.status === 'succeeded') {
    if (made === 0) return 'It has finished. Nothing was made.';
    return `It has finished, with ${formatInteger(made)} ${made === 1 ? 'result' : 'results'}.`;
  }
  if (task.status === 'cancelled')
    return made > 0 ? 'Cancelled. What was made by then is yours.' : 'Cancelled.';
  return statusSentence(task);
}
