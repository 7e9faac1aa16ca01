import { Anchor } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { BulkPage } from '#app/components/admin/lists/bulk-page.tsx';
import { StatusBadge } from '#app/components/ui/status-badge.tsx';
import { readBulk, runBulkForm } from '#app/lib/bulk.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { promptWords } from '#app/lib/prompt-words.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { adminListsTexts } from '#app/locales/admin-lists.ts';
import { TASK_DEEDS } from '#server/generation/admin/schemas.ts';
import { MOST_BULK } from '#server/lib/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminListsTexts.in(languageOf(matches))('tasks.bulkTitle')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { deed, ids, back } = readBulk(request.url, TASK_DEEDS);
  const page = await loadOrThrow(request, context.trpc.adminTasks.list({ ids, limit: MOST_BULK }));
  return { deed, back, tasks: page.items };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runBulkForm(request, TASK_DEEDS, ({ ids, ...rest }) =>
    context.trpc.adminTasks.bulk({ ...rest, taskIds: ids }),
  );
}

export default function BulkTasks() {
  const { deed, back, tasks } = useLoaderData<typeof loader>();
  const t = useT(adminListsTexts);
  return (
    <BulkPage
      deed={deed && `tasks.deeds.${deed}`}
      destructive={deed === 'cancel' || deed === 'fail'}
      edge={t('tasks.title')}
      back={`/admin/tasks${back}`}
      rows={tasks.map((task) => ({
        id: task.id,
        what: (
          <Anchor component={Link} to={`/admin/tasks/${task.id}`} lineClamp={2}>
            {promptWords(task.prompt)}
          </Anchor>
        ),
        note: `${task.model.title} · ${task.userEmail}`,
        state: <StatusBadge status={task.status} cancelRequested={task.cancelRequested} />,
      }))}
    />
  );
}
