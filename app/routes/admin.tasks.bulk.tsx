import { Anchor } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { BulkPage } from '#app/components/admin/lists/bulk-page.tsx';
import { StatusBadge } from '#app/components/ui/status-badge.tsx';
import { readTaskQuery } from '#app/lib/admin-task-list.ts';
import { defineBulk, loadBulk, runBulk } from '#app/lib/bulk.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { promptWords } from '#app/lib/prompt-words.ts';
import { adminListsTexts } from '#app/locales/admin-lists.ts';
import { TASK_DEEDS } from '#server/generation/admin/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminListsTexts.in(languageOf(matches))('tasks.bulkTitle')} · Sidelane` },
];

const BULK = defineBulk({
  deeds: TASK_DEEDS,
  filters: readTaskQuery,
  list: (trpc, page) => trpc.adminTasks.list(page),
  idOf: ({ id }) => id,
  // Two orders of this list leave tasks out.
  isListed: ({ finishedAt }, { sort }: ReturnType<typeof readTaskQuery>) =>
    sort === 'finished' ? finishedAt !== null : sort !== 'due' || finishedAt === null,
  run: (trpc, { ids, ...rest }) => trpc.adminTasks.bulk({ ...rest, taskIds: ids }),
});

export async function loader(args: LoaderFunctionArgs) {
  return loadBulk(args, BULK);
}

export async function action(args: ActionFunctionArgs) {
  return runBulk(args, BULK);
}

export default function BulkTasks() {
  const { deed, back, items, matching } = useLoaderData<typeof loader>();
  const t = useT(adminListsTexts);
  return (
    <BulkPage
      deed={deed && `tasks.deeds.${deed}`}
      destructive={deed === 'cancel' || deed === 'fail'}
      edge={t('tasks.title')}
      back={`/admin/tasks${back}`}
      matching={matching}
      rows={items.map((task) => ({
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
