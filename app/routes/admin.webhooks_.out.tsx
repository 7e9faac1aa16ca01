import { Anchor, Button, NativeSelect, TextInput } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Form, Link, useActionData, useLoaderData } from '@remix-run/react';
import { RotateCw, Search } from 'lucide-react';
import { textKey } from '#app/components/notifications/notification-words.ts';
import { DeliveryLog } from '#app/components/notifications/webhooks/delivery-log.tsx';
import { EndpointBadge } from '#app/components/notifications/webhooks/endpoint-table.tsx';
import { ActionErrors, ActionForm } from '#app/components/ui/action-form.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Pagination } from '#app/components/ui/pagination.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { runForm } from '#app/lib/form.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { readChoice, readCursor, readText } from '#app/lib/read-query.ts';
import { unknownForm } from '#app/lib/run-deed.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { notificationsTexts } from '#app/locales/notifications.ts';
import {
  type AdminDeliveryView,
  adminResendInput,
  DELIVERY_STATUSES,
} from '#server/notifications/schemas.ts';
import classes from './admin.tasks.module.css';
import own from './admin.webhooks.out.module.css';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${notificationsTexts.in(languageOf(matches))('admin.title')} · Sidelane` },
];

/** Filters live in the address, so a view can be kept and sent on. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { url } = request;
  const cursor = readCursor(url);
  const filters = {
    status: readChoice(url, 'state', DELIVERY_STATUSES),
    user: readText(url, 'user'),
    endpointId: readCursor(url, 'endpoint'),
  };
  const page = await loadOrThrow(request, context.trpc.adminWebhooks.list({ ...filters, cursor, limit: 30 }));
  return {
    page,
    state: filters.status ?? '',
    user: filters.user ?? '',
    narrowed: Object.values({ ...filters, cursor }).some((value) => value !== undefined),
  };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  if (form.get('intent') !== 'resend') throw unknownForm();
  return runForm(request, form, {
    name: 'resend',
    schema: adminResendInput,
    run: async (input) => {
      await context.trpc.adminWebhooks.resend(input);
      return { resent: true };
    },
  });
}

export default function WebhooksOut() {
  const { page, state, user, narrowed } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const t = useT(notificationsTexts);
  return (
    <>
      <PageHeader title={t('admin.title')} edge={t('admin.edge')}>
        {t('admin.lead')}
      </PageHeader>
      <div role="status">
        {answer && 'resent' in answer ? <Notice tone="good">{t('log.resent')}</Notice> : null}
      </div>
      <ActionErrors intents={['resend']} />
      <Form method="get" className={classes.filters} role="search" key={`${state}-${user}`}>
        <TextInput
          label={t('admin.user')}
          description={t('admin.userHelp')}
          name="user"
          defaultValue={user}
        />
        <NativeSelect
          label={t('log.filter')}
          name="state"
          defaultValue={state}
          data={[
            { value: '', label: t('log.any') },
            ...DELIVERY_STATUSES.map((value) => ({ value, label: t(`log.status.${value}`) })),
          ]}
        />
        <Button type="submit" leftSection={<Search size={16} aria-hidden="true" />}>
          {t('log.show')}
        </Button>
      </Form>
      {page.items.length > 0 ? (
        <Panel flush>
          <DeliveryLog
            deliveries={page.items}
            about={(delivery) => <About delivery={delivery} />}
            actions={(delivery) => <Resend delivery={delivery} />}
          />
        </Panel>
      ) : (
        <Nothing narrowed={narrowed} />
      )}
      <Pagination nextCursor={page.nextCursor} label={t('log.pages')} />
    </>
  );
}

function About({ delivery: { user, endpoint } }: { delivery: AdminDeliveryView }) {
  const t = useT(notificationsTexts);
  return (
    <p className={own.about}>
      <Anchor component={Link} to={`/admin/users/${user.id}`} underline="always">
        {user.email}
      </Anchor>
      <Anchor component={Link} to={`?endpoint=${endpoint.id}`} underline="always">
        {endpoint.url}
      </Anchor>
      {endpoint.isDeleted ? <span>({t('admin.deleted')})</span> : <EndpointBadge state={endpoint.state} />}
    </p>
  );
}

function Resend({ delivery }: { delivery: AdminDeliveryView }) {
  const t = useT(notificationsTexts);
  const { endpoint, status } = delivery;
  if (status === 'pending' || endpoint.isDeleted || endpoint.state !== 'enabled') return null;
  return (
    <details>
      <summary className={own.summary}>{t('admin.resendTitle')}</summary>
      <ActionForm intent="resend" values={{ deliveryId: delivery.id }}>
        <div className={own.resend}>
          <TextInput
            label={t('admin.reason')}
            name="reason"
            required
            minLength={3}
            maxLength={500}
            autoComplete="off"
          />
          <Button
            type="submit"
            variant="default"
            leftSection={<RotateCw size={14} aria-hidden="true" />}
            aria-label={t('log.resendOf', {
              type: t(`webhooks.event.${textKey(delivery.eventType)}`),
              id: delivery.id,
            })}
          >
            {t('admin.resend')}
          </Button>
        </div>
      </ActionForm>
    </details>
  );
}

function Nothing({ narrowed }: { narrowed: boolean }) {
  const t = useT(notificationsTexts);
  if (!narrowed) {
    return (
      <EmptyState icon={Search} title={t('log.none')}>
        {t('admin.noneHelp')}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={Search}
      title={t('log.noneMatch')}
      action={
        <Button component={Link} to="/admin/webhooks/out" variant="default">
          {t('admin.showAll')}
        </Button>
      }
    >
      {t('admin.lessHelp')}
    </EmptyState>
  );
}
