import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { data, redirect } from '@remix-run/node';
import {
  type ClientActionFunctionArgs,
  useActionData,
  useLoaderData,
  useRouteLoaderData,
} from '@remix-run/react';
import { PencilOff } from 'lucide-react';
import { AgentComposer } from '#app/components/agent/agent-composer.tsx';
import { languageModels, makingModels } from '#app/components/agent/agent-form.ts';
import { askAgentQuote } from '#app/components/agent/ask-agent-quote.ts';
import { submitAgent } from '#app/components/agent/submit-agent.ts';
import type { ComposerReply } from '#app/components/composer/composer-reply.ts';
import { KindTabs } from '#app/components/composer/kind-tabs.tsx';
import { lostReply } from '#app/components/composer/lost-reply.ts';
import { promptApi } from '#app/components/composer/prompt-api.ts';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { newRequestKey } from '#app/lib/request-key.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { answerInPlace } from '#app/lib/way-on.ts';
import { agentTexts } from '#app/locales/agent.ts';
import type { loader as rootLoader } from '#app/root.tsx';
import classes from './workbench.agents.new.module.css';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${agentTexts.in(languageOf(matches))('new.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const models = await loadOrThrow(request, context.trpc.generation.models());
  return { models, requestKey: newRequestKey() };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const models = await loadOrThrow(request, context.trpc.generation.models());
  const result = await submitAgent({ form, models, submit: (input) => context.trpc.agents.submit(input) });
  if (result.ok) throw redirect(`/workbench/agents/${result.taskId}`, 303);
  if (result.unexpected !== undefined) context.reportError?.(result.unexpected);
  return data<ComposerReply>(result.answer, result.status);
}

const LOST =
  'The answer did not arrive; your agent may have been accepted. Press Start again: it is the same request, so there will be one agent and one budget.';

/** An answer that never arrives is no reason to lose the form: it stays, with its key. */
export async function clientAction({ serverAction }: ClientActionFunctionArgs) {
  return await answerInPlace(
    () => serverAction<ComposerReply>(),
    () => lostReply(LOST),
  );
}

export default function NewAgent() {
  const t = useT(agentTexts);
  const { models, requestKey } = useLoaderData<typeof loader>();
  const root = useRouteLoaderData<typeof rootLoader>('root');
  const reply = useActionData<ComposerReply>();
  const owed = root?.balance?.debts?.reduce((sum, debt) => sum + debt.remainingCredits, 0) ?? 0;
  const missing = whatIsMissing(languageModels(models).length > 0, makingModels(models).length > 0);
  return (
    <>
      <PageHeader title={t('new.title')}>{t('new.lead')}</PageHeader>
      <div className={classes.tabs}>
        <KindTabs kind="agent" hrefFor={(make) => `/workbench?make=${make}`} />
      </div>
      {missing ? (
        <EmptyState icon={PencilOff} title={t('new.none')}>
          {t(`new.${missing}`)}
        </EmptyState>
      ) : (
        <AgentComposer
          models={models}
          action="/workbench/agents/new"
          balanceCredits={root?.balance?.balanceCredits ?? 0}
          owedCredits={owed}
          requestKey={requestKey}
          reply={reply}
          askQuote={askAgentQuote}
          promptApi={promptApi}
          draftOwner={root?.user?.id}
        />
      )}
    </>
  );
}

function whatIsMissing(plans: boolean, makes: boolean): 'needsLanguage' | 'needsMaker' | null {
  if (!plans) return 'needsLanguage';
  if (!makes) return 'needsMaker';
  return null;
}
