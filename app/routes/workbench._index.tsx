import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { data, redirect } from '@remix-run/node';
import {
  type ClientActionFunctionArgs,
  type ShouldRevalidateFunction,
  useActionData,
  useLoaderData,
  useRouteLoaderData,
  useSearchParams,
} from '@remix-run/react';
import { PencilOff } from 'lucide-react';
import { askQuote } from '#app/components/composer/ask-quote.ts';
import { Composer, type ComposerReply } from '#app/components/composer/composer.tsx';
import { KindTabs } from '#app/components/composer/kind-tabs.tsx';
import { lostAnswer } from '#app/components/composer/lost-answer.ts';
import { ModelPicker } from '#app/components/composer/model-picker.tsx';
import { chooseModel } from '#app/components/composer/submission.ts';
import { submitForm } from '#app/components/composer/submit-form.ts';
import { LiveNote } from '#app/components/task-list/live-note.tsx';
import { MadeNote } from '#app/components/task-list/made-note.tsx';
import { TaskFilters } from '#app/components/task-list/task-filters.tsx';
import { TaskList } from '#app/components/task-list/task-list.tsx';
import { useEndAnnouncer } from '#app/components/task-list/use-end-announcer.tsx';
import {
  PAGE_SIZE,
  readWorkbenchQuery,
  sameList,
  workbenchHref,
} from '#app/components/task-list/workbench-query.ts';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { Pagination } from '#app/components/ui/pagination.tsx';
import { newRequestKey } from '#app/lib/request-key.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useTaskWatch } from '#app/lib/use-task-watch.ts';
import type { loader as rootLoader } from '#app/root.tsx';
import classes from './workbench.module.css';

export const meta: MetaFunction = () => [{ title: 'Workbench · Sidelane' }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { kind, state, cursor } = readWorkbenchQuery(new URL(request.url).searchParams);
  const [models, page] = await loadOrThrow(
    request,
    Promise.all([
      context.trpc.generation.models(),
      context.trpc.generation.list({ kind, state, cursor, limit: PAGE_SIZE }),
    ]),
  );
  return { models, page, requestKey: newRequestKey() };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const models = await loadOrThrow(request, context.trpc.generation.models());
  const result = await submitForm({ form, models, submit: (input) => context.trpc.generation.submit(input) });
  if (result.ok) {
    const { kind, slug } = result.model;
    throw redirect(
      workbenchHref(new URLSearchParams(), { make: kind, model: slug, made: result.taskId }),
      303,
    );
  }
  if (result.unexpected !== undefined) context.reportError?.(result.unexpected);
  return data<ComposerReply>(result.answer, result.status);
}

/** An answer that never arrives is no reason to lose the form: it stays, with its key. */
export async function clientAction({ serverAction }: ClientActionFunctionArgs): Promise<ComposerReply> {
  return await lostAnswer(() => serverAction<ComposerReply>());
}

/** Choosing a kind or a model changes the form only; everything it needs is on the page. */
export const shouldRevalidate: ShouldRevalidateFunction = ({
  currentUrl,
  nextUrl,
  formMethod,
  defaultShouldRevalidate,
}) => (formMethod === undefined && sameList(currentUrl, nextUrl) ? false : defaultShouldRevalidate);

export default function Workbench() {
  const { models, page, requestKey } = useLoaderData<typeof loader>();
  const root = useRouteLoaderData<typeof rootLoader>('root');
  const reply = useActionData<ComposerReply>();
  const [params] = useSearchParams();
  const query = readWorkbenchQuery(params);
  const model = chooseModel(models, query.make, query.model);
  const { onEnd, announcer } = useEndAnnouncer();
  const { tasks, state } = useTaskWatch(page.items, onEnd);

  return (
    <div className={classes.page}>
      <h1 className={classes.srOnly}>Workbench</h1>
      <section className={classes.composer} aria-label="New task">
        <KindTabs kind={query.make} hrefFor={(make) => workbenchHref(params, { make, model: null })} />
        {model ? (
          <>
            <ModelPicker
              models={models.filter((each) => each.kind === query.make)}
              chosen={model}
              hrefFor={(each) => workbenchHref(params, { make: each.kind, model: each.slug })}
            />
            <Composer
              model={model}
              action={`/workbench?${new URLSearchParams({ index: '', make: model.kind, model: model.slug })}`}
              balanceCredits={root?.balance?.balanceCredits ?? 0}
              requestKey={requestKey}
              reply={reply}
              askQuote={askQuote}
            >
              <MadeNote task={tasks.find((task) => task.id === query.made)} />
            </Composer>
          </>
        ) : (
          <EmptyState icon={PencilOff} title={`No ${query.make} model yet`}>
            An administrator has to add a channel and enable a model for this kind.
          </EmptyState>
        )}
      </section>
      <section className={classes.tasks} aria-labelledby="tasks-heading" id="tasks">
        <div className={classes.tasksHead}>
          <h2 id="tasks-heading" className={classes.tasksTitle}>
            Your tasks
          </h2>
          <LiveNote state={state} />
        </div>
        <TaskFilters query={query} params={params} />
        <TaskList
          tasks={tasks}
          filtered={Boolean(query.kind || query.state || query.cursor)}
          returnTo={workbenchHref(params, {})}
          requestKey={requestKey}
        />
        <Pagination nextCursor={page.nextCursor} label="tasks" />
      </section>
      {announcer}
    </div>
  );
}
