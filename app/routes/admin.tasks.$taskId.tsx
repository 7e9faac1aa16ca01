import { SimpleGrid, Stack } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useActionData, useLoaderData } from '@remix-run/react';
import { ChildTasksPanel } from '#app/components/admin/child-tasks-panel.tsx';
import { DispatchPanel } from '#app/components/admin/dispatch-panel.tsx';
import { EventTable } from '#app/components/admin/event-table.tsx';
import { ExplainPanel } from '#app/components/admin/lists/explain-panel.tsx';
import { RawPanel } from '#app/components/admin/raw-panel.tsx';
import { RecoverPanel } from '#app/components/admin/recover-panel.tsx';
import { ResolvePanel } from '#app/components/admin/resolve-panel.tsx';
import { TaskFacts } from '#app/components/admin/task-facts.tsx';
import { failureSentence, waitingSentence } from '#app/components/task-card/coded-words.ts';
import { useSay } from '#app/components/task-card/say.ts';
import { Notice } from '#app/components/ui/error-message.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { StatusBadge } from '#app/components/ui/status-badge.tsx';
import { runAdminTaskForm } from '#app/lib/admin-task-actions.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { promptWords } from '#app/lib/prompt-words.ts';
import { isUuid } from '#app/lib/read-query.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useAutoRefresh } from '#app/lib/use-auto-refresh.ts';
import { attentionTexts } from '#app/locales/attention.ts';
import { isComposite } from '#server/generation/status.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${attentionTexts.in(languageOf(matches))('task.title')} · Sidelane` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const taskId = params.taskId ?? '';
  if (!isUuid(taskId)) throw new Response('There is no such task.', { status: 404 });
  const { adminTasks } = context.trpc;
  const [task, explanation] = await loadOrThrow(
    request,
    Promise.all([adminTasks.get({ taskId }), adminTasks.explain({ taskId })]),
  );
  return { task, explanation };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runAdminTaskForm({ request, context, form: await request.formData() });
}

export default function AdminTask() {
  const t = useT(attentionTexts);
  const say = useSay();
  const { task, explanation } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  useAutoRefresh(5_000);
  return (
    <>
      <PageHeader title={promptWords(task.prompt, 120)} edge={task.id}>
        {task.userEmail} · {task.model.title}
      </PageHeader>
      <Stack gap="xl">
        {answer && 'done' in answer ? (
          <Notice tone="good" title={t('task.noted')}>
            {t(`done.${answer.done}`)}
          </Notice>
        ) : null}
        {task.uncertain ? (
          <Notice tone="warning" title={t('task.why')}>
            {t(`uncertain.reason.${task.uncertain.reason}`)}
          </Notice>
        ) : task.waiting ? (
          <Notice title={t('task.why')}>{waitingSentence(say, task) ?? task.waiting}</Notice>
        ) : null}
        {task.failure ? (
          <Notice tone="error" title={t('task.failed', { code: task.failure.code })}>
            {[failureSentence(say, task.failure), task.failureDetail].filter(Boolean).join(' — ')}
          </Notice>
        ) : null}
        {task.status === 'uncertain' && !isComposite(task.kind) ? (
          <ResolvePanel
            taskId={task.id}
            kind={task.kind}
            until={task.uncertain?.until ?? null}
            dispatch={task.dispatches.at(-1)}
          />
        ) : null}
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
          <Panel
            id="state"
            title={t('task.state')}
            actions={<StatusBadge status={task.status} cancelRequested={task.cancelRequested} />}
          >
            <TaskFacts task={task} />
          </Panel>
          {isComposite(task.kind) ? (
            <ChildTasksPanel task={task} />
          ) : (
            <DispatchPanel dispatches={task.dispatches} hasEnded={task.finishedAt !== null} />
          )}
        </SimpleGrid>
        <ExplainPanel explanation={explanation} />
        <RecoverPanel task={task} />
        <EventTable events={task.events} />
        <RawPanel prompt={task.prompt} params={task.params} rawResult={task.rawResult} />
      </Stack>
    </>
  );
}
