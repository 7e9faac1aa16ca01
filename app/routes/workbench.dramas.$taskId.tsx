import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { data, redirect } from '@remix-run/node';
import { type ClientActionFunctionArgs, useActionData, useLoaderData } from '@remix-run/react';
import { Trans } from 'react-i18next';
import { BudgetPanel } from '#app/components/composite/budget-panel.tsx';
import { runCompositeIntent } from '#app/components/composite/composite-intents.ts';
import { LOST_ANSWER } from '#app/components/composite/lost-answer.ts';
import { useCompositeWatch } from '#app/components/composite/use-composite-watch.tsx';
import { askPlanQuote } from '#app/components/drama/ask-drama.ts';
import type { DramaAnswer } from '#app/components/drama/drama-answer.ts';
import { runDramaIntent } from '#app/components/drama/drama-intents.ts';
import { DramaMain } from '#app/components/drama/drama-main.tsx';
import { DramaOrder } from '#app/components/drama/drama-order.tsx';
import { DramaState, DramaSteps } from '#app/components/drama/drama-state.tsx';
import { CompareVersions, VersionsPanel } from '#app/components/drama/versions-panel.tsx';
import { WorkPageHead, WorkPageSide } from '#app/components/layout/work-page.tsx';
import { shorten } from '#app/components/media/output-player.tsx';
import { LiveNote } from '#app/components/task-list/live-note.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { isUuid } from '#app/lib/read-query.ts';
import { newRequestKey } from '#app/lib/request-key.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { answerInPlace } from '#app/lib/way-on.ts';
import { compositeTexts } from '#app/locales/composite.ts';
import { dramaTexts } from '#app/locales/drama.ts';
import type { DramaView } from '#server/generation/drama/schemas.ts';
import { isTerminal } from '#server/generation/status.ts';
import classes from './workbench.dramas.module.css';

export const meta: MetaFunction<typeof loader> = ({ data: loaded, matches }) => {
  const name = loaded ? shorten(titleOf(loaded.view), 60) : dramaTexts.in(languageOf(matches))('title');
  return [{ title: `${name} · Sidelane` }];
};

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { dramas } = context.trpc;
  const taskId = params.taskId ?? '';
  const compare = new URL(request.url).searchParams.get('compare');
  const [view, other] = await loadOrThrow(
    request,
    Promise.all([
      dramas.get({ taskId }),
      // One that is not there is no reason to lose the page.
      compare !== null && compare !== taskId && isUuid(compare)
        ? dramas.get({ taskId: compare }).catch(() => null)
        : null,
    ]),
  );
  return { view, other, requestKey: newRequestKey() };
}

export async function action({ request, params, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const taskId = params.taskId ?? '';
  const shared = await runCompositeIntent(taskId, form, context.trpc);
  if (shared?.ok) throw redirect(`/workbench/dramas/${taskId}`, 303);
  if (shared) {
    if (shared.unexpected !== undefined) context.reportError?.(shared.unexpected);
    const intent = String(form.get('intent'));
    return data<DramaAnswer>({ error: shared.error, intent }, shared.status);
  }
  const result = await runDramaIntent(taskId, form, context.trpc.dramas);
  if ('redirectTo' in result) throw redirect(result.redirectTo, 303);
  if (result.unexpected !== undefined) context.reportError?.(result.unexpected);
  return data<DramaAnswer>(result.answer, result.status);
}

export async function clientAction({ serverAction }: ClientActionFunctionArgs) {
  return await answerInPlace<DramaAnswer>(serverAction, () => ({ error: LOST_ANSWER }));
}

function titleOf(view: DramaView): string {
  return view.plan?.title || shorten(view.settings.text, 90);
}

export default function DramaPage() {
  const t = useT(dramaTexts);
  const common = useT(compositeTexts);
  const { view: loaded, other, requestKey } = useLoaderData<typeof loader>();
  const answer = useActionData<DramaAnswer>();
  const { task, state, announcer } = useCompositeWatch(loaded.task);
  // An end is shown together with what came of it, which is being loaded.
  const view: DramaView = task.status === loaded.task.status ? { ...loaded, task } : loaded;
  const sameWork =
    other !== null && view.versions.some(({ taskId }) => taskId === other.taskId) ? other : null;

  return (
    // Marked as `Refusal` marks its text: what parts came to nothing for is among what the server says.
    <article key={view.taskId} className={classes.page} aria-labelledby="drama-heading" data-refusal>
      <WorkPageHead
        headingId="drama-heading"
        title={titleOf(view)}
        sub={<Trans t={t} i18nKey="page.sub" components={{ time: <TimeAgo at={task.submittedAt} /> }} />}
      >
        <DramaSteps view={view} />
      </WorkPageHead>
      <div className={classes.main}>
        {sameWork ? <CompareVersions view={view} other={sameWork} /> : null}
        <DramaMain view={view} requestKey={requestKey} answer={answer} askQuote={askPlanQuote} />
      </div>
      <WorkPageSide
        state={
          <Panel title={common('page.state')} actions={<LiveNote state={state} />}>
            <DramaState view={view} answer={answer} />
          </Panel>
        }
        facts={
          <>
            <BudgetPanel budget={view.budget} ended={isTerminal(task.status)} />
            <VersionsPanel view={view} />
            <Panel title={common('page.order')}>
              <DramaOrder view={view} />
            </Panel>
          </>
        }
      />
      {announcer}
    </article>
  );
}
