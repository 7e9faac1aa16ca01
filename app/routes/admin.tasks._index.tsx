import { Anchor, Text } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { ListChecks } from 'lucide-react';
import { BulkBar, RowCheck } from '#app/components/admin/lists/bulk-bar.tsx';
import { ListPages } from '#app/components/admin/lists/list-pages.tsx';
import classes from '#app/components/admin/lists/lists.module.css';
import { NoneFound } from '#app/components/admin/lists/none-found.tsx';
import { TaskFilters } from '#app/components/admin/lists/task-filters.tsx';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { StatusBadge } from '#app/components/ui/status-badge.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { readTaskQuery } from '#app/lib/admin-task-list.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { isNarrowed } from '#app/lib/list-query.ts';
import { promptWords } from '#app/lib/prompt-words.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { adminListsTexts } from '#app/locales/admin-lists.ts';
import { TASK_DEEDS } from '#server/generation/admin/schemas.ts';
import type { AdminTaskView } from '#server/generation/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminListsTexts.in(languageOf(matches))('tasks.title')} · Sidelane` },
];

/** Filters live in the address, so a view can be kept and sent on. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const query = readTaskQuery(request.url);
  const { adminTasks } = context.trpc;
  const [page, choices] = await loadOrThrow(
    request,
    Promise.all([adminTasks.list({ ...query, limit: 30 }), adminTasks.choices()]),
  );
  return { page, choices, query, narrowed: isNarrowed(request.url) };
}

export default function AdminTasks() {
  const { page, choices, query, narrowed } = useLoaderData<typeof loader>();
  const t = useT(adminListsTexts);
  return (
    <>
      <PageHeader title={t('tasks.title')} edge={t('tasks.edge')}>
        {t('tasks.lead')}
      </PageHeader>
      <TaskFilters query={query} choices={choices} />
      {page.items.length === 0 ? (
        <NoneFound
          none={t('tasks.none')}
          noMatch={t('tasks.noMatch')}
          narrowed={narrowed}
          hasMore={page.nextCursor !== null}
          to="/admin/tasks"
          icon={ListChecks}
        >
          {t('tasks.noneHelp')}
        </NoneFound>
      ) : (
        <>
          <Panel flush>
            <TaskTable tasks={page.items} />
          </Panel>
          <BulkBar
            to="/admin/tasks/bulk"
            deeds={TASK_DEEDS.map((deed) => ({ value: deed, label: t(`tasks.deeds.${deed}.title`) }))}
          />
        </>
      )}
      <ListPages nextCursor={page.nextCursor} />
    </>
  );
}

function TaskTable({ tasks }: { tasks: readonly AdminTaskView[] }) {
  const t = useT(adminListsTexts);
  return (
    <DataTable
      label={t('tasks.title')}
      rows={tasks}
      rowKey={(task) => task.id}
      columns={[
        {
          head: t('tasks.task'),
          primary: true,
          cell: (task) => (
            <div className={classes.choice}>
              <RowCheck id={task.id} what={promptWords(task.prompt, 60)} />
              <div className={classes.row}>
                <Anchor component={Link} to={`/admin/tasks/${task.id}`} lineClamp={2} fw={600}>
                  {promptWords(task.prompt)}
                </Anchor>
                <Text size="sm" c="dimmed">
                  {task.model.title} · {task.userEmail}
                </Text>
              </div>
            </div>
          ),
        },
        {
          head: t('filters.status'),
          cell: (task) => <StatusBadge status={task.status} cancelRequested={task.cancelRequested} />,
        },
        { head: t('tasks.submitted'), cell: (task) => <TimeAgo at={task.submittedAt} /> },
        { head: t('tasks.endedOrDue'), cell: (task) => <EndedOrDue task={task} /> },
        {
          head: t('tasks.held'),
          align: 'end',
          cell: (task) => <CreditAmount credits={task.money.heldCredits} compact />,
        },
        {
          head: t('tasks.errors'),
          cell: (task) =>
            task.errorCount
              ? t('tasks.errorCount', { count: task.errorCount, error: task.lastErrorClass ?? '' })
              : t('tasks.noErrors'),
        },
      ]}
    />
  );
}

function EndedOrDue({ task: { finishedAt, nextDueAt } }: { task: AdminTaskView }) {
  const t = useT(adminListsTexts);
  if (finishedAt) return <TimeAgo at={finishedAt} />;
  if (!nextDueAt) return null;
  return (
    <span>
      {t('tasks.due')} <TimeAgo at={nextDueAt} />
    </span>
  );
}
