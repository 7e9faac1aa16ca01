import { Button, Group, Stack } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Form, Link, useLoaderData } from '@remix-run/react';
import { Bell, CheckCheck } from 'lucide-react';
import { z } from 'zod';
import { BrowserPanel } from '#app/components/notifications/browser-panel.tsx';
import { NotificationList } from '#app/components/notifications/notification-list.tsx';
import { ActionErrors } from '#app/components/ui/action-form.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Pagination } from '#app/components/ui/pagination.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { runForm } from '#app/lib/form.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { readChoice, readCursor } from '#app/lib/read-query.ts';
import { requireUser } from '#app/lib/require-user.ts';
import { unknownForm } from '#app/lib/run-deed.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { notificationsTexts } from '#app/locales/notifications.ts';
import { markAllReadInput } from '#server/notifications/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${notificationsTexts.in(languageOf(matches))('title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  requireUser(context, request);
  const cursor = readCursor(request.url);
  const unreadOnly = readChoice(request.url, 'show', ['unread']) === 'unread';
  const { notifications } = context.trpc;
  const [page, unread] = await loadOrThrow(
    request,
    Promise.all([notifications.list({ unreadOnly, cursor, limit: 30 }), notifications.unreadCount()]),
  );
  return { page, unread, unreadOnly, later: cursor !== undefined };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const { notifications } = context.trpc;
  switch (form.get('intent')) {
    case 'mark-read':
      return runForm(request, form, {
        name: 'mark-read',
        schema: z.object({ id: z.uuid() }),
        run: ({ id }) => notifications.markRead({ ids: [id] }),
      });
    case 'mark-all-read':
      return runForm(request, form, {
        name: 'mark-all-read',
        schema: markAllReadInput,
        run: (input) => notifications.markAllRead(input),
      });
    default:
      throw unknownForm();
  }
}

export default function NotificationsPage() {
  const { page, unread, unreadOnly, later } = useLoaderData<typeof loader>();
  const t = useT(notificationsTexts);
  return (
    <>
      <PageHeader title={t('title')} edge={t('edge')}>
        {t('lead')}
      </PageHeader>
      <Stack gap="xl">
        <div>
          <Group justify="space-between" mb="md">
            <Filter unreadOnly={unreadOnly} />
            {unread > 0 ? <MarkAllRead upTo={later ? undefined : page.items[0]?.id} /> : null}
          </Group>
          <ActionErrors intents={['mark-read', 'mark-all-read']} />
          {page.items.length > 0 ? (
            <Panel flush>
              <NotificationList items={page.items} />
            </Panel>
          ) : (
            <Nothing unreadOnly={unreadOnly} />
          )}
          <Pagination nextCursor={page.nextCursor} label={t('pages')} />
        </div>
        <BrowserPanel />
      </Stack>
    </>
  );
}

/** Links, so that a view has an address and needs no script. */
function Filter({ unreadOnly }: { unreadOnly: boolean }) {
  const t = useT(notificationsTexts);
  const links = [
    { to: '/notifications', label: t('filter.all'), current: !unreadOnly },
    { to: '/notifications?show=unread', label: t('filter.unread'), current: unreadOnly },
  ];
  return (
    <Group component="nav" gap="xs" aria-label={t('filter.label')}>
      {links.map(({ to, label, current }) => (
        <Button
          key={to}
          component={Link}
          to={to}
          size="sm"
          variant={current ? 'filled' : 'default'}
          aria-current={current ? 'page' : undefined}
        >
          {label}
        </Button>
      ))}
    </Group>
  );
}

function MarkAllRead({ upTo }: { upTo: string | undefined }) {
  const t = useT(notificationsTexts);
  return (
    <Form method="post" preventScrollReset>
      <input type="hidden" name="intent" value="mark-all-read" />
      {upTo ? <input type="hidden" name="upTo" value={upTo} /> : null}
      <Button type="submit" variant="default" leftSection={<CheckCheck size={16} aria-hidden="true" />}>
        {t('markAllRead')}
      </Button>
    </Form>
  );
}

function Nothing({ unreadOnly }: { unreadOnly: boolean }) {
  const t = useT(notificationsTexts);
  if (!unreadOnly) {
    return (
      <EmptyState icon={Bell} title={t('none')}>
        {t('noneHelp')}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={CheckCheck}
      title={t('noneUnread')}
      action={
        <Button component={Link} to="/notifications" variant="default">
          {t('showAll')}
        </Button>
      }
    >
      {t('noneUnreadHelp')}
    </EmptyState>
  );
}
