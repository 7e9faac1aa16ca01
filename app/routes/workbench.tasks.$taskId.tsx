import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { data, redirect } from '@remix-run/node';
import { type ClientActionFunctionArgs, Link, useActionData, useLoaderData } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { Trans } from 'react-i18next';
import { WorkPageHead, WorkPageSide } from '#app/components/layout/work-page.tsx';
import { OutputList } from '#app/components/media/output-list.tsx';
import { shorten } from '#app/components/media/output-name.ts';
import { WaysOnProvider, waysOnOf } from '#app/components/media/ways-on.ts';
import { type TaskActionFailure, TaskActions } from '#app/components/task-card/task-actions.tsx';
import { runTaskIntent } from '#app/components/task-card/task-intents.ts';
import { TaskMoney } from '#app/components/task-card/task-money.tsx';
import { TaskOrder } from '#app/components/task-card/task-order.tsx';
import { TaskState } from '#app/components/task-card/task-state.tsx';
import { TaskTools } from '#app/components/task-card/task-tools.tsx';
import { LiveNote } from '#app/components/task-list/live-note.tsx';
import { useEndAnnouncer } from '#app/components/task-list/use-end-announcer.tsx';
import { Timeline } from '#app/components/timeline/timeline.tsx';
import { ErrorMessage } from '#app/components/ui/error-message.tsx';
import { taskHref } from '#app/components/ui/kind-looks.ts';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { newRequestKey } from '#app/lib/request-key.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useRefresh } from '#app/lib/use-refresh.ts';
import { useTaskWatch } from '#app/lib/use-task-watch.ts';
import { answerInPlace } from '#app/lib/way-on.ts';
import { chooseLanguage, isLanguage } from '#app/locales/languages.ts';
import { tasksTexts } from '#app/locales/tasks.ts';
import type { TaskView } from '#server/generation/schemas.ts';
import { isComposite } from '#server/generation/status.ts';
import classes from './workbench.task.module.css';

export const meta: MetaFunction<typeof loader> = ({ data: loaded, matches }) => {
  const title = loaded ? shorten(loaded.task.prompt, 60) : tasksTexts.in(languageOf(matches))('page.title');
  return [{ title: `${title} · Sidelane` }];
};

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { generation } = context.trpc;
  const [task, models] = await loadOrThrow(
    request,
    Promise.all([generation.get({ taskId: params.taskId ?? '' }), generation.models()]),
  );
  if (isComposite(task.kind)) throw redirect(taskHref(task));
  return { task, waysOn: waysOnOf(models), requestKey: newRequestKey() };
}

export async function action({ request, params, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const language = chooseLanguage({
    chosen: context.user?.language,
    cookieHeader: request.headers.get('cookie'),
    acceptLanguage: request.headers.get('accept-language'),
  });
  const t = tasksTexts.in(language);
  const result = await runTaskIntent(params.taskId ?? '', form, context.trpc.generation, t);
  if ('redirectTo' in result) throw redirect(result.redirectTo, 303);
  if (result.unexpected !== undefined) context.reportError?.(result.unexpected);
  return data<TaskActionFailure>({ error: result.error }, result.status);
}

export async function clientAction({ serverAction }: ClientActionFunctionArgs) {
  const { lang } = document.documentElement;
  const t = tasksTexts.in(isLanguage(lang) ? lang : 'en');
  return await answerInPlace<TaskActionFailure>(serverAction, () => ({ error: t('problem.lost') }));
}

export default function TaskPage() {
  const t = useT(tasksTexts);
  const { task: loaded, waysOn, requestKey } = useLoaderData<typeof loader>();
  const answer = useActionData<TaskActionFailure>();
  const { onEnd, announcer } = useEndAnnouncer();
  const { tasks, state } = useTaskWatch([loaded], onEnd);
  const task = tasks[0] ?? loaded;
  useFreshEvents(task);

  return (
    <article className={classes.page} aria-labelledby="task-heading">
      <WorkPageHead
        headingId="task-heading"
        title={shorten(task.prompt, 90)}
        sub={
          <>
            <Trans
              t={t}
              i18nKey="page.submitted"
              values={{ model: task.model.title }}
              components={{ time: <TimeAgo at={task.submittedAt} /> }}
            />
            {task.retryOf ? (
              <>
                {' · '}
                <Trans
                  t={t}
                  i18nKey="page.retryOf"
                  components={{ a: <Link to={`/workbench/tasks/${task.retryOf}`} /> }}
                />
              </>
            ) : null}
            {task.parentId ? (
              <>
                {' · '}
                <Trans
                  t={t}
                  i18nKey="page.partOf"
                  components={{ a: <Link to={`/workbench/tasks/${task.parentId}`} /> }}
                />
              </>
            ) : null}
          </>
        }
      />
      <div className={classes.outputs}>
        <WaysOnProvider value={waysOn}>
          <OutputList task={task} />
        </WaysOnProvider>
      </div>
      <WorkPageSide
        state={
          <Panel title={t('page.state')} actions={<LiveNote state={state} />}>
            <TaskState task={task} />
            {answer?.error ? <ErrorMessage message={answer.error} /> : null}
            <TaskActions
              key={task.id}
              task={task}
              returnTo={`/workbench/tasks/${task.id}`}
              requestKey={requestKey}
            />
          </Panel>
        }
        facts={
          <>
            <Panel title={t('page.credits')}>
              <TaskMoney money={task.money} isPart={task.parentId !== null} />
            </Panel>
            <Panel title={t('page.order')} actions={<TaskTools task={task} />}>
              <TaskOrder task={task} />
            </Panel>
          </>
        }
      />
      <div className={classes.history}>
        <Panel title={t('page.history')}>
          <Timeline events={task.events} />
        </Panel>
      </div>
      {announcer}
    </article>
  );
}

/** Events come with the loader only: it runs again when something happened that has one. Progress alone has none. */
function useFreshEvents(task: TaskView): void {
  const refresh = useRefresh();
  const happened = [task.status, task.cancelRequested, task.money.state, task.outputs.length].join(' ');
  const before = useRef(happened);
  useEffect(() => {
    if (before.current === happened) return;
    before.current = happened;
    refresh();
  }, [happened, refresh]);
}
