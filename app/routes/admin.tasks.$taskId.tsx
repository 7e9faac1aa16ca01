import { SimpleGrid, Stack } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useActionData, useLoaderData } from '@remix-run/react';
import { whatHappened } from '#app/components/admin/attention-words.ts';
import { DispatchPanel } from '#app/components/admin/dispatch-panel.tsx';
import { EventTable } from '#app/components/admin/event-table.tsx';
import { RawPanel } from '#app/components/admin/raw-panel.tsx';
import { RecoverPanel } from '#app/components/admin/recover-panel.tsx';
import { ResolvePanel } from '#app/components/admin/resolve-panel.tsx';
import { TaskFacts } from '#app/components/admin/task-facts.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { StatusBadge } from '#app/components/ui/status-badge.tsx';
import { runAdminTaskForm } from '#app/lib/admin-task-actions.ts';
import { isUuid } from '#app/lib/read-query.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useAutoRefresh } from '#app/lib/use-auto-refresh.ts';

export const meta: MetaFunction = () => [{ title: 'Task · Sidelane' }];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const taskId = params.taskId ?? '';
  if (!isUuid(taskId)) throw new Response('There is no such task.', { status: 404 });
  return { task: await loadOrThrow(request, context.trpc.adminTasks.get({ taskId })) };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runAdminTaskForm({ request, context, form: await request.formData() });
}

export default function AdminTask() {
  const { task } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  useAutoRefresh(5_000);
  return (
    <>
      <PageHeader
        title={task.prompt.length > 120 ? `${task.prompt.slice(0, 120)}…` : task.prompt}
        edge={task.id}
      >
        {task.userEmail} · {task.model.title}
      </PageHeader>
      <Stack gap="xl">
        {answer && 'done' in answer ? <Notice title="Noted">{answer.done}</Notice> : null}
        {task.uncertain ? (
          <Notice tone="warning" title="Why it is not finished">
            {whatHappened(task.uncertain.reason)}
          </Notice>
        ) : task.waiting ? (
          <Notice title="Why it is not finished">{task.waiting}</Notice>
        ) : null}
        {task.failure ? (
          <Notice tone="error" title={`Failed: ${task.failure.code}`}>
            {task.failureDetail ? `${task.failure.message} — ${task.failureDetail}` : task.failure.message}
          </Notice>
        ) : null}
        {task.status === 'uncertain' ? (
          <ResolvePanel
            taskId={task.id}
            kind={task.kind}
            until={task.uncertain?.until ?? null}
            dispatch={task.dispatches.at(-1)}
          />
        ) : null}
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
          <Panel
            title="State"
            actions={<StatusBadge status={task.status} cancelRequested={task.cancelRequested} />}
          >
            <TaskFacts task={task} />
          </Panel>
          <DispatchPanel dispatches={task.dispatches} />
        </SimpleGrid>
        <RecoverPanel task={task} />
        <EventTable events={task.events} />
        <RawPanel prompt={task.prompt} params={task.params} rawResult={task.rawResult} />
      </Stack>
    </>
  );
}
