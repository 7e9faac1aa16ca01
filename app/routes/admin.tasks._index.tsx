import { Anchor, Button, NativeSelect, Text, TextInput } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Form, Link, useLoaderData } from '@remix-run/react';
import { Search } from 'lucide-react';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Pagination } from '#app/components/ui/pagination.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { StatusBadge, statusLabel } from '#app/components/ui/status-badge.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { isUuid, readChoice, readCursor, readText } from '#app/lib/read-query.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import type { AdminTaskView } from '#server/generation/schemas.ts';
import { KINDS, STATUSES } from '#server/generation/status.ts';
import classes from './admin.tasks.module.css';

export const meta: MetaFunction = () => [{ title: 'Tasks · Sidelane' }];

/** Filters live in the address, so a view can be kept and sent on. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { url } = request;
  const who = readText(url, 'who');
  const filters = {
    status: readChoice(url, 'status', STATUSES),
    kind: readChoice(url, 'kind', KINDS),
    userEmail: who && !isUuid(who) ? who : undefined,
    taskId: who && isUuid(who) ? who : undefined,
  };
  const page = await loadOrThrow(
    request,
    context.trpc.adminTasks.list({ ...filters, cursor: readCursor(url), limit: 30 }),
  );
  return { page, status: filters.status ?? '', kind: filters.kind ?? '', who: who ?? '' };
}

export default function AdminTasks() {
  const { page, status, kind, who } = useLoaderData<typeof loader>();
  const filtered = status !== '' || kind !== '' || who !== '';
  return (
    <>
      <PageHeader title="Tasks" edge="All users">
        Newest first.
      </PageHeader>
      <Form method="get" className={classes.filters} role="search" key={`${status}-${kind}-${who}`}>
        <NativeSelect
          label="Status"
          name="status"
          defaultValue={status}
          data={[
            { value: '', label: 'Any' },
            ...STATUSES.map((value) => ({ value, label: statusLabel(value) })),
          ]}
        />
        <NativeSelect
          label="Kind"
          name="kind"
          defaultValue={kind}
          data={[{ value: '', label: 'Any' }, ...KINDS]}
        />
        <TextInput
          label="E-mail or task id"
          name="who"
          defaultValue={who}
          type="search"
          className={classes.who}
        />
        <Button type="submit" leftSection={<Search size={16} aria-hidden="true" />}>
          Show
        </Button>
      </Form>
      {page.items.length === 0 ? (
        <EmptyState
          icon={Search}
          title={filtered ? 'No task matches' : 'No task yet'}
          action={
            filtered ? (
              <Button component={Link} to="/admin/tasks" variant="default">
                Clear the filters
              </Button>
            ) : null
          }
        >
          {filtered
            ? 'Ask for less, or look at all of them.'
            : 'What people submit in the workbench shows here.'}
        </EmptyState>
      ) : (
        <Panel flush>
          <TaskTable tasks={page.items} />
        </Panel>
      )}
      <Pagination nextCursor={page.nextCursor} label="tasks" />
    </>
  );
}

function TaskTable({ tasks }: { tasks: readonly AdminTaskView[] }) {
  return (
    <DataTable
      label="Tasks"
      rows={tasks}
      rowKey={(task) => task.id}
      columns={[
        {
          head: 'Task',
          primary: true,
          cell: (task) => (
            <div className={classes.task}>
              <Anchor component={Link} to={`/admin/tasks/${task.id}`} lineClamp={2} fw={600}>
                {task.prompt}
              </Anchor>
              <Text size="sm" c="dimmed">
                {task.model.title} · {task.userEmail}
              </Text>
            </div>
          ),
        },
        {
          head: 'Status',
          cell: (task) => <StatusBadge status={task.status} cancelRequested={task.cancelRequested} />,
        },
        { head: 'Submitted', cell: (task) => <TimeAgo at={task.submittedAt} /> },
        {
          head: 'Held',
          align: 'end',
          cell: (task) => <CreditAmount credits={task.money.heldCredits} compact />,
        },
        {
          head: 'Errors',
          cell: (task) => (task.errorCount ? `${task.errorCount}, ${task.lastErrorClass}` : 'none'),
        },
      ]}
    />
  );
}
