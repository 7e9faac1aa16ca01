import { Button, NativeSelect } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Form, Link, useLoaderData } from '@remix-run/react';
import { Search } from 'lucide-react';
import { DeliveryList } from '#app/components/admin/delivery-list.tsx';
import { DeliverySetUp, reportingChannels } from '#app/components/admin/delivery-set-up.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Pagination } from '#app/components/ui/pagination.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { readChoice, readCursor } from '#app/lib/read-query.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { attentionTexts } from '#app/locales/attention.ts';
import { DELIVERY_STATES } from '#server/generation/webhooks/schemas.ts';
import classes from './admin.tasks.module.css';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${attentionTexts.in(languageOf(matches))('inbox.title')} · Sidelane` },
];

/** Filters live in the address, so a view can be kept and sent on. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { url } = request;
  const cursor = readCursor(url);
  const filters = {
    status: readChoice(url, 'state', DELIVERY_STATES),
    channelId: readCursor(url, 'channel'),
  };
  const [page, channels] = await loadOrThrow(
    request,
    Promise.all([
      context.trpc.webhooks.list({ ...filters, cursor, limit: 30 }),
      context.trpc.channels.list(),
    ]),
  );
  return {
    page,
    channels: channels.map(({ id, name, protocol, webhookAddress }) => ({
      id,
      name,
      protocol,
      webhookAddress,
    })),
    state: filters.status ?? '',
    channel: filters.channelId ?? '',
    later: cursor !== undefined,
  };
}

export default function WebhookInbox() {
  const t = useT(attentionTexts);
  const { page, channels, state, channel, later } = useLoaderData<typeof loader>();
  const narrowed = state !== '' || channel !== '' || later;
  return (
    <>
      <PageHeader title={t('inbox.title')} edge={t('inbox.edge')}>
        {t('inbox.lead')}
      </PageHeader>
      <Form method="get" className={classes.filters} role="search" key={`${state}-${channel}`}>
        <NativeSelect
          label={t('inbox.state')}
          name="state"
          defaultValue={state}
          data={[
            { value: '', label: t('inbox.any') },
            ...DELIVERY_STATES.map((value) => ({ value, label: t(`inbox.states.${value}`) })),
          ]}
        />
        <NativeSelect
          label={t('inbox.channel')}
          name="channel"
          defaultValue={channel}
          data={[
            { value: '', label: t('inbox.any') },
            ...reportingChannels(channels).map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <Button type="submit" leftSection={<Search size={16} aria-hidden="true" />}>
          {t('inbox.show')}
        </Button>
      </Form>
      {page.items.length > 0 ? (
        <Panel flush>
          <DeliveryList deliveries={page.items} />
        </Panel>
      ) : narrowed ? (
        <EmptyState
          icon={Search}
          title={t('inbox.noMatch')}
          action={
            <Button component={Link} to="/admin/webhooks" variant="default">
              {t('inbox.all')}
            </Button>
          }
        >
          {t('inbox.noMatchText')}
        </EmptyState>
      ) : (
        <DeliverySetUp channels={channels} />
      )}
      <Pagination nextCursor={page.nextCursor} label={t('inbox.listed')} />
    </>
  );
}
