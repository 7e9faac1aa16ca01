import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { data, redirect } from '@remix-run/node';
import {
  type ClientActionFunctionArgs,
  Link,
  useActionData,
  useLoaderData,
  useRevalidator,
} from '@remix-run/react';
import { ArrowLeft } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { OutputList } from '#app/components/media/output-list.tsx';
import { shorten } from '#app/components/media/output-player.tsx';
import { type TaskActionFailure, TaskActions } from '#app/components/task-card/task-actions.tsx';
import { runTaskIntent } from '#app/components/task-card/task-intents.ts';
import { TaskMoney } from '#app/components/task-card/task-money.tsx';
import { TaskOrder } from '#app/components/task-card/task-order.tsx';
import { TaskState } from '#app/components/task-card/task-state.tsx';
import { LiveNote } from '#app/components/task-list/live-note.tsx';
import { useEndAnnouncer } from '#app/components/task-list/use-end-announcer.tsx';
import { Timeline } from '#app/components/timeline/timeline.tsx';
import { ErrorMessage } from '#app/components/ui/error-message.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { newRequestKey } from '#app/lib/request-key.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useTaskWatch } from '#app/lib/use-task-watch.ts';
import type { TaskView } from '#server/generation/schemas.ts';
import classes from './workbench.task.module.css';

export const meta: MetaFunction<typeof loader> = ({ data: loaded }) => [
  { title: loaded ? `${shorten(loaded.task.prompt, 60)} · Sidelane` : 'Task · Sidelane' },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const task = await loadOrThrow(request, context.trpc.generation.get({ taskId: params.taskId ?? '' }));
  return { task, requestKey: newRequestKey() };
}

export async function action({ request, params, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const result = await runTaskIntent(params.taskId ?? '', form, context.trpc.generation);
  if ('redirectTo' in result) throw redirect(result.redirectTo, 303);
  if (result.unexpected !== undefined) context.reportError?.(result.unexpected);
  return data<TaskActionFailure>({ error: result.error }, result.status);
}

export async function clientAction({ serverAction }: ClientActionFunctionArgs): Promise<TaskActionFailure> {
  try {
    return await serverAction<TaskActionFailure>();
  } catch (error) {
    if (error instanceof Response) throw error;
    return { error: 'The answer did not arrive. Press again: nothing is done twice.' };
  }
}

export default function TaskPage() {
  const { task: loaded, requestKey } = useLoaderData<typeof loader>();
  const answer = useActionData<TaskActionFailure>();
  const { onEnd, announcer } = useEndAnnouncer();
  const { tasks, state } = useTaskWatch([loaded], onEnd);
  const task = tasks[0] ?? loaded;
  useFreshEvents(task);

  return (
    <article className={classes.page} aria-labelledby="task-heading">
      <header className={classes.head}>
        <Link to="/workbench" className={classes.back}>
          <ArrowLeft size={16} aria-hidden /> Workbench
        </Link>
        <h1 id="task-heading" className={classes.title}>
          {shorten(task.prompt, 90)}
        </h1>
        <p className={classes.sub}>
          {task.model.title} · submitted <TimeAgo at={task.submittedAt} />
          {task.retryOf ? (
            <>
              {' · a new run of '}
              <Link to={`/workbench/tasks/${task.retryOf}`}>an earlier task</Link>
            </>
          ) : null}
        </p>
      </header>
      <div className={classes.outputs}>
        <OutputList task={task} />
      </div>
      <div className={classes.side}>
        <div className={classes.state}>
          <Panel title="State" actions={<LiveNote state={state} />}>
            <TaskState task={task} />
            {answer?.error ? <ErrorMessage message={answer.error} /> : null}
            <TaskActions
              key={task.id}
              task={task}
              returnTo={`/workbench/tasks/${task.id}`}
              requestKey={requestKey}
            />
          </Panel>
        </div>
        <div className={classes.facts}>
          <Panel title="Credits">
            <TaskMoney money={task.money} />
          </Panel>
          <Panel title="Order">
            <TaskOrder task={task} />
          </Panel>
        </div>
      </div>
      <div className={classes.history}>
        <Panel title="What happened">
          <Timeline events={task.events} />
        </Panel>
      </div>
      {announcer}
    </article>
  );
}

/** Events come with the loader only: it runs again when something happened that has one. Progress alone has none. */
function useFreshEvents(task: TaskView): void {
  const { revalidate } = useRevalidator();
  const happened = [task.status, task.cancelRequested, task.money.state, task.outputs.length].join(' ');
  const before = useRef(happened);
  useEffect(() => {
    if (before.current === happened) return;
    before.current = happened;
    revalidate();
  }, [happened, revalidate]);
}
