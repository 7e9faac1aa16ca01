import { Button, NativeSelect } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Form, Link, useLoaderData } from '@remix-run/react';
import { Search } from 'lucide-react';
import { deliveryLabel } from '#app/components/admin/delivery-badges.tsx';
import { DeliveryList } from '#app/components/admin/delivery-list.tsx';
import { DeliverySetUp, reportingChannels } from '#app/components/admin/delivery-set-up.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Pagination } from '#app/components/ui/pagination.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { readChoice, readCursor } from '#app/lib/read-query.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { DELIVERY_STATES } from '#server/generation/webhooks/schemas.ts';
import classes from './admin.tasks.module.css';

export const meta: MetaFunction = () => [{ title: 'Webhook inbox · Sidelane' }];

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
  const { page, channels, state, channel, later } = useLoaderData<typeof loader>();
  const narrowed = state !== '' || channel !== '' || later;
  return (
    <>
      <PageHeader title="Webhook inbox" edge="Upstream">
        What upstreams reported, newest first. A report decides nothing: its job is asked for itself, at once.
      </PageHeader>
      <Form method="get" className={classes.filters} role="search" key={`${state}-${channel}`}>
        <NativeSelect
          label="State"
          name="state"
          defaultValue={state}
          data={[
            { value: '', label: 'Any' },
            ...DELIVERY_STATES.map((value) => ({ value, label: deliveryLabel(value) })),
          ]}
        />
        <NativeSelect
          label="Channel"
          name="channel"
          defaultValue={channel}
          data={[
            { value: '', label: 'Any' },
            ...reportingChannels(channels).map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <Button type="submit" leftSection={<Search size={16} aria-hidden="true" />}>
          Show
        </Button>
      </Form>
      {page.items.length > 0 ? (
        <Panel flush>
          <DeliveryList deliveries={page.items} />
        </Panel>
      ) : narrowed ? (
        <EmptyState
          icon={Search}
          title="No delivery matches"
          action={
            <Button component={Link} to="/admin/webhooks" variant="default">
              Show all of them
            </Button>
          }
        >
          Ask for less, or start again from the newest.
        </EmptyState>
      ) : (
        <DeliverySetUp channels={channels} />
      )}
      <Pagination nextCursor={page.nextCursor} label="deliveries" />
    </>
  );
}
