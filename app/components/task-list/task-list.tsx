import { Images } from 'lucide-react';
import { TaskCard } from '#app/components/task-card/task-card.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import type { TaskView } from '#server/generation/schemas.ts';
import classes from './task-list.module.css';

type TaskListProps = {
  tasks: readonly TaskView[];
  /** A filter or a later page is chosen: an empty list says something else then. */
  filtered: boolean;
  returnTo: string;
  requestKey: string;
};

export function TaskList({ tasks, filtered, returnTo, requestKey }: TaskListProps) {
  if (tasks.length === 0) {
    return filtered ? (
      <EmptyState icon={Images} title="Nothing matches">
        No task fits these filters. Choose “All” to see every task.
      </EmptyState>
    ) : (
      <EmptyState icon={Images} title="Nothing made yet">
        Write a prompt and press Generate. You can close the page while it runs: the result waits here.
      </EmptyState>
    );
  }
  return (
    <ul className={classes.list}>
      {tasks.map((task) => (
        <li key={task.id}>
          <TaskCard task={task} returnTo={returnTo} requestKey={requestKey} />
        </li>
      ))}
    </ul>
  );
}
