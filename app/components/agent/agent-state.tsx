import { Progress } from '@mantine/core';
import { CompositeBadge } from '#app/components/composite/composite-badge.tsx';
import { useServerWords } from '#app/components/composite/server-words.ts';
import { useSay } from '#app/components/task-card/say.ts';
import { knownProgress } from '#app/components/task-card/task-words.ts';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { agentTexts } from '#app/locales/agent.ts';
import { compositeTexts } from '#app/locales/composite.ts';
import type { AgentView } from '#server/generation/agent/schemas.ts';
import type { TaskView } from '#server/generation/schemas.ts';
import classes from './agent.module.css';
import { progressWords, runSentence } from './agent-words.ts';

/** Where the run is: badge, why, how far, and a polite word to screen readers at each step. */
export function AgentState({ view, task }: { view: AgentView; task: TaskView }) {
  const t = useT(agentTexts);
  const common = useT(compositeTexts);
  const say = useSay();
  const words = useServerWords();
  const progress = knownProgress(task);
  return (
    <div className={classes.state}>
      <p className={classes.badgeLine}>
        <CompositeBadge view={view} task={task} />
        {task.finishedAt ? (
          <span className={classes.dim}>
            <TimeAgo at={task.finishedAt} style="absolute" />
          </span>
        ) : null}
      </p>
      <p className={task.status === 'failed' ? classes.bad : classes.lead}>
        {words(runSentence(view, task, { t, say }))}
      </p>
      {progress === null ? null : (
        <Progress value={progress} size="sm" aria-label={common('page.progress')} />
      )}
      <p className={classes.note} role="status">
        {progressWords(view, t)}
      </p>
    </div>
  );
}
