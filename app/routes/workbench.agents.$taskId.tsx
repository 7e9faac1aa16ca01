import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { data, redirect } from '@remix-run/node';
import { type ClientActionFunctionArgs, useActionData, useLoaderData } from '@remix-run/react';
import { Trans } from 'react-i18next';
import { AgentEntry } from '#app/components/agent/agent-entry.tsx';
import { type DecisionFailure, runDecision } from '#app/components/agent/agent-intents.ts';
import { AgentOrder } from '#app/components/agent/agent-order.tsx';
import { AgentResults } from '#app/components/agent/agent-results.tsx';
import { AgentState } from '#app/components/agent/agent-state.tsx';
import { DecisionForm } from '#app/components/agent/decision-form.tsx';
import { BudgetPanel } from '#app/components/composite/budget-panel.tsx';
import { CompositeActions, type CompositeFailure } from '#app/components/composite/composite-actions.tsx';
import { runCompositeIntent } from '#app/components/composite/composite-intents.ts';
import { LOST_ANSWER } from '#app/components/composite/lost-answer.ts';
import { useCompositeWatch } from '#app/components/composite/use-composite-watch.tsx';
import { WaitingNotice } from '#app/components/composite/waiting-notice.tsx';
import { WorkPageHead, WorkPageSide } from '#app/components/layout/work-page.tsx';
import { shorten } from '#app/components/media/output-player.tsx';
import { LiveNote } from '#app/components/task-list/live-note.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { promptWords } from '#app/lib/prompt-words.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { answerInPlace } from '#app/lib/way-on.ts';
import { agentTexts } from '#app/locales/agent.ts';
import { compositeTexts } from '#app/locales/composite.ts';
import { isTerminal } from '#server/generation/status.ts';
import classes from './workbench.agents.module.css';

export const meta: MetaFunction<typeof loader> = ({ data: loaded, matches }) => {
  const name = loaded ? shorten(loaded.agent.settings.goal, 60) : agentTexts.in(languageOf(matches))('title');
  return [{ title: `${name} · Sidelane` }];
};

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  return { agent: await loadOrThrow(request, context.trpc.agents.get({ taskId: params.taskId ?? '' })) };
}

type AgentFailure = CompositeFailure | DecisionFailure;

export async function action({ request, params, context }: ActionFunctionArgs) {
  const taskId = params.taskId ?? '';
  const form = await request.formData();
  const pressed = await runCompositeIntent(taskId, form, context.trpc);
  const result = pressed ?? (await runDecision(taskId, form, (input) => context.trpc.agents.decide(input)));
  if (result.ok) throw redirect(`/workbench/agents/${taskId}`, 303);
  if (result.unexpected !== undefined) context.reportError?.(result.unexpected);
  return data<AgentFailure>('failure' in result ? result.failure : { error: result.error }, result.status);
}

export async function clientAction({ request, serverAction }: ClientActionFunctionArgs) {
  // Read before the server's action takes the body away.
  const stepKey = (await request.clone().formData()).get('stepKey');
  const lost = { error: LOST_ANSWER };
  return await answerInPlace<AgentFailure>(serverAction, () =>
    typeof stepKey === 'string' ? { ...lost, stepKey, typed: {} } : lost,
  );
}

export default function AgentPage() {
  const t = useT(agentTexts);
  const common = useT(compositeTexts);
  const { agent } = useLoaderData<typeof loader>();
  const answer = useActionData<AgentFailure>();
  const { task, state, announcer } = useCompositeWatch(agent.task);
  const here = `/workbench/agents/${agent.taskId}`;
  const awaiting = agent.transcript.filter((entry) => agent.awaiting.includes(entry.key));
  const decision = answer && 'stepKey' in answer ? answer : undefined;

  return (
    // Marked as `Refusal` marks its text: what parts came to nothing for is among what the server says.
    <article className={classes.page} aria-labelledby="agent-heading" data-refusal>
      <WorkPageHead
        headingId="agent-heading"
        title={promptWords(shorten(agent.settings.goal, 90))}
        sub={
          <Trans
            t={t}
            i18nKey="page.sub"
            values={{ model: agent.modelTitle }}
            components={{ time: <TimeAgo at={task.submittedAt} /> }}
          />
        }
      />
      <div className={classes.top}>
        <WaitingNotice view={{ ...agent, task }} />
        {awaiting.length > 0 ? (
          <Panel title={t('page.awaiting')} description={t('page.awaitingHint')}>
            <ul className={classes.decisions}>
              {awaiting.map((entry) => (
                <li key={entry.key}>
                  <DecisionForm entry={entry} action={here} answer={decision} />
                </li>
              ))}
            </ul>
          </Panel>
        ) : null}
      </div>
      <WorkPageSide
        state={
          <Panel title={common('page.state')} actions={<LiveNote state={state} />}>
            <AgentState view={agent} task={task} />
            <CompositeActions view={agent} action={here} answer={decision ? undefined : answer} />
          </Panel>
        }
        facts={
          <>
            <BudgetPanel budget={agent.budget} ended={isTerminal(task.status)} />
            <Panel title={common('page.order')}>
              <AgentOrder view={agent} />
            </Panel>
          </>
        }
      />
      <div className={classes.main}>
        <Panel title={t('page.results')}>
          <AgentResults transcript={agent.transcript} />
        </Panel>
        <Panel title={t('page.happened')}>
          {agent.transcript.length === 0 ? (
            <p className={classes.empty}>{t('page.notBegun')}</p>
          ) : (
            <ol className={classes.transcript}>
              {agent.transcript.map((entry) => (
                <AgentEntry key={entry.key} entry={entry} />
              ))}
            </ol>
          )}
        </Panel>
      </div>
      {announcer}
    </article>
  );
}
